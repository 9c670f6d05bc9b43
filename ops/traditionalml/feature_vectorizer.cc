#include <algorithm>

#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

/// One row for each index of the first axis, consisting of all later axes.
Rows flat_rows(const Shape& x) {
  if (x.rank() <= 2) return rows_of(x);
  return {x[0], x.elements(1, x.rank())};
}

Dim rows_of_fact(const Fact& x) {
  if (!x.has_rank() || x.rank() <= 2) return row_dim(x);
  return x.dim(0);
}

Dim flat_width(const Fact& x) {
  if (!x.has_rank()) return {};
  Dim width = x.dims->back();
  for (int i = 1; i + 1 < x.rank(); ++i) width = checked_mul(width, x.dim(i));
  return width;
}

class FeatureVectorizerKernel final : public Kernel {
 public:
  FeatureVectorizerKernel(const CompileInput& in, const std::vector<int64_t>& widths)
      : read_(read_numbers_of(in.dtype(0))), rows_(rows_of(in.output_shape(0))) {
    for (int i = 0; i < in.num_inputs(); ++i) {
      const int64_t have = flat_rows(in.shape(i)).width;
      blocks_.push_back({have, widths.empty() ? have : widths[size_t(i)]});
      widest_ = std::max(widest_, have);
    }
  }

  void run(KernelContext& context) const override {
    auto* row = reinterpret_cast<double*>(context.scratch());
    float* y = context.output(0).data<float>();
    Checkpoints checkpoints;
    for (int64_t r = 0; r < rows_.count; ++r) {
      for (size_t i = 0; i < blocks_.size(); ++i) {
        const auto [have, want] = blocks_[i];
        read_(context.input(int(i)).raw(), r * have, have, row);
        const int64_t taken = std::min(have, want);
        for (int64_t k = 0; k < taken; ++k) y[k] = float(row[k]);
        std::fill(y + taken, y + want, 0.0f);
        y += want;
        checkpoints.add(16 + 4 * have + want);
      }
    }
  }

  size_t scratch_bytes() const override { return dtype_bytes(DType::kFloat64, widest_); }

 private:
  struct Block {
    int64_t have, want;
  };
  ReadNumbers read_;
  Rows rows_;
  std::vector<Block> blocks_;
  int64_t widest_ = 0;
};

/// FeatureVectorizer: the inputs concatenated. An input wider than its entry in `inputdimensions` is cropped, a
/// narrower one padded with zeros, as in ONNX Runtime. Without the attribute, all keep their width.
/// X: one or more of float32, float64, int64 or int32, all the same dtype, [N, C_i...], or [C_i] if N is 1.
/// Y: float32 [N, sum of the widths].
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html
class FeatureVectorizer final : public Op {
 public:
  explicit FeatureVectorizer(const NodeSpec& node) : widths_(node.attr_or("inputdimensions", std::vector<int64_t>{})) {
    if (!widths_.empty()) require_length("inputdimensions", widths_.size(), node.num_inputs);
    for (const int64_t width : widths_) {
      if (width < 0) throw_value("inputdimensions", std::to_string(width), "non-negative");
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, int(std::max<size_t>(in.size(), 1)), int(in.size()));
    for (const Fact& x : in) {
      require_dtype_in(x, kMlNumbers, "X");
      require_rank_at_least(x, 1, "X");
    }
    Dim rows = rows_of_fact(in[0]), width = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      require_same_dtype(in[i], in[0], "the inputs");
      rows = merge_dim(rows, rows_of_fact(in[i]), "the numbers of rows");
      const Dim mine = flat_width(in[i]);
      const Dim taken = widths_.empty() ? mine : Dim(widths_[i]);
      width = checked_add(width, taken);
    }
    return {Fact(DType::kFloat32, Dims{rows, width})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<FeatureVectorizerKernel>(in, widths_);
  }

 private:
  std::vector<int64_t> widths_;
};

}  // namespace

LINNET_REGISTER(feature_vectorizer)(Registry& registry) {
  registry.add<FeatureVectorizer>("FeatureVectorizer", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
