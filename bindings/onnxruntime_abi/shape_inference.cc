#include "shape_inference.h"

#include "slots.h"
#include "status.h"

namespace linnet::ort {

ShapeInferContext::ShapeInferContext(const NodeSpec& node_in, std::span<const Fact> in, std::vector<Fact> out)
    : node(node_in), outputs(std::move(out)) {
  for (const Fact& fact : in) inputs.push_back(tensor_info(fact));
}

Status* ShapeInferContext_GetInputCount(const ShapeInferContext* context, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = valid(context, "context").inputs.size(); });
}

Status* ShapeInferContext_GetInputTypeShape(const ShapeInferContext* context, size_t index,
                                            TensorTypeAndShapeInfo** info) noexcept {
  return guarded([&] {
    const auto& inputs = valid(context, "context").inputs;
    if (index >= inputs.size()) throw Failure(kRuntimeException, "Failed to fetch type shape for the index.");
    valid(info, "info") = const_cast<TensorTypeAndShapeInfo*>(&inputs[index]);
  });
}

Status* ShapeInferContext_GetAttribute(const ShapeInferContext* context, const char* name,
                                       const OpAttr** attribute) noexcept {
  return guarded([&] {
    const Attributes& attributes = valid(context, "context").node.attributes;
    const auto found = attributes.find(text(name, "attr_name"));
    require(found != attributes.end(), "Attribute does not exist.");
    auto& kept = const_cast<ShapeInferContext*>(context)->attributes;
    kept.push_back(std::make_unique<OpAttr>(OpAttr{name, found->second}));
    valid(attribute, "attr") = kept.back().get();
  });
}

Status* ShapeInferContext_SetOutputTypeShape(const ShapeInferContext* context, size_t index,
                                             const TensorTypeAndShapeInfo* info) noexcept {
  return guarded([&] {
    auto& outputs = const_cast<ShapeInferContext&>(valid(context, "context")).outputs;
    require(index < outputs.size(), "the index of the output is out of bounds");
    TensorTypeAndShapeInfo given = valid(info, "info");
    given.symbols.resize(given.dims.size());
    if (given.type == kUndefinedElement) given.type = ElementType(int(outputs[index].dtype));
    outputs[index] = fact_of(given);
  });
}

}  // namespace linnet::ort
