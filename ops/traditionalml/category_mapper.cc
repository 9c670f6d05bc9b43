#include "infer/infer.h"
#include "registration.h"
#include "traditionalml/feature_rows.h"
#include "traditionalml/key_table.h"

namespace linnet {
namespace {

constexpr DType kCategoryTypes[] = {DType::kString, DType::kInt64};

/// CategoryMapper: maps strings to the integers at the same positions of the two attributes, and vice versa. Elements
/// that are not in the list become the default of the output's dtype. Of repeated keys, the first one is used.
/// X: string or int64, any shape.
/// Y: the other dtype.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html
class CategoryMapper final : public Op {
 public:
  explicit CategoryMapper(const NodeSpec& node) {
    auto strings = node.attr_or("cats_strings", std::vector<std::string>{});
    auto ints = node.attr_or("cats_int64s", std::vector<int64_t>{});
    require_length("cats_int64s", ints.size(), int64_t(strings.size()));
    from_string_ = std::make_shared<KeyTable>(Tensor::of(strings));
    from_int_ = std::make_shared<KeyTable>(Tensor::of(ints));
    strings.push_back(node.attr_or("default_string", "_Unused"));
    ints.push_back(node.attr_or("default_int64", -1));
    strings_ = Tensor::of(strings);
    ints_ = Tensor::of(ints);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype_in(in[0], kCategoryTypes, "X");
    return {Fact(in[0].dtype == DType::kString ? DType::kInt64 : DType::kString, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return in.dtype(0) == DType::kString ? make_lookup_kernel(from_string_, ints_)
                                         : make_lookup_kernel(from_int_, strings_);
  }

 private:
  std::shared_ptr<const KeyTable> from_string_, from_int_;
  Tensor strings_, ints_;  // The default is at the end.
};

}  // namespace

LINNET_REGISTER(category_mapper)(Registry& registry) {
  registry.add<CategoryMapper>("CategoryMapper", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
