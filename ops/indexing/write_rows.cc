#include <cstring>

#include "environment/rows.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"

namespace linnet {
namespace {

class WriteRowsKernel final : public Kernel {
 public:
  WriteRowsKernel(const CompileInput& in, int axis)
      : groups_(in.shape(0).elements(0, axis)),
        length_(in.shape(0)[axis]),
        rows_(in.shape(1)[axis]),
        row_bytes_(size_t(checked_mul(in.shape(0).elements(axis + 1, in.rank(0)), element_bytes(in.dtype(0))))) {}

  void run(KernelContext& context) const override {
    const int64_t begin = *context.input(2).data<int64_t>();
    if (begin < 0 || begin > length_ - rows_) {
      throw Error(ErrorKind::kShape, str("begin must be in [0,", length_ - rows_, "], got ", begin));
    }
    if (context.input(0).raw() != context.output(0).raw()) {
      copy_tensor(context.input(0), context.output(0), context.executor());
    }
    const size_t bytes = size_t(rows_) * row_bytes_;
    const auto* from = static_cast<const std::byte*>(context.input(1).raw());
    auto* to = static_cast<std::byte*>(context.output(0).raw()) + size_t(begin) * row_bytes_;
    Checkpoints checkpoints;
    for (int64_t i = 0; i < groups_ && bytes > 0; ++i, from += bytes, to += size_t(length_) * row_bytes_) {
      std::memcpy(to, from, bytes);
      checkpoints.add(16 + int64_t(bytes));
    }
  }
  int in_place(int) const override { return 0; }

 private:
  int64_t groups_, length_, rows_;
  size_t row_bytes_;
};

/// WriteRows, in the internal domain "linnet": x with the rows from `begin` on along `axis` replaced by `rows`.
/// x, rows, y: one dtype of a byte or more, except strings. Dims are equal except that of the axis, where x has at
/// least as many.
/// begin: int64, one element, checked when the model runs.
class WriteRows final : public Op {
 public:
  explicit WriteRows(const NodeSpec& node) : axis_(node.attr<int64_t>("axis")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    require_same_dtype(in[0], in[1], "x and rows");
    if (is_object(in[0].dtype) || dtype_bits(in[0].dtype) < 8) {
      throw Error(ErrorKind::kType, str("x must be of numbers of a byte or more, is ", in[0]));
    }
    require_one_element(in[2], DType::kInt64, "begin");
    if (!in[0].has_rank()) return same_as(in[0]);
    const int axis = normalize_axis(axis_, in[0].rank());
    require_rank(in[1], in[0].rank(), "rows");
    for (int d = 0; in[1].has_rank() && d < in[0].rank(); ++d) {
      const Dim &most = in[0].dim(d), &got = in[1].dim(d);
      if (d != axis) merge_dim(most, got, str("dim ", d, " of x and rows"));
      if (d == axis && most.known() && got.known() && got.value() > most.value()) {
        throw Error(ErrorKind::kShape, str("x has ", most, " rows, fewer than the ", got, " to be written"));
      }
    }
    return same_as(in[0]);
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<WriteRowsKernel>(in, normalize_axis(axis_, in.rank(0)));
  }

 private:
  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(write_rows)(Registry& registry) {
  registry.add<WriteRows>("WriteRows", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
