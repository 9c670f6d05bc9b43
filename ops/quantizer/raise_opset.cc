#include "quantizer/raise_opset.h"

#include <algorithm>
#include <string_view>

namespace linnet {
namespace {

/// Ranges of opsets, up to 13, in which an operator has the same meaning.
/// Source: https://github.com/onnx/onnx/blob/main/docs/Changelog.md
struct Span {
  std::string_view op_type;
  int64_t first, last;
};
constexpr Span kUnchanged[] = {
    {"Abs", 6, 13},         {"Add", 7, 13},           {"AveragePool", 1, 13},
    {"Cast", 9, 13},        {"Clip", 6, 10},          {"Clip", 11, 13},
    {"Concat", 4, 13},      {"Constant", 1, 13},      {"BatchNormalization", 9, 13},
    {"Conv", 1, 13},        {"ConvTranspose", 1, 13}, {"ConstantOfShape", 9, 13},
    {"Div", 7, 13},         {"Elu", 6, 13},           {"DepthToSpace", 1, 13},
    {"Erf", 9, 13},         {"Exp", 6, 13},           {"Expand", 8, 13},
    {"Flatten", 1, 13},     {"Gather", 1, 13},        {"Gemm", 7, 13},
    {"HardSigmoid", 6, 13}, {"Identity", 1, 13},      {"GlobalAveragePool", 1, 13},
    {"LeakyRelu", 6, 13},   {"Log", 6, 13},           {"GlobalMaxPool", 1, 13},
    {"LRN", 1, 13},         {"MatMul", 1, 13},        {"InstanceNormalization", 6, 13},
    {"Max", 8, 13},         {"MaxPool", 1, 13},       {"Min", 8, 13},
    {"Mul", 7, 13},         {"Neg", 6, 13},           {"Pad", 2, 10},
    {"Pad", 11, 13},        {"Pow", 7, 13},           {"PRelu", 9, 13},
    {"ReduceMax", 1, 13},   {"ReduceMean", 1, 13},    {"ReduceSum", 1, 12},
    {"Relu", 6, 13},        {"Reshape", 5, 13},       {"Resize", 11, 13},
    {"Shape", 1, 13},       {"Sigmoid", 6, 13},       {"Slice", 10, 13},
    {"Softmax", 1, 12},     {"Softplus", 1, 13},      {"Split", 2, 12},
    {"Sqrt", 6, 13},        {"Squeeze", 1, 12},       {"Sub", 7, 13},
    {"Sum", 8, 13},         {"Tanh", 6, 13},          {"Tile", 6, 13},
    {"Transpose", 1, 13},   {"Unsqueeze", 1, 12},     {"Where", 9, 13},
};

bool is_unchanged(const NodeSpec& spec, int64_t opset) {
  return std::ranges::any_of(kUnchanged, [&](const Span& span) {
    return span.op_type == spec.op_type && span.first <= spec.opset && opset <= span.last;
  });
}

}  // namespace

int64_t needed_opset(const QuantizeOptions& options) {
  switch (options.mode) {
    case QuantizeMode::kStatic:
      return options.per_channel ? 13 : 10;
    case QuantizeMode::kDynamic:
      return 11;
    case QuantizeMode::kInt4:
      break;
  }
  return 1;
}

NodeSpec raise_opset(const NodeSpec& spec, int64_t opset, int64_t needed) {
  NodeSpec raised = spec;
  if (!spec.domain.empty() || spec.opset >= opset) return raised;
  if (is_unchanged(spec, opset)) {
    raised.opset = opset;
  } else if (spec.opset < needed) {
    throw Error(ErrorKind::kUnsupported,
                str(spec.describe(), " means something else in opset ", opset,
                    ", which this kind of quantised model needs: convert the model to it first"));
  }
  return raised;
}

}  // namespace linnet
