#include <algorithm>
#include <string>
#include <string_view>

#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "tensor/seeded_hash.h"
#include "text/unicode.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

using Change = std::string (CaseMap::*)(const std::string&) const;
using CountedText = std::basic_string<char, std::char_traits<char>, CountedAllocator<char>>;

constexpr int64_t kWordWork = 128;

/// The stop words and the change of case.
class Rules {
 public:
  explicit Rules(const NodeSpec& node)
      : cases_(node.attr_or("locale", "en_US")), change_(change_of(node.attr_or("case_change_action", "NONE"))) {
    fold_ = !node.attr_or("is_case_sensitive", false);
    const auto* words = node.find<std::vector<std::string>>("stopwords");
    if (!words) return;
    Checkpoints checkpoints;
    for (const std::string& word : *words) {
      checkpoints.add(kWordWork + checked_mul(8, int64_t(word.size())));
      stopwords_.emplace(key(word));
    }
  }

  bool has_stopwords() const { return !stopwords_.empty(); }
  bool keeps(const std::string& word) const {
    return stopwords_.empty() || !stopwords_.contains(std::string_view(key(word)));
  }
  std::string change(const std::string& word) const { return change_ ? (cases_.*change_)(word) : word; }

 private:
  static Change change_of(const std::string& name) {
    if (name == "UPPER") return &CaseMap::upper;
    if (name == "LOWER") return &CaseMap::lower;
    if (name != "NONE") throw_value("case_change_action", "'" + name + "'", "NONE, LOWER or UPPER");
    return nullptr;
  }

  std::string key(const std::string& word) const { return fold_ ? cases_.fold(word) : word; }

  CaseMap cases_;
  Change change_;
  bool fold_;
  SeededSet<CountedText> stopwords_;
};

class StringNormalizerKernel final : public Kernel {
 public:
  StringNormalizerKernel(const CompileInput& in, std::shared_ptr<const Rules> rules)
      : rules_(std::move(rules)), x_(in.shape(0)), open_(!in.output_fact(0).concrete()) {}

  void run(KernelContext& context) const override {
    const std::string* x = context.input(0).data<std::string>();
    CountedVector<std::string> kept;
    Checkpoints checkpoints;
    for (int64_t i = 0; i < x_.elements(); ++i) {
      checkpoints.add(kWordWork + 8 * int64_t(x[i].size()));
      if (!rules_->keeps(x[i])) continue;
      count_text(x[i].size());
      kept.push_back(rules_->change(x[i]));
      // Counts the bytes by which the other case is longer.
      count_text(kept.back().size() - std::min(kept.back().size(), x[i].size()));
    }
    if (kept.empty()) kept.emplace_back();
    Shape y = x_;
    y[y.rank() - 1] = int64_t(kept.size());
    Tensor& output = open_ ? context.allocate_output(0, y) : context.output(0);
    std::move(kept.begin(), kept.end(), output.data<std::string>());
  }

 private:
  std::shared_ptr<const Rules> rules_;
  Shape x_;
  bool open_;
};

/// StringNormalizer: X without its stop words, optionally in lower or upper case. Case changes follow the full rules of
/// Unicode and of the language of the attribute `locale` (see CaseMap). Without is_case_sensitive, words are compared
/// in folded case. If no word remains, Y is one empty string.
/// X: string [C] or [1, C].
/// Y: string [K] or [1, K].
/// Text whose case is changed or folded must be UTF-8.
/// Source: https://onnx.ai/onnx/operators/onnx__StringNormalizer.html
class StringNormalizer final : public Op {
 public:
  explicit StringNormalizer(const NodeSpec& node) : rules_(std::make_shared<Rules>(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kString, "X");
    if (!in[0].has_rank()) return {Fact(DType::kString, std::nullopt)};
    Dims dims = *in[0].dims;
    if (dims.size() != 1) {
      require_rank(in[0], 2, "X");
      dims[0] = merge_dim(dims[0], 1, "the first dim of X and 1");
    }
    dims.back() = rules_->has_stopwords() ? Dim() : max(dims.back(), 1);
    return {Fact(DType::kString, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<StringNormalizerKernel>(in, rules_);
  }

 private:
  std::shared_ptr<const Rules> rules_;
};

}  // namespace

LINNET_REGISTER(string_normalizer)(Registry& registry) {
  registry.add<StringNormalizer>("StringNormalizer", {.since = 10});
}

}  // namespace linnet
