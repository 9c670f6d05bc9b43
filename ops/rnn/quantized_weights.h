#pragma once

#include <algorithm>
#include <array>

#include "rnn/recurrent_cell.h"
#include "rnn/rounded_linear.h"

namespace linnet {

/// The additional inputs of an LSTM with quantised weights.
struct QuantizedLstm {
  enum { kWScale = RecurrentOp::kPeepholes + 1, kWZero, kRScale, kRZero, kCount };
};

/// Implements the interface of RecurrentWeights for the quantised W and R of QuantizedLstm. Supports cells of one part.
template <class Type>
class QuantizedWeights {
 public:
  QuantizedWeights(const CompileInput& in, const RecurrentSizes& sizes, const RecurrentForm&)
      : s_(sizes),
        w_(in, {RecurrentOp::kW, QuantizedLstm::kWScale, QuantizedLstm::kWZero}, checked_mul(sizes.steps, sizes.batch)),
        r_(in, {RecurrentOp::kR, QuantizedLstm::kRScale, QuantizedLstm::kRZero}, sizes.batch),
        has_bias_(in.has(RecurrentOp::kB)),
        has_peepholes_(in.has(RecurrentOp::kPeepholes)) {}

  /// The number of values of the biases.
  int64_t values() const { return has_bias_ ? checked_mul(s_.directions, s_.gate_values()) : 0; }
  bool reads(int input) const {
    return input == RecurrentOp::kW ? !w_.packed() : input == RecurrentOp::kR ? !r_.packed() : true;
  }
  size_t scratch_bytes() const { return std::max(w_.scratch_bytes(), r_.scratch_bytes()); }

  void prepare(KernelContext& context, float* memory, std::array<Track<float>, 2>& tracks) const {
    const int64_t n = s_.gate_values();
    for (int64_t d = 0; d < s_.directions; ++d) {
      Track<float>& track = tracks[size_t(d)];
      if (has_peepholes_) {
        track.peepholes = context.input(RecurrentOp::kPeepholes).template data<float>() + d * 3 * s_.hidden;
      }
      if (!has_bias_) continue;
      const float* both = context.input(RecurrentOp::kB).template data<float>() + d * 2 * n;
      track.bias = std::copy(both, both + n, memory + d * n) - n;
      add_to(memory + d * n, both + n, n);
    }
  }

  void multiply_input(KernelContext& context, const float* x, const Track<float>& track, int64_t direction) const {
    w_.run(context, direction, x, track.bias, track.x_gates);
  }

  /// Runs one direction after the other, each product in parallel.
  template <class Run>
  void each_direction(KernelContext& context, const std::array<Track<float>, 2>&, Run run) const {
    for (int64_t d = 0; d < s_.directions; ++d) {
      run(d, [&](int, const float* h, float* y) { r_.run(context, d, h, nullptr, y); });
    }
  }

 private:
  RecurrentSizes s_;
  RoundedLinear<Type> w_, r_;
  bool has_bias_, has_peepholes_;
};

}  // namespace linnet
