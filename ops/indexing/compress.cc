#include <algorithm>
#include <cstring>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// Copies elements [begin, end) that are kept to y[at] and on, and returns where the next one belongs. y has room for
/// `kept` elements. Single conditions would be unpredictable branches.
using CompressElements = int64_t (*)(const void* x, const bool* keep, int64_t begin, int64_t end, void* y, int64_t at,
                                     int64_t kept);
template <class T>
int64_t compress_elements(const void* x_data, const bool* keep, int64_t begin, int64_t end, void* y_data, int64_t at,
                          int64_t kept) {
  const auto* x = static_cast<const T*>(x_data);
  auto* y = static_cast<T*>(y_data);
  constexpr uint64_t kAll = 0x0101010101010101;
  constexpr int64_t kBlock = sizeof kAll;
  int64_t i = begin;
  for (; i + kBlock <= end && at + kBlock <= kept; i += kBlock) {
    uint64_t block;
    std::memcpy(&block, keep + i, sizeof block);
    if (block == kAll) {
      std::copy_n(x + i, kBlock, y + at);
      at += kBlock;
    } else if (block != 0) {
      for (int64_t j = i; j < i + kBlock; at += keep[j++]) y[at] = x[j];
    }
  }
  for (; i < end && at < kept; at += keep[i++]) y[at] = x[i];
  return at;
}

CompressElements compress_elements_of(DType dtype) {
  return dispatch_width(dtype, []<class T>() -> CompressElements { return compress_elements<T>; });
}

class CompressKernel final : public Kernel {
 public:
  /// x is [outer, dim, inner].
  CompressKernel(DType dtype, const Shape& x, std::optional<int> axis)
      : copy_(copy_row_of(dtype)),
        compress_(compress_elements_of(dtype)),
        width_(element_bytes(dtype)),
        x_(x),
        axis_(axis) {
    outer_ = axis ? x.elements(0, *axis) : 1;
    dim_ = axis ? x[*axis] : x.elements();
    inner_ = axis ? x.elements(*axis + 1, x.rank()) : 1;
  }

  void run(KernelContext& context) const override {
    const Tensor& condition = context.input(1);
    const bool* keep = condition.data<bool>();
    const int64_t n = std::min(condition.size(), dim_);
    const int64_t kept = std::count(keep, keep + n, true);
    Shape shape = axis_ ? x_ : Shape{kept};
    if (axis_) shape[*axis_] = kept;
    Tensor& output = context.allocate_output(0, shape);
    if (output.size() == 0) return;  // Outer dims of an empty tensor may be huge.
    auto* y = static_cast<std::byte*>(output.raw());
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    Checkpoints checkpoints;
    for (int64_t o = 0; o < outer_; ++o, x += dim_ * inner_ * width_) {
      if (inner_ == 1) {
        int64_t at = 0;
        checkpoints.in_parts(n, 1,
                             [&](int64_t begin, int64_t end) { at = compress_(x, keep, begin, end, y, at, kept); });
        y += kept * width_;
      } else {
        y = copy_kept(x, y, keep, n, checkpoints);
      }
    }
  }

 private:
  static constexpr int64_t kRunWork = 8;

  std::byte* copy_kept(const std::byte* x, std::byte* y, const bool* keep, int64_t n, Checkpoints& checkpoints) const {
    for (int64_t begin = 0; begin < n;) {
      int64_t end = begin + 1;
      while (end < n && keep[end] == keep[begin]) ++end;
      if (keep[begin]) {
        const int64_t elements = (end - begin) * inner_;
        copy_(x + begin * inner_ * width_, 1, y, 1, elements);
        y += elements * width_;
        checkpoints.add(kRunWork + elements);
      }
      begin = end;
    }
    checkpoints.add(n);
    return y;
  }

  CopyRow copy_;
  CompressElements compress_;
  int64_t width_;
  Shape x_;
  std::optional<int> axis_;
  int64_t outer_, dim_, inner_;
};

/// Compress: the slices along `axis` for which `condition` is true. Without `axis`, the elements in row-major order.
/// input, output: any dtype of a byte or more.
/// condition: bool [n]. Slices from n on are dropped.
/// The number of slices in the output is known only when the model runs.
/// Source: https://onnx.ai/onnx/operators/onnx__Compress.html
class Compress final : public Op {
 public:
  explicit Compress(const NodeSpec& node) {
    if (const auto* axis = node.find<int64_t>("axis")) axis_ = *axis;
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype(in[1], DType::kBool, "condition");
    require_rank(in[1], 1, "condition");
    require_rank_at_least(in[0], 1, "input");
    if (!axis_) return {Fact(in[0].dtype, Dims(1))};
    if (!in[0].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    Dims dims = *in[0].dims;
    dims[size_t(normalize_axis(*axis_, in[0].rank()))] = Dim();
    return {Fact(in[0].dtype, dims)};
  }

  bool moves(int input) const override { return input == 0; }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_selection(v); }

  KernelPtr compile(const CompileInput& in) const override {
    std::optional<int> axis;
    if (axis_) axis = normalize_axis(*axis_, in.rank(0));
    return std::make_unique<CompressKernel>(in.dtype(0), in.shape(0), axis);
  }

 private:
  std::optional<int64_t> axis_;
};

}  // namespace

LINNET_REGISTER(compress)(Registry& registry) { registry.add<Compress>("Compress", {.since = 9}); }

}  // namespace linnet
