#include <algorithm>
#include <numeric>

#include "elements/sub_byte_elements.h"
#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "movement/transpose_plan.h"
#include "registration.h"

namespace linnet {
namespace {

/// Transpose: the axes of `data` in another order; transposed axis d is data's axis perm[d]. Accepts any dtype.
/// perm: the reversed order if absent.
/// Source: https://onnx.ai/onnx/operators/onnx__Transpose.html
class Transpose final : public Op {
 public:
  explicit Transpose(const NodeSpec& node) {
    if (const auto* perm = node.find<std::vector<int64_t>>("perm")) {
      given_ = true;
      check(*perm);
      perm_.assign(perm->begin(), perm->end());
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    const Fact& x = in[0];
    if (!x.has_rank()) {
      return {Fact(x.dtype, given_ ? std::optional(Dims(perm_.size())) : std::nullopt)};
    }
    if (given_) require_rank(x, int(perm_.size()), "data (one axis per value of perm)");
    Dims dims;
    for (const int axis : order(x.rank())) dims.push_back(x.dim(axis));
    return {Fact(x.dtype, dims)};
  }

  bool moves(int input) const override { return input == 0; }
  bool prefix(Prefix& prefix) const override { return prefix.carry(); }
  KernelPtr compile(const CompileInput& in) const override {
    if (has_sub_byte(in)) return compile_widened(in, [this](const CompileInput& widened) { return compile(widened); });
    return make_transpose(in.dtype(0), in.shape(0), order(in.rank(0)), in.isa());
  }

 private:
  static void check(const std::vector<int64_t>& perm) {
    std::vector<int64_t> sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    for (size_t d = 0; d < sorted.size(); ++d) {
      if (sorted[d] != int64_t(d)) {
        throw Error(ErrorKind::kModel, str("perm must hold each axis from 0 to ", perm.size() - 1, " once"));
      }
    }
  }

  std::vector<int> order(int rank) const {
    if (given_) return perm_;
    std::vector<int> reversed(static_cast<size_t>(rank));
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return reversed;
  }

  bool given_ = false;
  std::vector<int> perm_;
};

}  // namespace

LINNET_REGISTER(transpose)(Registry& registry) { registry.add<Transpose>("Transpose", {.since = 1}); }

}  // namespace linnet
