#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include "indexing/order_key.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/order.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// Finds the first k elements of each row in the order of keys and indices. Rows run along an axis of [outer, dim,
/// inner]; a worker processes one at a time.
/// Of the first block, only elements up to a bound from the least keys of groups are collected. Elements of later
/// blocks are collected only if they precede the k-th best of what was collected. When the buffer is full, all but the
/// best k are dropped.
template <class Elements>
class TopKKernel final : public Kernel {
  using Key = typename Elements::Key;
  using Element = typename Elements::Element;
  using Keys = std::function<void(const void* x, int64_t stride, Key* keys, int64_t n)>;

 public:
  TopKKernel(const CompileInput& in, Keys keys, const KeySelection<Key>& selection, int axis, int64_t k, bool largest)
      : keys_(std::move(keys)),
        selection_(selection),
        copy_(copy_row_of(in.dtype(0))),
        width_(element_bytes(in.dtype(0))),
        outer_(in.shape(0).elements(0, axis)),
        dim_(in.shape(0)[axis]),
        inner_(in.shape(0).elements(axis + 1, in.rank(0))),
        k_(k),
        groups_(k <= kMostGroups / 4 ? int64_t(std::bit_ceil(uint64_t(std::max(kLeastGroups, 4 * k)))) : 0),
        room_(std::min(dim_, std::max(checked_mul(2, k), 2 * kBlock)) + kBlock),
        flip_(largest ? kLast : 0),
        values_(in.has_output(0)),
        indices_(in.has_output(1)) {}

  void run(KernelContext& context) const override {
    const Rows rows{static_cast<const std::byte*>(context.input(0).raw()),
                    values_ ? static_cast<std::byte*>(context.output(0).raw()) : nullptr,
                    indices_ ? context.output(1).data<int64_t>() : nullptr};
    if (k_ == 0) return;
    parallel_items(context.executor(), outer_ * inner_, 8 * dim_, [&](int64_t begin, int64_t end, int worker) {
      Checkpoints checkpoints;
      auto* scratch = reinterpret_cast<Element*>(context.scratch(worker));
      for (int64_t row = begin; row < end; ++row) run_row(rows, row, scratch, checkpoints);
    });
  }

  size_t scratch_bytes() const override { return size_t(checked_mul(room_, sizeof(Element))); }

 private:
  struct Rows {
    const std::byte* x;
    std::byte* values;  ///< nullptr where the output is omitted
    int64_t* indices;   ///< nullptr if the output is omitted.
  };

  static constexpr int64_t kBlock = 2048, kLeastGroups = 64, kMostGroups = kBlock / 2;
  static constexpr Key kLast = std::numeric_limits<Key>::max();

  /// Moves the k best elements to the front, in any order.
  void find_best(Element* elements, int64_t count, Checkpoints& checkpoints) const {
    if (k_ < count) checkpoints.nth_element(elements, elements + k_ - 1, elements + count);
  }

  /// Returns a key that at least k of the keys do not exceed; the last key if groups cannot bound it.
  Key bound_of(const Key* keys, int64_t n) const {
    if (groups_ == 0 || n < 2 * groups_) return kLast;
    Key minima[kMostGroups];
    selection_.group_minima(keys, n, groups_, minima);
    std::nth_element(minima, minima + k_ - 1, minima + groups_);
    return minima[k_ - 1];
  }

  /// Collects the k best elements of a row, in any order.
  void collect(const std::byte* x, Element* elements, Checkpoints& checkpoints) const {
    Key keys[kBlock];
    int32_t positions[kBlock + 1];
    int64_t count = 0;
    Key most = kLast;  // the last key that may be among the best
    for (int64_t first = 0; first < dim_; first += kBlock) {
      const int64_t n = std::min(kBlock, dim_ - first);
      checkpoints.add(n);
      keys_(x + first * inner_ * width_, inner_, keys, n);
      for (int64_t i = 0; i < n; ++i) keys[i] ^= flip_;
      const Key bound = most < kLast ? most : bound_of(keys, n);
      const int64_t found = selection_.find(keys, n, bound, positions);
      for (int64_t i = 0; i < found; ++i) elements[count++] = Elements::make(keys[positions[i]], first + positions[i]);
      const bool bounded = bound<most, full = count + kBlock> room_;
      if (!bounded && !full) continue;
      if (full) {
        find_best(elements, count, checkpoints);
        count = k_;
      }
      // Later elements must precede the k-th best key so far.
      const Key kth = full ? Elements::key(elements[k_ - 1]) : bound;
      if (kth == 0) break;
      most = kth - 1;
    }
    find_best(elements, count, checkpoints);
  }

  void run_row(const Rows& rows, int64_t row, Element* elements, Checkpoints& checkpoints) const {
    const int64_t outer = row / inner_, inner = row % inner_;
    const std::byte* x = rows.x + (outer * dim_ * inner_ + inner) * width_;
    collect(x, elements, checkpoints);
    checkpoints.sort(elements, elements + k_);
    const int64_t first = outer * k_ * inner_ + inner;
    checkpoints.in_parts(k_, 8, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const int64_t index = Elements::index(elements[i]);
        const int64_t target = first + i * inner_;
        if (rows.values) copy_(x + index * inner_ * width_, 1, rows.values + target * width_, 1, 1);
        if (rows.indices) rows.indices[target] = index;
      }
    });
  }

  Keys keys_;
  KeySelection<Key> selection_;
  CopyRow copy_;
  int64_t width_, outer_, dim_, inner_, k_;
  int64_t groups_;  ///< 0 if k is too large for groups.
  int64_t room_;    ///< The capacity for elements.
  Key flip_;
  bool values_, indices_;
};

/// TopK: the k largest (or smallest) elements along `axis` and their indices, in order. Among equal elements, the lower
/// index comes first. NaN counts as larger than any number.
/// X, Values: numbers or bool.
/// Indices: int64.
/// k: an attribute before opset 10, an int64 input of one element since.
/// The results are in order even if `sorted` is 0.
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
    const OrderKernels& kernels = kernels_for<OrderKernels>(in.isa());
    const NarrowOrderKeys narrow = narrow_order_keys_of(in.dtype(0), kernels);
    if (narrow && in.shape(0)[axis] < NarrowElements::kMostIndices) {
      return std::make_unique<TopKKernel<NarrowElements>>(in, narrow, kernels.narrow, axis, k, largest_);
    }
    const OrderKeys keys = order_keys_of(in.dtype(0), kernels);
    return std::make_unique<TopKKernel<WideElements>>(in, keys, kernels.wide, axis, k, largest_);
  }

  std::vector<int> value_inputs() const override { return is_input_ ? std::vector{1} : std::vector<int>{}; }

 private:
  Dim top(const Dim& dim, std::span<const Fact> in) const {
    Dim k = k_ ? Dim(*k_) : Dim();
    if (is_input_) {
      const auto values = determined_ints(in[1]);
      if (!values) return {};
      require_one_element(in[1], "k");
      k = values->front();
    }
    if (k.known() && (k.value() < 0 || (dim.known() && k.value() > dim.value()))) {
      throw Error(ErrorKind::kShape, str("k must be in [0,", dim, "], got ", k));
    }
    learn_at_least(dim, k);
    return k;
  }

  int64_t axis_;
  bool largest_, is_input_;
  std::optional<int64_t> k_;
};

}  // namespace

LINNET_REGISTER(top_k)(Registry& registry) { registry.add<TopK>("TopK", {.since = 1}); }

}  // namespace linnet
