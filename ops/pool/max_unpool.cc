#include <algorithm>
#include <cstring>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"

namespace linnet {
namespace {

/// The windows of one spatial axis.
struct UnpoolAxis {
  int64_t kernel, stride, pad_begin;
};

template <class T>
class MaxUnpoolKernel final : public Kernel {
 public:
  /// indexed: the shape that follows from the windows.
  MaxUnpoolKernel(const Shape& x, const Shape& indexed, const Shape& y, std::vector<UnpoolAxis> axes)
      : x_(x),
        indexed_(indexed),
        y_(y),
        axes_(std::move(axes)),
        elements_(indexed.elements()),
        y_elements_(y.elements()),
        window_(checked_mul(axes_.empty() ? 1 : axes_[0].kernel, y.elements(std::min(3, y.rank()), y.rank()))),
        whole_(indexed == y) {}

  void run(KernelContext& context) const override {
    const std::span<const T> x = context.input(0).values<T>();
    const int64_t* indices = context.input(1).data<int64_t>();
    Output y{context.output(0).data<T>(), context.output(0).size()};
    if (context.executor().workers() > 1 || x.empty()) {
      fill_tensor(Tensor::scalar(T()), context.output(0), context.executor());
      y.filled = y.size;
    }
    const bool whole = whole_ || count_in_output(indices, std::ssize(x));
    Checkpoints checkpoints;
    for (int64_t begin = 0, n = std::ssize(x); begin < n; begin += kBlock) {
      const int64_t count = std::min(kBlock, n - begin);
      // Writes zeros as far as the windows reach, so that elements are moved while the zeros are cached.
      y.fill(std::min(y.size, int64_t(double(begin + count) / double(n) * double(y.size)) + window_));
      whole ? move_whole(x.data() + begin, indices + begin, count, y)
            : move(x.data() + begin, indices + begin, count, y);
      checkpoints.add(count * kIndexWork);
    }
    y.fill(y.size);
  }

 private:
  static constexpr int64_t kIndexWork = 8;
  static constexpr int64_t kBlock = 512;  ///< elements whose zeros stay in the first-level cache

  struct Output {
    T* data;
    int64_t size, filled = 0;

    /// Writes zeros up to `end`.
    void fill(int64_t end) {
      if (end <= filled) return;
      std::memset(data + filled, 0, size_t(end - filled) * sizeof(T));
      filled = end;
    }
  };

  /// Whether indices count in the output. They do if all of them are then in the windows of their elements, or if not
  /// all are in the unpooled shape but all are in the output.
  bool count_in_output(const int64_t* indices, int64_t n) const {
    Checkpoints checkpoints;
    bool in_windows = true, fit = true, in_output = true;
    checkpoints.in_parts(n, kIndexWork, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        in_windows = in_windows && is_in_window(i, indices[i]);
        fit = fit && offset(indices[i]) >= 0;
        in_output = in_output && uint64_t(indices[i]) < uint64_t(y_elements_);
      }
    });
    return in_windows || (!fit && in_output);
  }

  /// Whether position `index` of the output is in the window of element i of x.
  bool is_in_window(int64_t i, int64_t index) const {
    if (index < 0 || index >= y_elements_) return false;
    for (int d = y_.rank(); d-- > 2; i /= x_[d], index /= y_[d]) {
      const UnpoolAxis& axis = axes_[size_t(d - 2)];
      const int64_t in_window = index % y_[d] - (checked_mul(i % x_[d], axis.stride) - axis.pad_begin);
      if (in_window < 0 || in_window >= axis.kernel) return false;
    }
    return i == index;
  }

  void move_whole(const T* x, const int64_t* indices, int64_t n, Output& y) const {
    T* const data = y.data;
    const auto filled = uint64_t(y.filled);
    int64_t i = 0;
    for (; i < n && uint64_t(indices[i]) < filled; ++i) data[indices[i]] = x[i];
    if (i == n) return;
    y.fill(y.size);
    const auto size = uint64_t(y.size);
    for (; i < n && uint64_t(indices[i]) < size; ++i) data[indices[i]] = x[i];
    if (i < n) move(x + i, indices + i, 1, y);  // throws the error
  }
  void move(const T* x, const int64_t* indices, int64_t n, Output& y) const {
    y.fill(y.size);
    for (int64_t i = 0; i < n; ++i) y.data[position(indices[i])] = x[i];
  }

  int64_t position(int64_t index) const {
    const int64_t found = offset(index);
    if (found >= 0) return found;
    throw Error(ErrorKind::kModel,
                str("index ", index, " is outside of the output ", y_, " (unpooled ", indexed_, ")"));
  }

  /// Returns the offset in the output of an index that counts in the unpooled shape, or -1 outside the output.
  int64_t offset(int64_t index) const {
    if (index < 0 || index >= elements_) return -1;
    int64_t rest = index, found = 0, pitch = 1;
    for (int d = y_.rank(); d-- > 0;) {
      const int64_t at = rest % indexed_[d];
      if (at >= y_[d]) return -1;
      found += at * pitch;
      pitch *= y_[d];
      rest /= indexed_[d];
    }
    return found;
  }

  Shape x_, indexed_, y_;
  std::vector<UnpoolAxis> axes_;
  int64_t elements_, y_elements_;
  int64_t window_;  ///< most elements from the first to the last element of a window
  bool whole_;      ///< whether indices count in the output
};

/// MaxUnpool: zeros, except for the elements of X, which are stored where MaxPool found them according to the indices.
/// Indices count in the flattened output.
/// With output_shape they may instead count in the unpooled tensor, whose shape kernel_shape, strides (1) and pads (0)
/// make of X's shape. That tensor is then cut or padded with zeros at the end of each axis. ONNX's backend case does
/// this; PyTorch and ONNX Runtime do not. Indices are read in this way if both hold:
/// - Read as positions in the output, not all are in the windows of their elements. Those that MaxPool returns for a
///   tensor of output_shape are.
/// - All are in the unpooled tensor.
/// X: float types [N, C, D1...]. I: int64, X's shape. output_shape: int64 [rank]. output: X's dtype.
/// Source: https://onnx.ai/onnx/operators/onnx__MaxUnpool.html
class MaxUnpool final : public Op {
 public:
  explicit MaxUnpool(const NodeSpec& node)
      : kernel_(node.attr<std::vector<int64_t>>("kernel_shape")),
        strides_(node.attr_or("strides", std::vector<int64_t>(kernel_.size(), 1))),
        pads_(node.attr_or("pads", std::vector<int64_t>(2 * kernel_.size(), 0))) {
    if (strides_.size() != kernel_.size() || pads_.size() != 2 * kernel_.size()) {
      throw Error(ErrorKind::kModel, str("strides must have ", kernel_.size(), " values and pads twice as many, got ",
                                         strides_.size(), " and ", pads_.size()));
    }
    const auto negative = [](int64_t value) { return value < 0; };
    for (const auto* list : {&kernel_, &strides_, &pads_}) {
      if (std::any_of(list->begin(), list->end(), negative)) {
        throw Error(ErrorKind::kModel, "kernel_shape, strides and pads must not be negative");
      }
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 3);
    require_floating(in[0], "X");
    require_dtype(in[1], DType::kInt64, "I");
    if (!in[0].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    require_rank(in[0], int(kernel_.size()) + 2, "X");
    if (!compatible(Fact(DType::kInt64, in[0].dims), in[1])) {
      throw Error(ErrorKind::kShape, str("I must have the shape of X ", in[0], ", got ", in[1]));
    }
    if (!has_input(in, 2)) return {Fact(in[0].dtype, unpooled(*in[0].dims))};
    const auto shape = determined_ints(in[2]);
    if (!shape) return {Fact(in[0].dtype, Dims(size_t(in[0].rank())))};
    return {Fact(in[0].dtype, given_shape(*shape, in[0]))};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const Shape indexed = Fact(in.dtype(0), unpooled(Dims(x.begin(), x.end()))).shape();
    std::vector<UnpoolAxis> axes;
    for (size_t i = 0; i < kernel_.size(); ++i) axes.push_back({kernel_[i], strides_[i], pads_[i]});
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<MaxUnpoolKernel<T>>(x, indexed, in.output_shape(0), axes);
    });
  }

  std::vector<int> value_inputs() const override { return {2}; }

 private:
  Dims unpooled(Dims dims) const {
    for (size_t i = 0; i < kernel_.size(); ++i) {
      Dim& dim = dims[i + 2];
      const Dim before = max(dim - 1, 0);
      dim =
          checked_add(checked_mul(before, strides_[i]), kernel_[i]) - checked_add(pads_[i], pads_[i + kernel_.size()]);
      if (dim.known() && dim.value() < 0) throw Error(ErrorKind::kShape, str("pads leave nothing of axis ", i + 2));
      learn_at_least(dim, 0);
    }
    return dims;
  }

  static Dims given_shape(const Dims& shape, const Fact& x) {
    if (int(shape.size()) != x.rank()) {
      throw Error(ErrorKind::kShape, str("output_shape must have ", x.rank(), " values, got ", shape.size()));
    }
    for (const Dim& dim : shape) {
      if (dim.known() && dim.value() < 0)
        throw Error(ErrorKind::kShape, str("output_shape must not be negative, got ", dim));
    }
    for (size_t i = 0; i < 2; ++i) merge_dim(x.dim(int(i)), shape[i], str("dim ", i, " of X and output_shape"));
    return shape;
  }

  std::vector<int64_t> kernel_, strides_, pads_;
};

}  // namespace

LINNET_REGISTER(max_unpool)(Registry& registry) { registry.add<MaxUnpool>("MaxUnpool", {.since = 9}); }

}  // namespace linnet
