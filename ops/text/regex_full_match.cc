#include "infer/infer.h"
#include "partition/parallel.h"
#include "registration.h"
#include "text/regex.h"

namespace linnet {
namespace {

class RegexFullMatchKernel final : public Kernel {
 public:
  RegexFullMatchKernel(int64_t size, Regex pattern) : size_(size), pattern_(std::move(pattern)) {}

  void run(KernelContext& context) const override {
    const std::string* x = context.input(0).data<std::string>();
    bool* y = context.output(0).data<bool>();
    parallel_items(context.executor(), size_, kElementCost, [&](int64_t begin, int64_t end, int) {
      Checkpoints checkpoints;
      for (int64_t i = begin; i < end; ++i) y[i] = pattern_.matches_whole(x[i], checkpoints);
    });
  }

 private:
  static constexpr int64_t kElementCost = 64;
  int64_t size_;
  Regex pattern_;
};

/// RegexFullMatch: whether each whole string matches the pattern, an RE2 expression over UTF-8. Bytes that are not
/// UTF-8 match no character of the pattern.
/// X: string, any shape.
/// Y: bool.
/// Sources: https://onnx.ai/onnx/operators/onnx__RegexFullMatch.html, https://github.com/google/re2/wiki/Syntax
class RegexFullMatch final : public Op {
 public:
  explicit RegexFullMatch(const NodeSpec& node) : pattern_(node.attr_or("pattern", "")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kString, "X");
    return {Fact(DType::kBool, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<RegexFullMatchKernel>(in.shape(0).elements(), pattern_);
  }

 private:
  Regex pattern_;
};

}  // namespace

LINNET_REGISTER(regex_full_match)(Registry& registry) { registry.add<RegexFullMatch>("RegexFullMatch", {.since = 20}); }

}  // namespace linnet
