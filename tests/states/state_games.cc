#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "linnet/model.h"
#include "support/decoder.h"

// state_games [GAMES [FIRST]]: plays this many games (300) with decoders whose states are bound: steps of any lengths,
// truncate_states, set_state, reset_states, fork, beams that reorder the batch, runs that fail, contexts of one model
// in turns. After each move, all outputs and states are compared bit by bit with the plain way: a context whose outputs
// are passed back as inputs. A game depends on its number and on previous games, whose models it may reuse. Prints the
// moves of the failed games, and a line of counts.

namespace linnet::testing {
namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  /// Returns a number in [0, count).
  int64_t below(int64_t count) { return int64_t(engine_() % uint64_t(count)); }
  bool one_in(int64_t count) { return below(count) == 0; }
  unsigned seed() { return unsigned(engine_()); }
  template <class T>
  T of(std::initializer_list<T> values) {
    return *(values.begin() + below(int64_t(values.size())));
  }

 private:
  std::mt19937_64 engine_;
};

struct Wrong {
  std::string what;
};

/// A decoder and models of it: one for games with states, and one for the plain way.
struct Players {
  std::string name;
  Decoder decoder;
  Model model, plain;
};

Players new_players(Draw& draw) {
  using enum DecoderForm;
  const DecoderForm form = draw.of({kWritten, kAttention, kAttentionWithPast, kMultiHead, kGroupQuery});
  DecoderExtras extras;
  extras.mask = draw.one_in(2);
  extras.positions = draw.one_in(2);
  extras.causal = draw.one_in(2);
  extras.recurrent = draw.one_in(4);
  extras.sum = draw.one_in(10);
  extras.traced = draw.one_in(6);
  extras.rows_first = draw.one_in(4);
  extras.opset = draw.of<int64_t>({23, 24});
  if (draw.one_in(4)) extras.dtype = draw.of({DType::kFloat16, DType::kBFloat16});
  const int64_t batch = draw.of<int64_t>({1, 2, Decoder::kOpenBatch});
  ModelOptions options;
  options.executor = make_serial_executor();
  options.optimization = draw.one_in(8) ? 0 : 2;
  options.guard_memory = draw.one_in(8);
  options.plan_cache_bytes = draw.of<int64_t>({0, 1 << 18, 1 << 20, 1 << 22, 1 << 22});
  Decoder decoder(form, extras, batch);
  std::ostringstream name;
  name << "form " << int(form) << (extras.mask ? " mask" : "") << (extras.positions ? " positions" : "")
       << (extras.causal ? " causal" : "") << (extras.recurrent ? " recurrent" : "") << (extras.sum ? " sum" : "")
       << (extras.traced ? " traced" : "") << (extras.rows_first ? " rows first" : "") << " opset " << extras.opset
       << " batch " << batch << " level " << options.optimization << (options.guard_memory ? " guarded" : "")
       << (options.plan_cache_bytes == 0 ? " no plans kept" : "");
  Model model = decoder.model(options);
  options.guard_memory = false;
  options.plan_cache_bytes = 1 << 22;
  Model plain = draw.one_in(4) ? model : decoder.model(options);
  return {name.str(), decoder, model, plain};
}

std::byte* bytes_of(const Tensor& tensor) { return static_cast<std::byte*>(const_cast<void*>(tensor.raw())); }

/// A context with states, and the plain way for comparison.
class Chat {
 public:
  /// bound: the number of states that are bound. The others are inputs and outputs here, too.
  Chat(const Players& players, int64_t batch, int64_t past, int64_t capacity, size_t bound, Draw& draw)
      : players_(&players), batch_(batch), bound_(bound), context_(players.model), by_hand_(players.plain) {
    for (size_t i = 0; i < decoder().states(); ++i) {
      initial_.push_back(decoder().random_state(i, batch, past, draw.seed()));
      if (i < bound) context_.bind_state(output(i), input(i), initial_[i], capacity);
    }
    pasts_ = initial_;
  }

  Chat fork() const { return Chat(*this, context_.fork()); }

  void step(int64_t rows, unsigned seed, int64_t wrong_mask) {
    auto inputs = decoder().inputs(batch_, length() + wrong_mask, rows, seed);
    for (size_t i = bound_; i < pasts_.size(); ++i) inputs.emplace_back(input(i), pasts_[i]);
    std::optional<Error> failed;
    std::span<const Tensor> got;
    try {
      got = context_.run(inputs);
    } catch (const Error& error) {
      failed = error;
    }
    if (failed && failed->kind() == ErrorKind::kInternal) throw Wrong{failed->what()};
    for (size_t i = 0; i < bound_; ++i) inputs.emplace_back(input(i), pasts_[i]);
    try {
      const std::span<const Tensor> expected = by_hand_.run(inputs);
      if (failed) throw Wrong{std::string("fails only with states: ") + failed->what()};
      compare(got, expected);
      const int64_t before = length();
      pasts_.assign(expected.begin() + 1, expected.begin() + 1 + std::ptrdiff_t(pasts_.size()));
      grown_ = grown_ || length() > before;
    } catch (const Error& error) {
      if (!failed) throw Wrong{std::string("fails only by hand: ") + error.what()};
    }
  }

  /// Before a run, dims determine which states grow, if they can.
  void truncate(int64_t length) {
    length = std::min(length, length_of_shortest());
    context_.truncate_states(length);
    for (size_t i = 0; i < Decoder::kGrowing; ++i) {
      const bool cut = grown_ || (i < bound_ && context_.state(input(i)).dim(rows_axis()) == length);
      if (cut) pasts_[i] = first_rows(i, length);
    }
  }

  /// Sets states with this many rows, or only those of the first layer if `first_layer`.
  void set(int64_t batch, int64_t rows, bool first_layer, Draw& draw) {
    if (!first_layer) batch_ = batch;
    for (size_t i = 0; i < pasts_.size(); ++i) {
      if (first_layer && i >= 2) continue;
      pasts_[i] = decoder().random_state(i, batch_, rows, draw.seed());
      if (i < bound_) context_.set_state(input(i), pasts_[i]);
    }
  }

  /// Each sample continues with the rows of one of them.
  void reorder(int64_t batch, Draw& draw) {
    std::vector<int64_t> beams;
    for (int64_t b = 0; b < batch; ++b) beams.push_back(draw.below(batch_));
    for (size_t i = 0; i < pasts_.size(); ++i) {
      const Tensor before = i < bound_ ? context_.state(input(i)).clone() : pasts_[i];
      Shape shape = before.shape();
      shape[0] = batch;
      Tensor after(before.dtype(), shape);
      const size_t size = before.bytes() / size_t(batch_);
      for (size_t b = 0; b < beams.size(); ++b) {
        std::copy_n(bytes_of(before) + size_t(beams[b]) * size, size, bytes_of(after) + b * size);
      }
      if (i < bound_) context_.set_state(input(i), after);
      pasts_[i] = after;
    }
    batch_ = batch;
  }

  void reset() {
    context_.reset_states();
    pasts_ = initial_;
    batch_ = pasts_[0].dim(0);
  }

  void compare_states() {
    for (size_t i = 0; i < bound_; ++i) {
      const Tensor& state = context_.state(input(i));
      if (identical(state, pasts_[i])) continue;
      std::ostringstream text;
      text << "state " << i << " is " << describe(state) << ", should be " << describe(pasts_[i]);
      throw Wrong{text.str()};
    }
  }

  int64_t batch() const { return batch_; }
  int64_t length() const { return pasts_[0].dim(rows_axis()); }

 private:
  Chat(const Chat& other, Context context)
      : players_(other.players_),
        batch_(other.batch_),
        bound_(other.bound_),
        context_(std::move(context)),
        by_hand_(players_->plain),
        initial_(other.initial_),
        pasts_(other.pasts_),
        grown_(other.grown_) {}

  int rows_axis() const { return decoder().rows_axis(); }
  const Decoder& decoder() const { return players_->decoder; }
  const std::string& input(size_t state) const { return players_->model.inputs()[1 + state].name; }
  const std::string& output(size_t state) const { return players_->model.outputs()[1 + state].name; }
  int64_t length_of_shortest() const {
    int64_t length = pasts_[0].dim(rows_axis());
    for (size_t i = 0; i < Decoder::kGrowing; ++i) length = std::min(length, pasts_[i].dim(rows_axis()));
    return length;
  }

  Tensor first_rows(size_t state, int64_t rows) const {
    const Tensor& x = pasts_[state];
    Shape shape = x.shape();
    shape[rows_axis()] = rows;
    Tensor y(x.dtype(), shape);
    const auto lines = size_t(shape.elements(0, rows_axis()));
    for (size_t i = 0; i < lines; ++i) {
      std::copy_n(bytes_of(x) + i * (x.bytes() / lines), y.bytes() / lines, bytes_of(y) + i * (y.bytes() / lines));
    }
    return y;
  }

  void compare(std::span<const Tensor> got, std::span<const Tensor> expected) const {
    for (size_t i = 0; i < expected.size(); ++i) {
      if (i > 0 && i <= bound_) continue;
      if (identical(got[i], expected[i])) continue;
      std::ostringstream text;
      text << "output " << i << " at " << length() << " rows is " << describe(got[i]) << ", should be "
           << describe(expected[i]);
      throw Wrong{text.str()};
    }
  }

  const Players* players_;
  int64_t batch_;
  size_t bound_;
  Context context_, by_hand_;
  std::vector<Tensor> initial_, pasts_;
  bool grown_ = false;  // whether a run has made them longer
};

struct Counts {
  int64_t games = 0, wrong = 0, steps = 0, failed = 0;
};

class Game {
 public:
  Game(const Players& players, Draw& draw, Counts& counts) : players_(players), draw_(draw), counts_(counts) {
    const bool open = players.decoder.batch() < 0;
    open_batch_ = open;
    const int64_t batch = open ? 1 + draw.below(3) : players.decoder.batch();
    add(batch, draw.one_in(3) ? draw.below(6) : 0, draw.of<int64_t>({0, 1, 65, 200}));
    if (draw.one_in(2)) add(batch, 0, 0);
    lengths_ =
        draw.of<std::vector<int64_t>>({{1}, {1, 1, 1, 3}, {1, 2, 3, 5, 8}, {2, 4}, {1, 1, 5}, {3, 6, 7}, {0, 1, 2}});
  }

  void play() {
    const int64_t moves = 8 + draw_.below(16);
    for (int64_t i = 0; i < moves; ++i) {
      const size_t turn = size_t(draw_.below(int64_t(chats_.size())));
      log_ << "\n  " << turn << ": ";
      move(*chats_[turn]);
      if (draw_.one_in(3)) chats_[turn]->compare_states();
    }
    for (const auto& chat : chats_) chat->compare_states();
  }

  std::string log() const { return log_.str(); }

 private:
  void add(int64_t batch, int64_t past, int64_t capacity) {
    const size_t bound = draw_.one_in(6) ? 2 : players_.decoder.states();
    log_ << "\n  new context: batch " << batch << ", " << past << " rows, capacity " << capacity << ", " << bound
         << " states";
    chats_.push_back(std::make_unique<Chat>(players_, batch, past, capacity, bound, draw_));
  }

  int64_t new_batch(const Chat& chat) { return open_batch_ && draw_.one_in(2) ? 1 + draw_.below(4) : chat.batch(); }

  void move(Chat& chat) {
    const int64_t kind = draw_.below(20);
    if (kind == 0) return truncate(chat, draw_.below(chat.length() + 1));
    if (kind == 1) return truncate(chat, std::max<int64_t>(0, chat.length() - draw_.below(4)));
    if (kind == 2) return set(chat);
    if (kind == 3) return reorder(chat);
    if (kind == 4 && draw_.one_in(2)) {
      log_ << "reset";
      return chat.reset();
    }
    if (kind == 5 && chats_.size() < 4) {
      log_ << "fork";
      chats_.push_back(std::make_unique<Chat>(chat.fork()));
      return;
    }
    if (kind == 6) return steps(chat, draw_.of<int64_t>({1, 1, 2, 3}), 4 + draw_.below(8));
    if (kind == 7 && draw_.one_in(4)) return steps(chat, 70, 1);
    steps(chat, lengths_[size_t(draw_.below(int64_t(lengths_.size())))], 1);
  }

  void steps(Chat& chat, int64_t rows, int64_t count) {
    log_ << count << " steps of " << rows;
    const int64_t wrong_mask = draw_.one_in(30) ? draw_.of<int64_t>({-1, 1, 2}) : 0;
    if (wrong_mask != 0) log_ << " with a mask longer by " << wrong_mask;
    for (int64_t i = 0; i < count; ++i) chat.step(rows, draw_.seed(), std::max(wrong_mask, -chat.length()));
    counts_.steps += count;
  }

  void truncate(Chat& chat, int64_t length) {
    log_ << "truncate to " << length;
    chat.truncate(length);
  }

  void set(Chat& chat) {
    const int64_t rows = draw_.of<int64_t>({0, 1, 2, 4, 10, 19, 66, 300}), batch = new_batch(chat);
    const bool first_layer = draw_.one_in(6);
    log_ << "set to " << rows << " rows, batch " << batch << (first_layer ? ", first layer only" : "");
    chat.set(batch, rows, first_layer, draw_);
  }

  void reorder(Chat& chat) {
    const int64_t batch = new_batch(chat);
    log_ << "reorder, batch " << batch;
    chat.reorder(batch, draw_);
  }

  const Players& players_;
  Draw& draw_;
  Counts& counts_;
  bool open_batch_;
  std::vector<int64_t> lengths_;
  std::vector<std::unique_ptr<Chat>> chats_;
  std::ostringstream log_;
};

int run(int64_t games, int64_t first) {
  constexpr int64_t kPlayers = 16;  // models in use; games occasionally replace one
  Counts counts;
  std::map<int64_t, std::unique_ptr<Players>> all;
  for (int64_t i = first; i < first + games; ++i) {
    Draw draw{unsigned(i)};
    std::unique_ptr<Players>& players = all[draw.below(kPlayers)];
    if (!players || draw.one_in(12)) players = std::make_unique<Players>(new_players(draw));
    Game game(*players, draw, counts);
    ++counts.games;
    try {
      game.play();
    } catch (const Wrong& wrong) {
      ++counts.wrong;
      std::cout << "game " << i << ", " << players->name << ": " << wrong.what << game.log() << std::endl;
    }
  }
  std::cout << counts.games << " games, " << counts.steps << " steps, " << counts.wrong << " games wrong\n";
  return counts.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace linnet::testing

int main(int argc, char** argv) {
  const int64_t games = argc > 1 ? std::atoll(argv[1]) : 300, first = argc > 2 ? std::atoll(argv[2]) : 0;
  return linnet::testing::run(games, first);
}
