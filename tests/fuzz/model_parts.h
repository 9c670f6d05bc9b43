#pragma once

#include <random>
#include <string>
#include <vector>

#include "linnet_onnx.pb.h"

namespace linnet {

namespace pb = ::linnet_onnx;

/// The parts of a model that mutations choose from, including bodies and functions. Valid until the model changes.
struct ModelParts {
  explicit ModelParts(pb::ModelProto& model);

  std::vector<pb::GraphProto*> graphs;  ///< the main one first
  std::vector<google::protobuf::RepeatedPtrField<pb::NodeProto>*> node_lists;
  std::vector<pb::NodeProto*> nodes;
  std::vector<pb::AttributeProto*> attributes;
  std::vector<pb::TensorProto*> tensors;  ///< initializers and attributes
  std::vector<pb::ValueInfoProto*> values;
  std::vector<std::string> names;  ///< of values

 private:
  void add(pb::GraphProto& graph);
  void add(google::protobuf::RepeatedPtrField<pb::NodeProto>& list);
};

/// Returns a number from 0 to count - 1.
inline int draw(std::minstd_rand& random, int count) { return int(random() % unsigned(count)); }

/// Returns an element of a list that is not empty.
template <class List>
auto& pick(List& list, std::minstd_rand& random) {
  return list[size_t(draw(random, int(list.size())))];
}

/// Returns small numbers, and numbers at which sizes wrap around.
int64_t draw_integer(std::minstd_rand& random);
float draw_float(std::minstd_rand& random);

}  // namespace linnet
