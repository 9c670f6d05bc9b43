#include <algorithm>

#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "text/regex.h"

namespace linnet {
namespace {

using Pieces = CountedVector<std::string_view>;

/// Returns the bytes of the UTF-8 character that begins with this one; 1 for a byte that begins no character.
size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

int64_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// The rules of Tokenizer's attributes for a single text.
struct TokenRule {
  enum class Kind { kCharacters, kSeparators, kTokens };

  Kind kind = Kind::kCharacters;
  std::vector<Regex> patterns;  ///< The patterns of separators, or the pattern of tokens.
  int64_t least = 1;            ///< The least characters of a token.

  void split(std::string_view text, Pieces& pieces, Checkpoints& checkpoints) const {
    if (kind == Kind::kCharacters) return split_characters(text, pieces, checkpoints);
    if (kind == Kind::kTokens) return find_tokens(text, pieces, checkpoints);
    Pieces row{text};
    for (const Regex& pattern : patterns) {
      Pieces next;
      for (const std::string_view piece : row) split_at(pattern, piece, next, checkpoints);
      row.swap(next);
    }
    pieces.insert(pieces.end(), row.begin(), row.end());
  }

 private:
  static constexpr int64_t kTokenWork = 32;

  static void split_characters(std::string_view text, Pieces& pieces, Checkpoints& checkpoints) {
    while (!text.empty()) {
      checkpoints.add(kTokenWork);
      pieces.push_back(text.substr(0, character_bytes(text.front())));
      text.remove_prefix(pieces.back().size());
    }
  }

  void keep(std::string_view token, Pieces& pieces) const {
    if (characters(token) >= least) pieces.push_back(token);
  }

  void split_at(const Regex& pattern, std::string_view text, Pieces& pieces, Checkpoints& checkpoints) const {
    size_t begin = 0;
    while (begin <= text.size()) {
      const auto found = pattern.find(text, begin, checkpoints);
      if (!found) break;
      const auto at = size_t(found->data() - text.data());
      keep(text.substr(begin, at - begin), pieces);
      begin = at + std::max<size_t>(1, found->size());  // An empty match also advances.
    }
    if (begin <= text.size()) keep(text.substr(begin), pieces);
  }

  void find_tokens(std::string_view text, Pieces& pieces, Checkpoints& checkpoints) const {
    for (size_t begin = 0; begin < text.size();) {
      const auto found = patterns.front().find(text, begin, checkpoints);
      if (!found) break;
      const auto at = size_t(found->data() - text.data());
      const bool long_enough = characters(*found) >= least;
      if (long_enough) pieces.push_back(*found);
      begin = at + (long_enough ? found->size() : at < text.size() ? character_bytes(text[at]) : 1);
    }
  }
};

class TokenizerKernel final : public Kernel {
 public:
  TokenizerKernel(const Shape& x, TokenRule rule, std::string padding, bool marks)
      : x_(x), rule_(std::move(rule)), padding_(std::move(padding)), marks_(marks) {}

  void run(KernelContext& context) const override {
    const std::string* x = context.input(0).data<std::string>();
    Pieces pieces;  // The pieces of all texts.
    CountedVector<size_t> ends;
    size_t most = 0;
    Checkpoints checkpoints;
    for (int64_t i = 0; i < x_.elements(); ++i) {
      const size_t begin = pieces.size();
      rule_.split(x[i], pieces, checkpoints);
      checkpoints.add(kTextWork + int64_t(x[i].size()));
      ends.push_back(pieces.size());
      most = std::max(most, pieces.size() - begin);
    }
    write(context, pieces, ends, int64_t(most), checkpoints);
  }

 private:
  static constexpr int64_t kTextWork = 32;
  static constexpr char kBegin = 2, kEnd = 3;  ///< The marks.

  void write(KernelContext& context, const Pieces& pieces, const CountedVector<size_t>& ends, int64_t most,
             Checkpoints& checkpoints) const {
    const int64_t columns = most > 0 && marks_ ? checked_add(most, 2) : most;
    Shape shape = x_;
    if (x_.elements() > 0) shape.push_back(columns);
    std::string* y = context.allocate_output(0, shape).data<std::string>();
    const auto write_text = [&](std::string_view text, std::string& cell) {
      count_text(text.size());
      cell = text;
      checkpoints.add(kTextWork + int64_t(text.size()) / 8);
    };
    size_t begin = 0;
    for (const size_t end : ends) {
      std::string* cell = y;
      if (columns > most) (cell++)->assign(1, kBegin);
      for (; begin < end; ++begin) write_text(pieces[begin], *cell++);
      if (columns > most) (cell++)->assign(1, kEnd);
      while (cell < y + columns) write_text(padding_, *cell++);
      y += columns;
    }
  }

  Shape x_;
  TokenRule rule_;
  std::string padding_;
  bool marks_;
};

/// Tokenizer: the tokens of each text, in rows padded with pad_value.
/// separators: RE2 expressions. Texts between their longest matches, one expression after the other, are tokens. A
/// single empty expression makes each character a token.
/// tokenexp, instead of separators: an RE2 expression. Its longest matches are tokens.
/// mincharnum: tokens of fewer characters are dropped.
/// mark: rows begin with the text "\x02", and "\x03" follows their last token.
/// X: string [C] or [N, C], UTF-8.
/// Y: string, X's shape with a last dim of the largest number of tokens; X's shape if X has no elements.
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Tokenizer
class Tokenizer final : public Op {
 public:
  explicit Tokenizer(const NodeSpec& node)
      : padding_(node.attr<std::string>("pad_value")), marks_(node.attr<int64_t>("mark") != 0) {
    rule_.least = node.attr<int64_t>("mincharnum");
    if (rule_.least < 1) throw Error(ErrorKind::kModel, str("mincharnum must be positive, got ", rule_.least));
    const auto separators = node.attr_or("separators", std::vector<std::string>());
    const std::string token = node.attr_or("tokenexp", "");
    if (separators.empty() == token.empty()) {
      throw Error(ErrorKind::kModel, "either separators or tokenexp must be given, and not be empty");
    }
    if (!token.empty()) {
      rule_.kind = TokenRule::Kind::kTokens;
      rule_.patterns.emplace_back(token, Regex::Prefers::kLongest);
    } else if (separators.size() > 1 || !separators.front().empty()) {
      rule_.kind = TokenRule::Kind::kSeparators;
      for (const std::string& pattern : separators) rule_.patterns.push_back(separator(pattern));
    } else if (rule_.least > 1) {
      throw Error(ErrorKind::kModel, str("mincharnum must be 1 where each character is a token, got ", rule_.least));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kString, "X");
    if (!in[0].has_rank()) return {Fact(DType::kString, std::nullopt)};
    if (in[0].rank() != 1 && in[0].rank() != 2) {
      throw Error(ErrorKind::kShape, str("X must have rank 1 or 2, got ", in[0]));
    }
    if (!in[0].concrete()) return {Fact(DType::kString, std::nullopt)};
    Dims dims = *in[0].dims;
    if (in[0].shape().elements() > 0) dims.emplace_back();
    return {Fact(DType::kString, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<TokenizerKernel>(in.shape(0), rule_, padding_, marks_);
  }

 private:
  static Regex separator(const std::string& pattern) {
    if (pattern.empty()) throw Error(ErrorKind::kModel, "an empty separator must be the only one");
    return Regex(pattern, Regex::Prefers::kLongest);
  }

  TokenRule rule_;
  std::string padding_;
  bool marks_;
};

}  // namespace

LINNET_REGISTER(tokenizer)(Registry& registry) {
  registry.add<Tokenizer>("Tokenizer", {.since = 1, .domain = kMicrosoft});
}

}  // namespace linnet
