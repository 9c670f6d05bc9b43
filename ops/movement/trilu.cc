#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/reads_any_bool.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/number_cast.h"
#include "movement/copy.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

class TriluKernel final : public Kernel {
 public:
  TriluKernel(DType dtype, const Shape& x, bool upper, bool has_k, Isa isa)
      : copy_(copy_row_of(dtype)),
        bools_(dtype == DType::kBool ? kernels_for<NumberCastKernels>(isa).bool_of_u8 : nullptr),
        width_(element_bytes(dtype)),
        zero_(zero_element(dtype)),
        strings_(dtype == DType::kString),
        rows_(x[x.rank() - 2]),
        columns_(x[x.rank() - 1]),
        row_bytes_(checked_mul(columns_, width_)),
        all_rows_(x.elements(0, x.rank() - 1)),
        upper_(upper),
        has_k_(has_k) {}

  void run(KernelContext& context) const override {
    const int64_t k = has_k_ ? std::clamp(context.input(1).data<int64_t>()[0], -rows_, columns_) : 0;
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    parallel_items(context.executor(), all_rows_, columns_, [&](int64_t begin, int64_t end, int) {
      int64_t row = begin % rows_;
      for (int64_t r = begin; r < end; ++r, row = row + 1 < rows_ ? row + 1 : 0) {
        // The upper triangle begins at column i + k; the lower one ends after it.
        const int64_t split = std::clamp<int64_t>(row + k + (upper_ ? 0 : 1), 0, columns_);
        const std::ptrdiff_t offset = r * row_bytes_;
        Span kept{0, split}, rest{split, columns_};
        if (upper_) std::swap(kept, rest);
        copy(x + offset + kept.begin * width_, y + offset + kept.begin * width_, kept.size());
        clear(y + offset + rest.begin * width_, rest.size());
      }
    });
  }

 private:
  /// Copies n elements. Of bool, any byte other than 0 becomes 1.
  void copy(const std::byte* x, std::byte* y, int64_t n) const { bools_ ? bools_(x, y, n) : copy_(x, 1, y, 1, n); }

  /// Sets n elements to zero, which is all zero bits for every dtype except strings.
  void clear(std::byte* y, int64_t n) const {
    if (strings_) return copy_(zero_.raw(), 0, y, 1, n);
    const std::ptrdiff_t bytes = n * width_;
    std::memset(y, 0, size_t(bytes));
  }

  CopyRow copy_;
  NumberCastKernels::F bools_;  ///< null for other dtypes
  int64_t width_;
  Tensor zero_;
  bool strings_;
  int64_t rows_, columns_, row_bytes_, all_rows_;
  bool upper_, has_k_;
};

/// Trilu: the upper (or lower) triangle of each matrix in the last two axes; zero elsewhere. Element (i, j) belongs to
/// the upper triangle if j >= i + k and to the lower one if j <= i + k.
/// input, output: any dtype of a byte or more.
/// k: int64, one element; 0 if omitted.
/// Source: https://onnx.ai/onnx/operators/onnx__Trilu.html
class Trilu final : public Op, public ReadsAnyBool {
 public:
  explicit Trilu(const NodeSpec& node) : upper_(node.attr_or("upper", true)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 2);
    require_rank_at_least(in[0], 2, "input");
    if (has_input(in, 1)) require_one_element(in[1], DType::kInt64, "k");
    return same_as(in[0]);
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  bool reads_any_bool(int) const override { return true; }
  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<TriluKernel>(in.dtype(0), in.shape(0), upper_, in.has(1), in.isa());
  }

 private:
  bool upper_;
};

}  // namespace

LINNET_REGISTER(trilu)(Registry& registry) { registry.add<Trilu>("Trilu", {.since = 14}); }

}  // namespace linnet
