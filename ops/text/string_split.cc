#include <algorithm>

#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "text/unicode.h"

namespace linnet {
namespace {

using Pieces = CountedVector<std::string_view>;

void split_at(const std::string& delimiter, std::string_view text, int64_t most_splits, Pieces& pieces) {
  for (int64_t splits = 0; splits != most_splits; ++splits) {
    const size_t end = text.find(delimiter);
    if (end == std::string_view::npos) break;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  pieces.push_back(text);
}

class StringSplitKernel final : public Kernel {
 public:
  StringSplitKernel(const Shape& x, std::string delimiter, int64_t most_splits)
      : x_(x), delimiter_(std::move(delimiter)), most_splits_(most_splits) {}

  void run(KernelContext& context) const override {
    const std::string* x = context.input(0).data<std::string>();
    int64_t* counts = context.output(1).data<int64_t>();
    Pieces pieces;  // The pieces of all texts.
    int64_t most = 0;
    Checkpoints checkpoints;
    for (int64_t i = 0; i < x_.elements(); ++i) {
      const int64_t before = std::ssize(pieces);
      split(x[i], pieces);
      checkpoints.add(kTextWork + int64_t(x[i].size()));
      counts[i] = std::ssize(pieces) - before;
      most = std::max(most, counts[i]);
    }
    Shape shape = x_;
    shape.push_back(most);
    std::string* y = context.allocate_output(0, shape).data<std::string>();
    const std::string_view* piece = pieces.data();
    for (int64_t i = 0; i < x_.elements(); ++i, y += most, piece += counts[i - 1]) {
      checkpoints.in_parts(most, kTextWork, [&](int64_t k, int64_t end) {
        for (; k < end; ++k) {
          y[k].clear();
          if (k >= counts[i]) continue;
          if (piece[k].size() > y[k].capacity()) count_text(piece[k].size());
          y[k].assign(piece[k]);
        }
      });
    }
  }

 private:
  static constexpr int64_t kTextWork = 32;

  void split(const std::string& text, Pieces& pieces) const {
    if (delimiter_.empty())
      split_at_white_space(text, most_splits_, pieces);
    else
      split_at(delimiter_, text, most_splits_, pieces);
  }

  Shape x_;
  std::string delimiter_;
  int64_t most_splits_;
};

/// StringSplit: the substrings of each element between delimiters, in rows padded with empty strings. Without a
/// delimiter, runs of Unicode white space separate substrings. White space at the ends is removed, also after the last
/// allowed split. An empty string has one substring, itself; without a delimiter it has no substrings.
/// X: string, any shape.
/// Y: string, X's shape with a last dim of the largest number of substrings.
/// Z: int64, X's shape.
/// maxsplit: a negative number sets no limit.
/// Source: https://onnx.ai/onnx/operators/onnx__StringSplit.html
class StringSplit final : public Op {
 public:
  explicit StringSplit(const NodeSpec& node)
      : delimiter_(node.attr_or("delimiter", "")), most_splits_(node.attr_or("maxsplit", -1)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kString, "X");
    std::optional<Dims> dims = in[0].dims;
    if (dims) dims->emplace_back();
    return {Fact(DType::kString, dims), Fact(DType::kInt64, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<StringSplitKernel>(in.shape(0), delimiter_, most_splits_);
  }

 private:
  std::string delimiter_;
  int64_t most_splits_;
};

}  // namespace

LINNET_REGISTER(string_split)(Registry& registry) { registry.add<StringSplit>("StringSplit", {.since = 20}); }

}  // namespace linnet
