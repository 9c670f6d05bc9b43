#include "model_parts.h"

#include <cmath>
#include <limits>

namespace linnet {

ModelParts::ModelParts(pb::ModelProto& model) {
  add(*model.mutable_graph());
  for (pb::FunctionProto& function : *model.mutable_functions()) {
    add(*function.mutable_node());
    names.insert(names.end(), function.input().begin(), function.input().end());
  }
}

void ModelParts::add(pb::GraphProto& graph) {
  graphs.push_back(&graph);
  for (pb::TensorProto& tensor : *graph.mutable_initializer()) {
    tensors.push_back(&tensor);
    names.push_back(tensor.name());
  }
  for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
    for (pb::ValueInfoProto& value : *list) {
      values.push_back(&value);
      names.push_back(value.name());
    }
  }
  add(*graph.mutable_node());
}

void ModelParts::add(google::protobuf::RepeatedPtrField<pb::NodeProto>& list) {
  node_lists.push_back(&list);
  for (pb::NodeProto& node : list) {
    nodes.push_back(&node);
    names.insert(names.end(), node.output().begin(), node.output().end());
    for (pb::AttributeProto& attribute : *node.mutable_attribute()) {
      attributes.push_back(&attribute);
      if (attribute.has_t()) tensors.push_back(attribute.mutable_t());
      if (attribute.has_g()) add(*attribute.mutable_g());
      for (pb::GraphProto& graph : *attribute.mutable_graphs()) add(graph);
    }
  }
}

int64_t draw_integer(std::minstd_rand& random) {
  constexpr int64_t kEdges[] = {0,         -1,        1,         2,         3,           4,         7,
                                8,         16,        17,        31,        64,          65,        -2,
                                1 << 10,   1 << 20,   INT32_MAX, INT32_MIN, 1LL << 31,   1LL << 32, 1LL << 61,
                                1LL << 62, INT64_MAX, INT64_MIN, 1LL << 40, -(1LL << 40)};
  if (draw(random, 2) == 0) return draw(random, 12) - 3;
  return kEdges[draw(random, std::size(kEdges))];
}

float draw_float(std::minstd_rand& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float edges[] = {0.f,           -0.f,  1.f,    -1.f,   0.5f,  2.f,   kInfinity, -kInfinity,
                         std::nanf(""), 1e30f, -1e30f, 1e-40f, 3e38f, 1e-5f, 1e5f,      127.5f};
  return edges[draw(random, std::size(edges))];
}

}  // namespace linnet
