#pragma once

#include <algorithm>
#include <array>

#include "elements/dispatch.h"
#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "rnn/input_product.h"
#include "rnn/recurrent_cell.h"

namespace linnet {

/// W, R, B and P of a recurrent node in the layout that its kernel reads. Constant ones are prepared once per model,
/// others in every run.
template <class T>
class RecurrentWeights {
 public:
  RecurrentWeights(const CompileInput& in, const RecurrentSizes& sizes, const RecurrentForm& form)
      : s_(sizes),
        form_(form),
        input_product_(product(in, checked_mul(sizes.steps, sizes.batch), sizes.gates, sizes.input)) {
    int64_t r_size = 0;
    for (const int64_t gates : form.parts) {
      parts_.push_back(product(in, sizes.batch, gates, sizes.hidden));
      offsets_.push_back(r_size);
      r_size = checked_add(r_size, parts_.back().packed_size());
    }
    sources_ = {source(in, RecurrentOp::kW, input_product_.packed_size(), &RecurrentWeights::pack_w),
                source(in, RecurrentOp::kR, r_size, &RecurrentWeights::pack_r),
                source(in, RecurrentOp::kB, checked_mul(sizes.gates + 1, sizes.hidden), &RecurrentWeights::add_biases),
                source(in, RecurrentOp::kPeepholes, checked_mul(3, sizes.hidden), &RecurrentWeights::copy_peepholes)};
  }

  /// The number of values in the memory that prepare() needs.
  int64_t values() const {
    int64_t total = 0;
    for (const Source& source : sources_) total = checked_add(total, source.values());
    return total;
  }

  /// Returns false for an input that is already prepared.
  bool reads(int input) const {
    return std::none_of(sources_.begin(), sources_.end(),
                        [&](const Source& source) { return source.input == input && source.constant; });
  }

  /// Sets the weights of the tracks. Weights that are not constant are prepared in `memory`.
  void prepare(KernelContext& context, T* memory, std::array<Track<T>, 2>& tracks) const {
    std::array<const T*, 4> ready{};
    for (size_t i = 0; i < sources_.size(); ++i) {
      const Source& source = sources_[i];
      ready[i] = source.constant ? source.constant.template data<T>() : nullptr;
      if (source.values() == 0) continue;
      for (int64_t d = 0; d < s_.directions; ++d) {
        (this->*source.make)(context.input(source.input).template data<T>(), d, memory + d * source.size);
      }
      ready[i] = memory;
      memory += source.values();
    }
    for (int64_t d = 0; d < s_.directions; ++d) {
      Track<T>& track = tracks[size_t(d)];
      track.w = ready[0] + d * sources_[0].size;
      track.r = ready[1] + d * sources_[1].size;
      track.bias = ready[2] + d * sources_[2].size;
      track.last_bias = track.bias + s_.gates * s_.hidden;
      track.peepholes = ready[3] ? ready[3] + d * sources_[3].size : nullptr;
    }
  }

  /// Computes x_gates of the track of the direction.
  void multiply_input(KernelContext& context, const T* x, const Track<T>& track, int64_t /*direction*/) const {
    input_product_.run(context, x, track.w, track.bias, track.x_gates, s_.gate_values());
  }

  /// Calls run(direction, product), where product(part, h, y) computes one part of R's products. Large products run one
  /// direction after the other, each in parallel. Otherwise the directions run in parallel.
  template <class Run>
  void each_direction(KernelContext& context, const std::array<Track<T>, 2>& tracks, Run run) const {
    const auto run_with = [&](int64_t d, auto compute) {
      run(d, [&](int part, const T* h, T* y) {
        compute(parts_[size_t(part)], h, tracks[size_t(d)].r + offsets_[size_t(part)], y);
      });
    };
    if (parts_[0].is_parallel()) {
      for (int64_t d = 0; d < s_.directions; ++d) {
        run_with(d, [&](const InputProduct<T>& linear, const T* h, const T* r, T* y) {
          linear.run(context, h, r, nullptr, y, s_.gate_values());
        });
      }
      return;
    }
    context.executor().parallel_for(s_.directions, [&](int64_t d, int worker) {
      run_with(d, [&](const InputProduct<T>& linear, const T* h, const T* r, T* y) {
        linear.run_alone(context.scratch(worker), h, r, nullptr, y, s_.gate_values());
      });
    });
  }

  size_t scratch_bytes() const {
    size_t bytes = input_product_.scratch_bytes();
    for (const InputProduct<T>& part : parts_) bytes = std::max(bytes, part.scratch_bytes());
    return bytes;
  }

 private:
  /// Prepares one direction of an input.
  using Make = void (RecurrentWeights::*)(const T* from, int64_t direction, T* to) const;

  /// An input with `size` prepared values for each direction.
  struct Source {
    int input = 0;
    int64_t size = 0;
    int64_t directions = 0;  ///< 0 if there is nothing to prepare in a run.
    Make make = nullptr;
    Tensor constant{};  ///< The prepared values if they are constant.

    int64_t values() const { return checked_mul(size, directions); }
  };

  InputProduct<T> product(const CompileInput& in, int64_t rows, int64_t gates, int64_t depth) const {
    return InputProduct<T>(kernels_for<GemmKernels<GemmReal<T>>>(in.isa()), rows, checked_mul(gates, s_.hidden), depth);
  }

  Source source(const CompileInput& in, int input, int64_t size, Make make) const {
    const Shape shape{s_.directions, size};
    if (!in.has(input)) return {input, size, 0, make, input == RecurrentOp::kB ? zeros(shape) : Tensor()};
    const Tensor* constant = in.constant(input);
    if (!constant) return {input, size, s_.directions, make};
    const PackedForm form{
        "recurrent", {input, s_.directions, size, s_.gates, int64_t(form_.parts.size()), form_.separate_last_bias}};
    return {input, size, 0, make, in.packed(*constant, form, [&] {
              Tensor result = in.packed_memory(dtype_of<T>, shape);
              for (int64_t d = 0; d < s_.directions; ++d) {
                (this->*make)(constant->data<T>(), d, result.data<T>() + d * size);
              }
              return result;
            })};
  }

  static Tensor zeros(const Shape& shape) {
    Tensor result(dtype_of<T>, shape);
    std::fill_n(result.data<T>(), result.size(), T(0));
    return result;
  }

  void pack_w(const T* w, int64_t d, T* to) const { input_product_.pack(w + d * s_.gates * s_.hidden * s_.input, to); }

  void pack_r(const T* r, int64_t d, T* to) const {
    r += d * s_.gates * s_.hidden * s_.hidden;
    for (size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].pack(r, to + offsets_[i]);
      r += form_.parts[i] * s_.hidden * s_.hidden;
    }
  }

  /// Writes the sums of both biases of each gate, then the recurrent bias of the last gate, which is left out of the
  /// sum if separate.
  void add_biases(const T* b, int64_t d, T* to) const {
    const int64_t n = s_.gates * s_.hidden, last = n - s_.hidden;
    const T* input = b + d * 2 * n;
    const T* recurrent = input + n;
    for (int64_t i = 0; i < n; ++i) {
      to[i] = input[i] + (form_.separate_last_bias && i >= last ? T(0) : recurrent[i]);
    }
    std::copy(recurrent + last, recurrent + n, to + n);
  }

  void copy_peepholes(const T* p, int64_t d, T* to) const {
    const int64_t n = 3 * s_.hidden;
    std::copy(p + d * n, p + (d + 1) * n, to);
  }

  RecurrentSizes s_;
  RecurrentForm form_;
  InputProduct<T> input_product_;
  std::vector<InputProduct<T>> parts_;
  std::vector<int64_t> offsets_;
  std::array<Source, 4> sources_;
};

}  // namespace linnet
