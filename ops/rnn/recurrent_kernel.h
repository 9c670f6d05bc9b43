#pragma once

#include <algorithm>
#include <array>

#include "elements/dispatch.h"
#include "partition/checkpoints.h"
#include "rnn/input_product.h"
#include "rnn/recurrent_cell.h"
#include "rnn/recurrent_weights.h"

namespace linnet {

/// Runs a cell over time, for elements of type T. All input products are computed first, as one product. Then every
/// step adds the products with the hidden state.
/// Cell has `void step(const Track<C>&, const RecurrentSizes&, const StepTimes&, product)`, where product(part, h, y)
/// computes one part of R's products for the whole batch.
/// Weights: RecurrentWeights, or a class with its interface.
template <class T, class Cell, class Weights = RecurrentWeights<T>>
class RecurrentKernel final : public Kernel {
 public:
  /// cells, reverse: one element for each direction.
  RecurrentKernel(const CompileInput& in, const RecurrentSizes& sizes, const RecurrentForm& form,
                  std::vector<Cell> cells, std::vector<bool> reverse)
      : s_(sizes),
        form_(form),
        cells_(std::move(cells)),
        reverse_(std::move(reverse)),
        track_(sizes),
        weights_(in, sizes, form),
        has_lengths_(in.has(RecurrentOp::kSequenceLens)),
        has_y_(in.has_output(0)),
        has_h_(in.has_output(1)),
        has_c_(in.has_output(2)) {}

  std::unique_ptr<KernelState> make_state() const override {
    return std::make_unique<State>(Tensor(dtype_of<T>, Shape{state_values()}));
  }
  size_t state_bytes() const override { return dtype_bytes(dtype_of<T>, state_values()); }
  size_t scratch_bytes() const override { return weights_.scratch_bytes(); }
  bool reads(int input) const override { return weights_.reads(input); }

  void run(KernelContext& context) const override {
    const int32_t* lengths = check_lengths(context);
    T* memory = static_cast<State*>(context.state())->memory.template data<T>();
    std::array<Track<T>, 2> tracks = place_tracks(context, memory);
    const T* x = context.input(RecurrentOp::kX).template data<T>();
    for (int64_t d = 0; d < s_.directions; ++d) {
      const Track<T>& track = tracks[size_t(d)];
      weights_.multiply_input(context, x, track, d);
      load_states(context, track, d);
    }
    if (lengths && has_y_) std::fill_n(context.output(0).template data<T>(), context.output(0).size(), T(0.0f));
    weights_.each_direction(context, tracks, [&](int64_t d, const auto& product) {
      run_steps(context, tracks[size_t(d)], d, lengths, product);
    });
    for (int64_t d = 0; d < s_.directions; ++d) {
      if (has_h_) store_state(tracks[size_t(d)].h, context.output(1), d);
      if (has_c_) store_state(tracks[size_t(d)].c, context.output(2), d);
    }
  }

 private:
  static constexpr int64_t kStepWork = 64;  // The work of the gates of a hidden value.

  struct State final : KernelState {
    explicit State(Tensor m) : memory(std::move(m)) {}
    Tensor memory;
  };

  int64_t state_values() const { return checked_add(weights_.values(), checked_mul(s_.directions, track_.total())); }

  std::array<Track<T>, 2> place_tracks(KernelContext& context, T* memory) const {
    std::array<Track<T>, 2> tracks;
    weights_.prepare(context, memory, tracks);
    T* next = memory + weights_.values();
    for (int64_t d = 0; d < s_.directions; ++d, next += track_.total()) {
      Track<T>& track = tracks[size_t(d)];
      track.x_gates = next;
      track.gates = track.x_gates + track_.x_gates;
      track.h = track.gates + track_.gates;
      track.c = track.h + track_.state;
      track.extra = track.c + track_.state;
    }
    return tracks;
  }

  const int32_t* check_lengths(KernelContext& context) const {
    if (!has_lengths_) return nullptr;
    const int32_t* lengths = context.input(RecurrentOp::kSequenceLens).data<int32_t>();
    for (int64_t b = 0; b < s_.batch; ++b) {
      if (lengths[b] < 0 || lengths[b] > s_.steps) {
        throw Error(ErrorKind::kShape,
                    str("sequence_lens must be in [0, ", s_.steps, "], got ", lengths[b], " at position ", b));
      }
    }
    return lengths;
  }

  void load_states(KernelContext& context, const Track<T>& track, int64_t direction) const {
    std::fill_n(track.extra, track_.state, T(0));
    load_state(context.input(RecurrentOp::kInitialH), track.h, direction);
    if (form_.has_cell_state) load_state(context.input(RecurrentOp::kInitialC), track.c, direction);
  }

  void load_state(const Tensor& from, T* to, int64_t direction) const {
    std::fill_n(to, track_.state, T(0));
    for (int64_t b = 0; from && b < s_.batch; ++b) {
      const T* row = from.data<T>() + s_.state_row(direction, b) * s_.hidden;
      std::copy(row, row + s_.hidden, to + b * s_.hidden);
    }
  }

  void store_row(const T* from, T* to) const { std::copy(from, from + s_.hidden, to); }

  void store_state(const T* from, Tensor& to, int64_t direction) const {
    for (int64_t b = 0; b < s_.batch; ++b) {
      store_row(from + b * s_.hidden, to.data<T>() + s_.state_row(direction, b) * s_.hidden);
    }
  }

  template <class Product>
  void run_steps(KernelContext& context, const Track<T>& track, int64_t d, const int32_t* lengths,
                 const Product& product) const {
    Checkpoints checkpoints;
    T* y = has_y_ ? context.output(0).template data<T>() : nullptr;
    for (int64_t step = 0; step < s_.steps; ++step) {
      const StepTimes times{lengths, s_.steps, step, reverse_[size_t(d)]};
      cells_[size_t(d)].step(track, s_, times, product);
      checkpoints.add(s_.batch * s_.hidden * (s_.hidden + kStepWork));
      for (int64_t b = 0; y && b < s_.batch; ++b) {
        const int64_t time = times(b);
        if (time >= 0) store_row(track.h + b * s_.hidden, y + s_.y_row(time, d, b) * s_.hidden);
      }
    }
  }

  RecurrentSizes s_;
  RecurrentForm form_;
  std::vector<Cell> cells_;
  std::vector<bool> reverse_;
  TrackValues track_;
  Weights weights_;
  bool has_lengths_, has_y_, has_h_, has_c_;
};

}  // namespace linnet
