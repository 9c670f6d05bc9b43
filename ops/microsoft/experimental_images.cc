#include <algorithm>

#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "microsoft/of_dtype.h"
#include "registration.h"

// Former experimental operators of ONNX, which ONNX Runtime still supports.
namespace linnet {
namespace {

/// Crop: removes `border` = [left, top, right, bottom] pixels from images. If `scale` = [height, width] is given, keeps
/// that many pixels after the left and top border.
/// - input, output: float16/bfloat16/float/double [N, C, H, W]
/// Rejects parts outside of the images.
/// Source: https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/graph/contrib_ops/contrib_defs.cc
class Crop final : public ExpandedOp {
 public:
  explicit Crop(const NodeSpec& node)
      : ExpandedOp(node, Precision::kAny),
        border_(numbers(node, "border", 4)),
        scale_(node.has("scale") ? numbers(node, "scale", 2) : std::vector<int64_t>{}) {}

 private:
  static std::vector<int64_t> numbers(const NodeSpec& node, const std::string& name, size_t count) {
    const auto& values = node.attr<std::vector<int64_t>>(name);
    if (values.size() == count && std::none_of(values.begin(), values.end(), [](int64_t v) { return v < 0; })) {
      return values;
    }
    throw Error(ErrorKind::kModel, str(name, " must have ", count, " values, none of them negative"));
  }

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    const Fact& x = graph.facts()[0];
    require_floating(x, "input");
    require_rank(x, 4, "input");
    if (!x.has_rank() || !x.dim(2).known() || !x.dim(3).known()) return {graph.unknown(x.dtype)};
    std::vector<int64_t> starts, ends;
    for (const size_t i : {0, 1}) {
      const int64_t size = x.dim(int(i) + 2).value(), begin = border_[1 - i], after = border_[3 - i];
      starts.push_back(begin);
      ends.push_back(scale_.empty() ? size - after : checked_add(begin, scale_[i]));
      if (begin < ends.back() && ends.back() <= size) continue;
      throw Error(ErrorKind::kShape, str("border and scale must leave a part of the image ", x));
    }
    return {graph.op("Slice", {graph.in(0), graph.ints(starts), graph.ints(ends), graph.ints({2, 3})})};
  }

  std::vector<int64_t> border_, scale_;
};

/// ImageScaler: y = scale * x + bias, with a bias for each channel.
/// - input, output: float16/bfloat16/float/double [N, C, H, W]
/// - bias: C values; scale (1)
/// Source: https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/graph/contrib_ops/contrib_defs.cc
class ImageScaler final : public ExpandedOp {
 public:
  explicit ImageScaler(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        bias_(node.attr<std::vector<float>>("bias")),
        scale_(node.attr_or("scale", 1.f)) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    const Fact& x = graph.facts()[0];
    require_floating(x, "input");
    require_rank(x, 4, "input");
    const int64_t channels = int64_t(bias_.size());
    if (x.has_rank()) merge_dim(x.dim(1), channels, "the channels of input and the length of bias");
    const auto parameter = [&](const std::vector<float>& values) {
      return in_dtype(graph, graph.constant(Tensor::of<float>({channels}, values)), x.dtype);
    };
    const auto repeated = [&](float value) { return parameter(std::vector<float>(bias_.size(), value)); };
    // Normalisation by a mean of 0 and a variance of 1, which reads the image once.
    return {graph.op("BatchNormalization", {graph.in(0), repeated(scale_), parameter(bias_), repeated(0), repeated(1)},
                     {{"epsilon", 0.f}})};
  }

  std::vector<float> bias_;
  float scale_;
};

/// DynamicSlice: Slice of ONNX without steps.
/// - data, output: any dtype
/// - starts, ends, axes: int32/int64 [n], one dtype for all; axes may be omitted
/// Source: https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/graph/contrib_ops/contrib_defs.cc
class DynamicSlice final : public ExpandedOp {
 public:
  explicit DynamicSlice(const NodeSpec& node) : ExpandedOp(node, Precision::kAny) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 3, 4);
    std::vector<ValueId> inputs{graph.in(0), graph.in(1), graph.in(2)};
    if (graph.has(3)) inputs.push_back(graph.in(3));
    return {graph.op("Slice", inputs)};
  }
};

}  // namespace

LINNET_REGISTER(experimental_images)(Registry& registry) {
  add_expanded<Crop>(registry, "Crop", {});
  add_expanded<ImageScaler>(registry, "ImageScaler", {});
  add_expanded<DynamicSlice>(registry, "DynamicSlice", {});
}

}  // namespace linnet
