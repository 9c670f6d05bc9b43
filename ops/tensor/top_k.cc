#include <algorithm>

#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"
#include "tensor/copy.h"
#include "tensor/order_key.h"

namespace linnet {
namespace {

/// An element of a row: the first ones in this order are the top ones.
struct Candidate {
  uint64_t key;
  int64_t index;
  bool operator<(const Candidate& other) const { return key != other.key ? key < other.key : index < other.index; }
};

/// Rows run along an axis of [outer, dim, inner]; each worker sorts one at a time in its scratch memory.
class TopKKernel final : public Kernel {
 public:
  TopKKernel(const CompileInput& in, int axis, int64_t k, bool largest)
      : keys_(order_keys_of(in.dtype(0))),
        copy_(copy_row_of(in.dtype(0))),
        width_(element_bytes(in.dtype(0))),
        outer_(in.shape(0).elements(0, axis)),
        dim_(in.shape(0)[axis]),
        inner_(in.shape(0).elements(axis + 1, in.rank(0))),
        k_(k),
        flip_(largest ? UINT64_MAX : 0),
        values_(in.has_output(0)),
        indices_(in.has_output(1)) {}

  void run(KernelContext& context) const override {
    const Rows rows{static_cast<const std::byte*>(context.input(0).raw()),
                    values_ ? static_cast<std::byte*>(context.output(0).raw()) : nullptr,
                    indices_ ? context.output(1).data<int64_t>() : nullptr};
    if (k_ == 0) return;
    parallel_items(context.executor(), outer_ * inner_, 8 * dim_, [&](int64_t begin, int64_t end, int worker) {
      auto* scratch = reinterpret_cast<Candidate*>(context.scratch(worker));
      for (int64_t row = begin; row < end; ++row) run_row(rows, row, scratch);
    });
  }

  size_t scratch_bytes() const override { return size_t(checked_mul(dim_, sizeof(Candidate) + sizeof(uint64_t))); }

 private:
  struct Rows {
    const std::byte* x;
    std::byte* values;  ///< nullptr where the output is omitted
    int64_t* indices;   ///< so here
  };

  void run_row(const Rows& rows, int64_t row, Candidate* candidates) const {
    const int64_t outer = row / inner_, inner = row % inner_;
    const std::byte* x = rows.x + (outer * dim_ * inner_ + inner) * width_;
    auto* keys = reinterpret_cast<uint64_t*>(candidates + dim_);
    keys_(x, inner_, keys, dim_);
    for (int64_t i = 0; i < dim_; ++i) candidates[i] = {keys[i] ^ flip_, i};
    if (k_ < dim_) std::nth_element(candidates, candidates + k_, candidates + dim_);
    std::sort(candidates, candidates + k_);
    const int64_t first = outer * k_ * inner_ + inner;
    for (int64_t i = 0; i < k_; ++i) {
      const int64_t index = candidates[i].index;
      const int64_t target = first + i * inner_;
      if (rows.values) copy_(x + index * inner_ * width_, 1, rows.values + target * width_, 1, 1);
      if (rows.indices) rows.indices[target] = index;
    }
  }

  OrderKeys keys_;
  CopyRow copy_;
  int64_t width_, outer_, dim_, inner_, k_;
  uint64_t flip_;
  bool values_, indices_;
};

/// TopK: the k largest (or smallest) elements along `axis` and their indices, in order; of equal ones the lower index
/// comes first, and NaN counts as larger than any number. X, Values: numbers or bool. Indices: int64.
/// k: an attribute before opset 10, an int64 input of one element since. Results are in order even where `sorted` is 0.
/// Source: https://onnx.ai/onnx/operators/onnx__TopK.html
class TopK final : public Op {
 public:
  explicit TopK(const NodeSpec& node)
      : axis_(node.attr_or("axis", -1)), largest_(node.attr_or("largest", true)), is_input_(node.opset >= 10) {
    if (!is_input_) k_ = node.attr<int64_t>("k");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, is_input_ ? 2 : 1, is_input_ ? 2 : 1);
    const Fact& x = in[0];
    require_rank_at_least(x, 1, "X");
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt), Fact(DType::kInt64, std::nullopt)};
    Dims dims = *x.dims;
    Dim& dim = dims[size_t(normalize_axis(axis_, x.rank()))];
    dim = top(dim, in);
    return {Fact(x.dtype, dims), Fact(DType::kInt64, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const int axis = normalize_axis(axis_, in.rank(0));
    const int64_t k = k_ ? *k_ : constant_ints(in.fact(1))->front();
    return std::make_unique<TopKKernel>(in, axis, k, largest_);
  }

  std::vector<int> value_inputs() const override { return is_input_ ? std::vector{1} : std::vector<int>{}; }

 private:
  Dim top(const Dim& dim, std::span<const Fact> in) const {
    std::optional<int64_t> k = k_;
    if (is_input_) {
      const auto values = constant_ints(in[1]);
      if (!values) return {};
      if (values->size() != 1) throw Error(ErrorKind::kShape, str("k must be one element, got ", in[1]));
      k = values->front();
    }
    if (*k < 0 || (dim.known() && *k > dim.value())) {
      throw Error(ErrorKind::kShape, str("k must be in [0,", dim, "], got ", *k));
    }
    return *k;
  }

  int64_t axis_;
  bool largest_, is_input_;
  std::optional<int64_t> k_;
};

}  // namespace

void register_top_k(Registry& registry) { registry.add<TopK>("TopK", {.since = 1}); }

}  // namespace linnet
