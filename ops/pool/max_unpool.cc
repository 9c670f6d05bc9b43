#include <algorithm>
#include <cstring>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/checkpoints.h"
#include "tensor/copy.h"

namespace linnet {
namespace {

template <class T>
class MaxUnpoolKernel final : public Kernel {
 public:
  /// `indexed` is the shape that the indices refer to, `rows` the length of the windows along the first spatial axis.
  MaxUnpoolKernel(const Shape& indexed, const Shape& y, int64_t rows)
      : indexed_(indexed),
        y_(y),
        elements_(indexed.elements()),
        window_(checked_mul(rows, y.elements(std::min(3, y.rank()), y.rank()))),
        whole_(indexed == y) {}

  void run(KernelContext& context) const override {
    const std::span<const T> x = context.input(0).values<T>();
    const int64_t* indices = context.input(1).data<int64_t>();
    Output y{context.output(0).data<T>(), context.output(0).size()};
    if (context.executor().workers() > 1 || x.empty()) {
      fill_tensor(Tensor::scalar(T()), context.output(0), context.executor());
      y.filled = y.size;
    }
    Checkpoints checkpoints;
    for (int64_t begin = 0, n = std::ssize(x); begin < n; begin += kBlock) {
      const int64_t count = std::min(kBlock, n - begin);
      // As far as the windows lie, so that elements are moved while the zeros are in a cache.
      y.fill(std::min(y.size, int64_t(double(begin + count) / double(n) * double(y.size)) + window_));
      whole_ ? move_whole(x.data() + begin, indices + begin, count, y)
             : move(x.data() + begin, indices + begin, count, y);
      checkpoints.add(count * kIndexWork);
    }
    y.fill(y.size);
  }

 private:
  static constexpr int64_t kIndexWork = 8;
  static constexpr int64_t kBlock = 512;  ///< elements, whose zeros stay in the first-level cache

  struct Output {
    T* data;
    int64_t size, filled = 0;

    /// With zeros up to `end`.
    void fill(int64_t end) {
      if (end <= filled) return;
      std::memset(data + filled, 0, size_t(end - filled) * sizeof(T));
      filled = end;
    }
  };

  void move_whole(const T* x, const int64_t* indices, int64_t n, Output& y) const {
    T* const data = y.data;
    const auto filled = uint64_t(y.filled);
    int64_t i = 0;
    for (; i < n && uint64_t(indices[i]) < filled; ++i) data[indices[i]] = x[i];
    if (i == n) return;
    y.fill(y.size);
    const auto size = uint64_t(y.size);
    for (; i < n && uint64_t(indices[i]) < size; ++i) data[indices[i]] = x[i];
    if (i < n) move(x + i, indices + i, 1, y);  // which says what is wrong
  }
  void move(const T* x, const int64_t* indices, int64_t n, Output& y) const {
    y.fill(y.size);
    for (int64_t i = 0; i < n; ++i) y.data[position(indices[i])] = x[i];
  }

  int64_t position(int64_t index) const {
    int64_t rest = index, offset = 0, pitch = 1;
    bool inside = index >= 0 && index < elements_;
    for (int d = y_.rank(); inside && d-- > 0;) {
      const int64_t at = rest % indexed_[d];
      inside = at < y_[d];
      offset += at * pitch;
      pitch *= y_[d];
      rest /= indexed_[d];
    }
    if (!inside) {
      throw Error(ErrorKind::kModel,
                  str("index ", index, " lies outside of the output ", y_, " (unpooled ", indexed_, ")"));
    }
    return offset;
  }

  Shape indexed_, y_;
  int64_t elements_;
  int64_t window_;  ///< elements from the first to the last of a window, at most
  bool whole_;      ///< indices count in the output
};

/// MaxUnpool: zeros, but for the elements of X, which go where the indices say that MaxPool had found them. Indices
/// count in the flattened tensor that pools to X's shape with kernel_shape, strides (1) and pads (0); with output_shape
/// the output is that tensor cut or filled up with zeros at the end of each axis.
/// X: float types [N, C, D1...].   I: int64, X's shape.   output_shape: int64 [rank].   output: X's dtype.
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
    const auto shape = constant_ints(in[2]);
    if (!shape) return {Fact(in[0].dtype, Dims(size_t(in[0].rank())))};
    return {Fact(in[0].dtype, given_shape(*shape, in[0]))};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const Shape indexed = Fact(in.dtype(0), unpooled(Dims(x.begin(), x.end()))).shape();
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<MaxUnpoolKernel<T>>(indexed, in.output_shape(0), kernel_.empty() ? 1 : kernel_[0]);
    });
  }

  std::vector<int> value_inputs() const override { return {2}; }

 private:
  Dims unpooled(Dims dims) const {
    for (size_t i = 0; i < kernel_.size(); ++i) {
      Dim& dim = dims[i + 2];
      if (!dim.known()) continue;
      const int64_t size = checked_add(checked_mul(std::max<int64_t>(0, dim.value() - 1), strides_[i]), kernel_[i]) -
                           checked_add(pads_[i], pads_[i + kernel_.size()]);
      if (size < 0) throw Error(ErrorKind::kShape, str("pads leave nothing of axis ", i + 2));
      dim = size;
    }
    return dims;
  }

  static Dims given_shape(const std::vector<int64_t>& shape, const Fact& x) {
    if (int(shape.size()) != x.rank()) {
      throw Error(ErrorKind::kShape, str("output_shape must have ", x.rank(), " values, got ", shape.size()));
    }
    for (const int64_t dim : shape) {
      if (dim < 0) throw Error(ErrorKind::kShape, str("output_shape must not be negative, got ", dim));
    }
    for (size_t i = 0; i < 2; ++i) merge_dim(x.dim(int(i)), shape[i], str("dim ", i, " of X and output_shape"));
    return Dims(shape.begin(), shape.end());
  }

  std::vector<int64_t> kernel_, strides_, pads_;
};

}  // namespace

void register_max_unpool(Registry& registry) { registry.add<MaxUnpool>("MaxUnpool", {.since = 9}); }

}  // namespace linnet
