#include <algorithm>

#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "movement/strided_kernel.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Expand: broadcasts its input against `shape` (NumPy's rules, in both directions).
/// input, output: any dtype of a byte or more. shape: int64 [n].
/// Source: https://onnx.ai/onnx/operators/onnx__Expand.html
class Expand final : public Op {
 public:
  explicit Expand(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    if (const auto numbers = constant_ints(in[1])) Shape{*numbers};  // The constructor checks the numbers.
    const auto shape = determined_ints(in[1]), open = open_dims(in);
    return {Fact(in[0].dtype, shape ? broadcast_dims(in[0].dims, shape) : open)};
  }

  bool moves(int input) const override { return input == 0; }
  bool prefix(Prefix& prefix) const override { return prefix.aligned() && prefix.carry(); }
  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0), y = in.output_shape(0);
    if (x.elements() == y.elements()) return make_view();
    const std::vector<int64_t> dense = row_major_strides(x);
    std::vector<int64_t> strides(size_t(y.rank()), 0);
    const int shift = y.rank() - x.rank();
    for (int d = 0; d < x.rank(); ++d) strides[size_t(d + shift)] = x[d] == 1 ? 0 : dense[size_t(d)];
    return make_strided_kernel(StridedCopy(in.dtype(0), y.dims(), strides, row_major_strides(y)));
  }

  std::vector<int> value_inputs() const override { return {1}; }

 private:
  /// Dims of known rank only, from the length of the shape.
  static std::optional<Dims> open_dims(std::span<const Fact> in) {
    const bool known = in[0].has_rank() && in[1].has_rank() && in[1].rank() == 1 && in[1].dim(0).known();
    if (!known) return std::nullopt;
    const int64_t rank = std::max<int64_t>(in[0].rank(), in[1].dim(0).value());
    if (rank > kMaxRank) throw Error(ErrorKind::kLimit, str("rank ", rank, " exceeds ", kMaxRank));
    return Dims(size_t(rank));
  }
};

}  // namespace

LINNET_REGISTER(expand)(Registry& registry) { registry.add<Expand>("Expand", {.since = 8}); }

}  // namespace linnet
