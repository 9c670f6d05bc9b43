#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "gemm/fused_activation.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/normalize.h"
#include "kernels/number_cast.h"
#include "kernels/unary.h"
#include "normalization/channel_normalization.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

/// The tensor as [n, channels, spatial]; channels-last tensors as [n, channels] with spatial 1.
struct Geometry {
  int64_t n, channels, spatial;
};

struct Training {
  bool on = false;
  float momentum = 0;
  /// Whether each of the outputs running mean, running variance, mean and variance is present.
  std::array<bool, 4> outputs{};
};

/// The most channels that are processed together.
constexpr int64_t kColumns = ColumnMoments<float>::kMostColumns;

/// One value for each of up to kColumns channels.
using Column = std::array<double, kColumns>;

/// Reads and writes float64 values of float tensors.
struct Values {
  const NumberCastKernels& casts;

  /// Returns `count` values of a tensor from `first` on. They are in the buffer if it has another dtype.
  const double* at(const Tensor& tensor, int64_t first, int64_t count, Column& buffer) const {
    if (tensor.dtype() == DType::kFloat64) return tensor.data<double>() + first;
    casts.f64_of_f32(tensor.data<float>() + first, buffer.data(), count);
    return buffer.data();
  }
  void write(const double* values, float* to, int64_t count) const { casts.f32_of_f64(values, to, count); }
  void write(const double* values, double* to, int64_t count) const { std::copy_n(values, count, to); }
};

/// The moments of up to kColumns channels.
struct Columns {
  Column means, variances;
};

/// scale, B, mean and variance.
using Inputs = std::array<const Tensor*, 4>;

/// The parameters of every channel: y = (x - mean) * factor + bias.
template <class T>
struct Parameters {
  T *mean, *factor, *bias;

  Parameters(T* memory, int64_t channels) : mean(memory), factor(mean + channels), bias(factor + channels) {}

  /// Sets those of channels [first, first + count).
  void set(int64_t first, int64_t count, const double* means, const double* variances, const Tensor& scale,
           const Tensor& shift, double epsilon, const NormalizeKernels& kernels, const Values& values) const {
    Column buffer;
    set_factors(kernels, values.at(scale, first, count, buffer), variances, epsilon, factor + first, count);
    values.write(means, mean + first, count);
    values.write(values.at(shift, first, count, buffer), bias + first, count);
  }
  void set_all(const Inputs& in, int64_t channels, double epsilon, const NormalizeKernels& kernels,
               const Values& values) const {
    Column means, variances;
    for (int64_t c = 0; c < channels; c += kColumns) {
      const int64_t count = std::min(kColumns, channels - c);
      set(c, count, values.at(*in[2], c, count, means), values.at(*in[3], c, count, variances), *in[0], *in[1], epsilon,
          kernels, values);
    }
  }
};

template <class T>
class BatchNormalizationKernel final : public Kernel {
 public:
  BatchNormalizationKernel(const Geometry& geometry, float epsilon, const Training& training, UnaryForm activation,
                           float alpha, float beta, const CompileInput& in)
      : g_(geometry),
        epsilon_(epsilon),
        training_(training),
        kernels_(kernels_for<NormalizeKernels>(in.isa())),
        values_{kernels_for<NumberCastKernels>(in.isa())},
        activation_(activation),
        alpha_(alpha),
        beta_(beta) {
    const Inputs inputs{in.constant(1), in.constant(2), in.constant(3), in.constant(4)};
    if (training_.on || std::ranges::count(inputs, nullptr) > 0) return;
    constants_ = in.packed_memory(in.dtype(0), Shape{3, g_.channels});
    Parameters<T>(constants_.data<T>(), g_.channels).set_all(inputs, g_.channels, double(epsilon_), kernels_, values_);
  }

  void run(KernelContext& context) const override {
    const T* x = context.input(0).template data<T>();
    T* y = context.output(0).template data<T>();
    if (training_.on && g_.n > 0 && g_.spatial >= kShortRow) return train_and_normalize(context, x, y);
    const Parameters<const T> p(prepare(context, x), g_.channels);
    if (context.input(0).size() == 0) return;
    g_.spatial == 1 ? run_channels_last(context, x, y, p) : run_channels(context, x, y, p);
  }
  int in_place(int output) const override { return output == 0 && !training_.on ? 0 : -1; }
  bool reads(int input) const override { return input == 0 || !constants_; }
  /// The bytes of the parameters, which are in the first worker's scratch.
  size_t scratch_bytes() const override { return constants_ ? 0 : 3 * size_t(g_.channels) * sizeof(T); }

 private:
  /// Returns the parameters, which it computes unless they are constant.
  const T* prepare(KernelContext& context, const T* x) const {
    if (constants_) return constants_.data<T>();
    auto* memory = reinterpret_cast<T*>(context.scratch());
    const Parameters<T> p(memory, g_.channels);
    const Inputs in{&context.input(1), &context.input(2), &context.input(3), &context.input(4)};
    training_.on ? train(context, x, p) : p.set_all(in, g_.channels, double(epsilon_), kernels_, values_);
    return memory;
  }

  static constexpr int64_t kShortRow = 8;

  int64_t channel_elements() const { return checked_mul(g_.n, g_.spatial); }

  /// Sets the parameters to the moments over the batch.
  void train(KernelContext& context, const T* x, const Parameters<T>& p) const {
    const int64_t width = columns_together(context.executor().workers()), blocks = ceil_div(g_.channels, width);
    const int64_t elements = checked_mul(channel_elements(), width);
    parallel_items(context.executor(), blocks, elements, [&](int64_t block, int64_t end, int) {
      Checkpoints checkpoints;
      for (; block < end; ++block) {
        const int64_t c = block * width, count = std::min(width, g_.channels - c);
        Columns columns;
        add_columns(x + c * g_.spatial, count, columns, checkpoints);
        finish(context, c, count, columns, p);
      }
    });
  }

  /// The number of channels with short rows that a worker reads together. Wide parts of memory are read faster.
  int64_t columns_together(int workers) const {
    constexpr int64_t kLeast = 64;
    const int64_t most = kColumns / std::max<int64_t>(1, g_.spatial);
    return std::clamp<int64_t>(ceil_div(g_.channels, workers), std::min(kLeast, most), most);
  }

  /// The number of channels with long rows that stay in the cache together.
  int64_t channels_together() const {
    constexpr int64_t kElements = 32 * 1024;
    return std::clamp<int64_t>(kElements / std::max<int64_t>(1, channel_elements()), 1, kColumns);
  }

  /// The same as train() for long rows, and normalises channels while they are in the cache.
  void train_and_normalize(KernelContext& context, const T* x, T* y) const {
    const Parameters<T> p(reinterpret_cast<T*>(context.scratch()), g_.channels);
    const int64_t together = channels_together();
    parallel_items(context.executor(), g_.channels, channel_elements(), [&](int64_t c, int64_t end, int) {
      Checkpoints checkpoints;
      for (int64_t count; c < end; c += count) {
        count = std::min(together, end - c);
        Columns batch;
        for (int64_t i = 0; i < count; ++i) {
          const Moments<double> one = moments_of_channel(x, c + i, checkpoints);
          batch.means[size_t(i)] = one.mean;
          batch.variances[size_t(i)] = one.variance;
        }
        finish(context, c, count, batch, p);
        for (int64_t i = c; i < c + count; ++i) normalize_batch(x, y, i, p, checkpoints);
      }
    });
  }

  /// Normalises one channel of all instances.
  void normalize_batch(const T* x, T* y, int64_t c, const Parameters<T>& p, Checkpoints& checkpoints) const {
    for (int64_t n = 0; n < g_.n; ++n, checkpoints.add(g_.spatial)) {
      normalize_channel(kernels_, row(x, n, c), y + (row(x, n, c) - x), g_.spatial, p.mean[c], p.factor[c], p.bias[c]);
    }
  }

  double count() const { return double(g_.n) * double(g_.spatial); }
  const T* row(const T* x, int64_t n, int64_t c) const { return x + (n * g_.channels + c) * g_.spatial; }

  /// The moments of a channel, from those of its rows, which have the same number of elements.
  /// Source: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
  /// Variances", 1979.
  Moments<double> moments_of_channel(const T* x, int64_t c, Checkpoints& checkpoints) const {
    Moments<double> all{};
    for (int64_t n = 0; n < g_.n; ++n, checkpoints.add(g_.spatial)) {
      const Moments<T> row_moments = moments(kernels_, row(x, n, c), g_.spatial);
      const Moments<double> one{row_moments.mean, row_moments.variance};
      const double part = 1 / double(n + 1), distance = one.mean - all.mean;
      all.mean += distance * part;
      all.variance += ((one.variance - all.variance) + distance * distance * (1 - part)) * part;
    }
    return all;
  }

  /// Computes the moments of `channels` channels whose rows are too short for lanes. x points to the first row of the
  /// first of them. The elements of an instance are columns, whose moments are joined for each channel.
  void add_columns(const T* x, int64_t channels, Columns& columns, Checkpoints& checkpoints) const {
    constexpr int64_t kRows = ColumnMoments<T>::kBlockRows;
    const int64_t width = channels * g_.spatial, pitch = g_.channels * g_.spatial;
    auto& [means, squares] = columns;
    std::fill_n(means.begin(), std::max(width, channels), count() > 0 ? 0 : std::numeric_limits<double>::quiet_NaN());
    std::fill_n(squares.begin(), std::max(width, channels), 0.0);
    for (int64_t n = 0; width > 0 && n < g_.n; n += kRows) {
      const int64_t rows = std::min(kRows, g_.n - n);
      column_moments().add(x + n * pitch, rows, pitch, width, n, means.data(), squares.data());
      checkpoints.add(rows * width);
    }
    if (g_.spatial > 1) join_columns(channels, columns);
    const double per_element = 1 / count();
    double* variances = squares.data();
    for (int64_t c = 0; c < channels; ++c) variances[c] *= per_element;
  }

  /// Joins the means and the sums of squared distances of a channel's pixels, where those of earlier channels were.
  void join_columns(int64_t channels, Columns& columns) const {
    const double per_column = 1 / double(g_.spatial);
    const double *of_channel = columns.means.data(), *distances = columns.variances.data();
    for (int64_t c = 0; c < channels; ++c, of_channel += g_.spatial, distances += g_.spatial) {
      const double mean = std::accumulate(of_channel, of_channel + g_.spatial, 0.0) * per_column;
      double sum = 0;
      for (int64_t i = 0; i < g_.spatial; ++i) {
        const double distance = of_channel[i] - mean;
        sum += distances[i] + distance * distance * double(g_.n);
      }
      columns.means[size_t(c)] = mean;
      columns.variances[size_t(c)] = sum;
    }
  }

  const ColumnMoments<T>& column_moments() const {
    if constexpr (std::is_same_v<T, float>)
      return kernels_.float_columns;
    else
      return kernels_.double_columns;
  }

  /// Writes the running moments to outputs 1 and 2 and those of the batch to outputs 3 and 4, and sets the parameters.
  void finish(KernelContext& context, int64_t first, int64_t count, const Columns& batch,
              const Parameters<T>& p) const {
    p.set(first, count, batch.means.data(), batch.variances.data(), context.input(1), context.input(2),
          double(epsilon_), kernels_, values_);
    for (size_t i = 0; i < training_.outputs.size(); ++i) {
      if (!training_.outputs[i]) continue;
      const Column& of_batch = i % 2 == 0 ? batch.means : batch.variances;
      const double* values = of_batch.data();
      Column running;
      if (i < 2) {
        const double* before = values_.at(context.input(int(i) + 3), first, count, running);
        kernels_.blend(before, values, double(training_.momentum), running.data(), count);
        values = running.data();
      }
      Tensor& output = context.output(int(i) + 1);
      dispatch_float(output.dtype(), [&]<class P>() { values_.write(values, output.data<P>() + first, count); });
    }
  }

  void run_channels(KernelContext& context, const T* x, T* y, const Parameters<const T>& p) const {
    parallel_items(context.executor(), g_.n * g_.channels, g_.spatial, [&](int64_t row, int64_t end, int) {
      for (; row < end; ++row) {
        const int64_t c = row % g_.channels;
        normalize_channel(kernels_, x + row * g_.spatial, y + row * g_.spatial, g_.spatial, p.mean[c], p.factor[c],
                          p.bias[c]);
      }
    });
  }

  void run_channels_last(KernelContext& context, const T* x, T* y, const Parameters<const T>& p) const {
    parallel_items(context.executor(), g_.n, g_.channels, [&](int64_t row, int64_t end, int) {
      const int64_t n = g_.channels, offset = row * n, rows = end - row;
      if constexpr (std::is_same_v<T, float>) {
        kernels_.normalize_channels_last(x + offset, y + offset, rows, n, p.mean, p.factor, p.bias);
        if (activation_) activation_(y + offset, y + offset, rows * n, alpha_, beta_);
      } else {
        kernels_.doubles.normalize_channels_last(x + offset, y + offset, rows, n, p.mean, p.factor, p.bias);
      }
    });
  }

  Geometry g_;
  float epsilon_;
  Training training_;
  const NormalizeKernels& kernels_;
  Values values_;
  UnaryForm activation_;
  float alpha_, beta_;
  Tensor constants_;  ///< The parameters if they are constant, else empty.
};

/// BatchNormalization: y = scale (x - mean) / sqrt(var + epsilon) + B for every channel.
/// x, y: float16/bfloat16/float/double [N,C,...] or [N] (one channel).
/// scale, B, mean, var: floats [C].
/// epsilon: 1e-5.
/// training_mode (from opset 14 on): mean and variance are those of x. The outputs running_mean and running_var are
/// momentum * input + (1 - momentum) * that of x, with a momentum of 0.9 by default. Before opset 14, a node with
/// outputs mean, var, saved_mean, saved_var is in training mode; these are running_mean, running_var and the mean and
/// variance of x.
/// spatial 0 (before opset 9): every element of an instance is a channel.
/// In domain "linnet", on float32: x is [N,...,C], and the attribute activation with alpha and beta (activation_alpha,
/// activation_beta) is applied to y.
/// Source: https://onnx.ai/onnx/operators/onnx__BatchNormalization.html
class BatchNormalization final : public Op {
 public:
  explicit BatchNormalization(const NodeSpec& node)
      : channels_last_(node.domain == kInternalDomain),
        flat_(node.opset < 9 && !node.attr_or("spatial", true)),
        epsilon_(node.attr_or("epsilon", 1e-5f)),
        training_{is_training(node), node.attr_or("momentum", 0.9f)},
        activation_(node),
        num_outputs_(node.num_outputs) {
    if (num_outputs_ > 1 && !training_.on) {
      throw Error(ErrorKind::kModel,
                  "outputs other than Y are those of training mode, which the attributes switch off");
    }
    const int most = node.opset >= 14 ? 3 : 5;
    if (num_outputs_ > most)
      throw Error(ErrorKind::kModel, str("expected at most ", most, " outputs, got ", num_outputs_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 5, 5);
    require_floating(in[0], "input");
    require_rank_at_least(in[0], 1, "input");
    if (channels_last_) require_dtype(in[0], DType::kFloat32, "input");
    for (size_t i = 1; i < 5; ++i) {
      require_floating(in[i], "scale, bias, mean and variance");
      if (!flat_) require_rank(in[i], 1, "scale, bias, mean and variance");
      if (!flat_ && in[i].has_rank() && in[0].has_rank()) {
        merge_dim(channels(in[0]), in[i].dim(0), "the channels and the sizes of scale, bias, mean and variance");
      }
    }
    std::vector<Fact> out = same_as(in[0]);
    for (int i = 1; i < num_outputs_; ++i) out.push_back(same_as(in[i % 2 == 1 ? 3 : 4])[0]);
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Geometry geometry = this->geometry(in.shape(0));
    for (int i = 1; flat_ && i < 5; ++i) {
      if (in.shape(i).elements() != geometry.channels) {
        throw Error(ErrorKind::kShape, str("parameters must have ", geometry.channels, " elements, got ", in.fact(i)));
      }
    }
    Training training = training_;
    for (int i = 0; i < 4; ++i) training.outputs[size_t(i)] = in.has_output(i + 1);
    const UnaryForm activation =
        activation_.function ? kernels_for<UnaryKernels>(in.isa()).*activation_.function->kernel : nullptr;
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<BatchNormalizationKernel<T>>(geometry, epsilon_, training, activation, activation_.alpha,
                                                           activation_.beta, in);
    });
  }

 private:
  static bool is_training(const NodeSpec& node) {
    if (node.domain == kInternalDomain || node.opset >= 14) return node.attr_or("training_mode", false);
    return node.num_outputs > 1 && !(node.opset < 7 && node.attr_or("is_test", false));
  }

  Dim channels(const Fact& x) const {
    if (channels_last_) return x.dim(x.rank() - 1);
    return x.rank() == 1 ? Dim(1) : x.dim(1);
  }

  Geometry geometry(const Shape& x) const {
    const int rank = x.rank();
    if (channels_last_) return {x.elements(0, rank - 1), x[rank - 1], 1};
    if (flat_) return {x[0], x.elements(1, rank), 1};
    return {x[0], rank == 1 ? 1 : x[1], rank <= 2 ? 1 : x.elements(2, rank)};
  }

  bool channels_last_;
  bool flat_;
  float epsilon_;
  Training training_;
  FusedActivation activation_;
  int num_outputs_;
};

}  // namespace

LINNET_REGISTER(batch_normalization)(Registry& registry) {
  registry.add<BatchNormalization>("BatchNormalization");
  registry.add<BatchNormalization>("BatchNormalization", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
