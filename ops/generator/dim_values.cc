#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

class DimValuesKernel final : public Kernel {
 public:
  DimValuesKernel(std::vector<int64_t> bases, std::vector<int64_t> slopes)
      : bases_(std::move(bases)), slopes_(std::move(slopes)) {}

  void run(KernelContext& context) const override {
    const Tensor& counts = context.input(0);
    Tensor& y = context.output(0);
    for (int64_t i = 0; i < std::ssize(bases_); ++i) write(y, i, value(counts, size_t(i)));
  }
  size_t bytes() const override {
    return size_t(checked_mul(std::ssize(bases_) + std::ssize(slopes_), sizeof(int64_t)));
  }

 private:
  int64_t value(const Tensor& counts, size_t i) const {
    int64_t value = bases_[i];
    for (int64_t k = 0; k < counts.size(); ++k) {
      const int64_t slope = slopes_[i * size_t(counts.size()) + size_t(k)];
      value = checked_add(value, checked_mul(slope, counts.data<int64_t>()[k]));
    }
    return value;
  }

  static void write(Tensor& y, int64_t i, int64_t value) {
    if (y.dtype() == DType::kInt64) y.data<int64_t>()[i] = value;
    if (y.dtype() == DType::kInt32) y.data<int32_t>()[i] = int32_t(value);
    if (y.dtype() == DType::kBool) y.data<bool>()[i] = value != 0;
  }

  std::vector<int64_t> bases_, slopes_;
};

/// DimValues: the values of expressions for dims in a run: bases[i] + the sum over k of slopes[i, k] * counts[k].
/// - counts: int64 [n]
/// - values: int32, int64 or bool (attribute `to`, default int64), of the shape in attribute `shape`
class DimValues final : public Op {
 public:
  explicit DimValues(const NodeSpec& node)
      : bases_(node.attr<std::vector<int64_t>>("bases")),
        slopes_(node.attr<std::vector<int64_t>>("slopes")),
        shape_(node.attr<std::vector<int64_t>>("shape")),
        dtype_(dtype_attribute(node, "to", DType::kInt64)) {
    if (!is_followed(dtype_)) throw Error(ErrorKind::kType, str("to must be int32, int64 or bool, is ", dtype_));
    if (checked_elements(shape_) != std::ssize(bases_)) throw Error(ErrorKind::kModel, "bases do not fit the shape");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kInt64, "counts");
    require_rank(in[0], 1, "counts");
    if (in[0].concrete() && checked_mul(std::ssize(bases_), in[0].dim(0).value()) != std::ssize(slopes_)) {
      throw Error(ErrorKind::kModel, "slopes do not fit counts");
    }
    return {Fact(dtype_, Shape(shape_))};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<DimValuesKernel>(bases_, slopes_); }

 private:
  static int64_t checked_elements(const std::vector<int64_t>& shape) {
    int64_t elements = 1;
    for (const int64_t dim : shape) {
      if (dim < 0) throw Error(ErrorKind::kModel, str("the shape must not be negative, has ", dim));
      elements = checked_mul(elements, dim);
    }
    return elements;
  }

  std::vector<int64_t> bases_, slopes_, shape_;
  DType dtype_;
};

}  // namespace

LINNET_REGISTER(dim_values)(Registry& registry) {
  registry.add<DimValues>("DimValues", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
