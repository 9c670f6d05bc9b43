#include "mutate_model.h"

#include <algorithm>

#include "linnet/registry.h"
#include "model_parts.h"

namespace linnet {
namespace {

using Random = std::minstd_rand;

template <class Repeated, class Value>
void change_list(Repeated& list, Random& random, const Value& value) {
  const int how = draw(random, 6);
  if (list.empty() || how == 0) {
    list.Add(value);
  } else if (how == 1) {
    list.RemoveLast();
  } else if (how == 2) {
    list.SwapElements(draw(random, list.size()), draw(random, list.size()));
  } else {
    list.Set(draw(random, list.size()), value);
  }
}

void change_type(Random& random, pb::TypeProto& type) {
  pb::TypeProto::Tensor& tensor = *type.mutable_tensor_type();
  if (draw(random, 4) == 0) return tensor.set_elem_type(draw(random, 24));
  if (draw(random, 8) == 0) return tensor.clear_shape();
  auto& dims = *tensor.mutable_shape()->mutable_dim();
  const int how = draw(random, 6);
  if (dims.empty() || how == 0) {
    dims.Add()->set_dim_value(draw(random, 4));
  } else if (how == 1) {
    dims.RemoveLast();
  } else if (how == 2) {
    dims[draw(random, dims.size())].set_dim_param("N");
  } else {
    dims[draw(random, dims.size())].set_dim_value(draw_integer(random));
  }
}

void change_value_info(pb::ModelProto&, ModelParts& parts, Random& random) {
  if (!parts.values.empty()) change_type(random, *pick(parts.values, random)->mutable_type());
}

/// Gives the tensor as many bytes or values as its dims require, unless that is too many.
void fit_contents(pb::TensorProto& tensor) {
  int64_t elements = 1;
  for (const int64_t dim : tensor.dims()) {
    if (dim < 0 || dim > 4096 || elements * dim > 4096) return;
    elements *= dim;
  }
  if (tensor.has_raw_data()) {
    const int64_t before = std::max<int64_t>(1, int64_t(tensor.raw_data().size()) / std::max<int64_t>(1, elements));
    tensor.mutable_raw_data()->resize(size_t(elements * std::clamp<int64_t>(before, 1, 16)));
  }
  if (!tensor.float_data().empty()) tensor.mutable_float_data()->Resize(int(elements), 1.f);
  if (!tensor.int64_data().empty()) tensor.mutable_int64_data()->Resize(int(elements), 1);
  if (!tensor.int32_data().empty()) tensor.mutable_int32_data()->Resize(int(elements), 1);
}

template <class T>
void put_raw(std::string& raw, Random& random, T value) {
  const int slots = int(raw.size() / sizeof(T));
  if (slots > 0)
    raw.replace(size_t(draw(random, slots)) * sizeof(T), sizeof(T), reinterpret_cast<char*>(&value), sizeof(T));
}

void change_contents(pb::TensorProto& tensor, Random& random) {
  if (!tensor.raw_data().empty()) {
    std::string& raw = *tensor.mutable_raw_data();
    if (tensor.data_type() == pb::TensorProto::INT64) return put_raw(raw, random, draw_integer(random));
    if (tensor.data_type() == pb::TensorProto::FLOAT) return put_raw(raw, random, draw_float(random));
    return put_raw(raw, random, char(random()));
  }
  auto change = [&](auto& list, auto value) { list.Set(draw(random, list.size()), value); };
  if (!tensor.float_data().empty()) change(*tensor.mutable_float_data(), draw_float(random));
  if (!tensor.int64_data().empty()) change(*tensor.mutable_int64_data(), draw_integer(random));
  if (!tensor.int32_data().empty()) change(*tensor.mutable_int32_data(), int32_t(draw_integer(random)));
}

void change_tensor(pb::ModelProto&, ModelParts& parts, Random& random) {
  if (parts.tensors.empty()) return;
  pb::TensorProto& tensor = *pick(parts.tensors, random);
  const int how = draw(random, 8);
  if (how == 0) {
    tensor.set_data_type(draw(random, 24));
  } else if (how < 4) {
    change_list(*tensor.mutable_dims(), random, draw(random, 2) ? draw_integer(random) : draw(random, 5));
    if (draw(random, 4)) fit_contents(tensor);
  } else {
    change_contents(tensor, random);
  }
}

std::string draw_text(Random& random) {
  static const char* const kTexts[] = {"",           "linear",  "constant",      "reflect",   "edge",        "wrap",
                                       "cubic",      "VALID",   "NCHW",          "none",      "mul",         "DCR",
                                       "SAME_UPPER", "forward", "bidirectional", "ij,jk->ik", "...ii->...i", "tanh",
                                       "sum",        "max",     "\xff",          "relu"};
  return kTexts[draw(random, std::size(kTexts))];
}

void change_attribute(pb::ModelProto&, ModelParts& parts, Random& random) {
  if (parts.attributes.empty()) return;
  pb::AttributeProto& attribute = *pick(parts.attributes, random);
  if (draw(random, 24) == 0) return attribute.set_type(pb::AttributeProto::AttributeType(draw(random, 12)));
  switch (attribute.type()) {
    case pb::AttributeProto::INT:
      return attribute.set_i(draw_integer(random));
    case pb::AttributeProto::FLOAT:
      return attribute.set_f(draw_float(random));
    case pb::AttributeProto::STRING:
      return attribute.set_s(draw_text(random));
    case pb::AttributeProto::INTS:
      return change_list(*attribute.mutable_ints(), random, draw_integer(random));
    case pb::AttributeProto::FLOATS:
      return change_list(*attribute.mutable_floats(), random, draw_float(random));
    default:
      return;
  }
}

/// Adds an attribute with the name of another node's, or a common name.
void add_attribute(pb::ModelProto&, ModelParts& parts, Random& random) {
  static const char* const kNames[] = {"axis",  "axes", "pads", "strides",  "dilations",
                                       "group", "mode", "to",   "keepdims", "kernel_shape"};
  if (parts.nodes.empty()) return;
  pb::NodeProto& node = *pick(parts.nodes, random);
  if (!node.attribute().empty() && draw(random, 3) == 0) return node.mutable_attribute()->RemoveLast();
  pb::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(kNames[draw(random, std::size(kNames))]);
  if (!parts.attributes.empty() && draw(random, 2))
    attribute.CopyFrom(pb::AttributeProto(*pick(parts.attributes, random)));
  if (attribute.type()) return;
  attribute.set_type(draw(random, 2) ? pb::AttributeProto::INT : pb::AttributeProto::INTS);
  attribute.set_i(draw_integer(random));
  attribute.add_ints(draw_integer(random));
}

void change_edge(pb::ModelProto&, ModelParts& parts, Random& random) {
  if (parts.nodes.empty() || parts.names.empty()) return;
  pb::NodeProto& node = *pick(parts.nodes, random);
  const int how = draw(random, 8);
  if (how == 0) return void(node.add_input(pick(parts.names, random)));
  if (how == 1 && !node.output().empty()) return node.mutable_output(draw(random, node.output_size()))->clear();
  if (how == 2) return void(node.add_output("more" + std::to_string(random() % 1000)));
  if (node.input().empty()) return;
  if (how == 3) return node.mutable_input()->RemoveLast();
  *node.mutable_input(draw(random, node.input_size())) = how == 4 ? "" : pick(parts.names, random);
}

void change_operator(pb::ModelProto& model, ModelParts& parts, Random& random) {
  static const std::vector<Registry::Entry> entries = standard_registry().entries();
  if (parts.nodes.empty()) return;
  const Registry::Entry& entry = pick(entries, random);
  pb::NodeProto& node = *pick(parts.nodes, random);
  node.set_op_type(entry.op_type);
  node.set_domain(entry.domain);
  for (const auto& import : model.opset_import()) {
    if (import.domain() == entry.domain) return;
  }
  pb::OperatorSetIdProto& import = *model.add_opset_import();
  import.set_domain(entry.domain);
  import.set_version(entry.since.back());
}

/// Inserts a copy of another node that reads the value of an edge.
void insert_node(pb::ModelProto&, ModelParts& parts, Random& random) {
  if (parts.nodes.empty() || parts.names.empty()) return;
  pb::NodeProto node = *pick(parts.nodes, random);
  for (std::string& output : *node.mutable_output()) output += "_" + std::to_string(random() % 1000);
  if (node.output().empty() || node.input().empty()) return;
  *node.mutable_input(0) = pick(parts.names, random);
  pb::NodeProto& reader = *pick(parts.nodes, random);
  if (!reader.input().empty()) *reader.mutable_input(draw(random, reader.input_size())) = node.output(0);
  *pick(parts.node_lists, random)->Add() = node;
}

void change_nodes(pb::ModelProto&, ModelParts& parts, Random& random) {
  auto& list = *pick(parts.node_lists, random);
  if (list.empty()) return;
  if (draw(random, 2)) return list.SwapElements(draw(random, list.size()), draw(random, list.size()));
  list.DeleteSubrange(draw(random, list.size()), 1);
}

void change_outputs(pb::ModelProto&, ModelParts& parts, Random& random) {
  pb::GraphProto& graph = *pick(parts.graphs, random);
  if (draw(random, 3) == 0 && graph.output_size() > 1) return graph.mutable_output()->RemoveLast();
  if (!parts.names.empty()) graph.add_output()->set_name(pick(parts.names, random));
}

/// Converts an initializer to an input, or an input to an initializer of ones.
void change_constancy(pb::ModelProto&, ModelParts& parts, Random& random) {
  pb::GraphProto& graph = *pick(parts.graphs, random);
  if (draw(random, 2) && !graph.initializer().empty()) {
    pb::TensorProto& tensor = *graph.mutable_initializer(draw(random, graph.initializer_size()));
    pb::ValueInfoProto& input = *graph.add_input();
    input.set_name(tensor.name());
    input.mutable_type()->mutable_tensor_type()->set_elem_type(tensor.data_type());
    for (const int64_t dim : tensor.dims()) {
      input.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
    }
    std::swap(tensor, *graph.mutable_initializer()->rbegin());
    return graph.mutable_initializer()->RemoveLast();
  }
  if (graph.input().empty()) return;
  const pb::ValueInfoProto input = graph.input(draw(random, graph.input_size()));
  pb::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(input.name());
  tensor.set_data_type(input.type().tensor_type().elem_type());
  for (const auto& dim : input.type().tensor_type().shape().dim())
    tensor.add_dims(std::max<int64_t>(dim.dim_value(), 1));
  if (tensor.data_type() == pb::TensorProto::FLOAT) tensor.add_float_data(1);
  if (tensor.data_type() == pb::TensorProto::INT64) tensor.add_int64_data(1);
  tensor.add_int32_data(1);
  fit_contents(tensor);
  if (draw(random, 8)) {
    if (tensor.data_type() == pb::TensorProto::FLOAT || tensor.data_type() == pb::TensorProto::INT64)
      tensor.clear_int32_data();
    auto& inputs = *graph.mutable_input();
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(), [&](const auto& i) { return i.name() == input.name(); }),
                 inputs.end());
  }
}

void change_version(pb::ModelProto& model, ModelParts&, Random& random) {
  if (draw(random, 8) == 0) return model.set_ir_version(draw(random, 14));
  if (model.opset_import().empty()) return;
  model.mutable_opset_import(draw(random, model.opset_import_size()))->set_version(1 + draw(random, 28));
}

using Mutation = void (*)(pb::ModelProto&, ModelParts&, Random&);
// Mutations with more alternatives occur more often.
constexpr Mutation kMutations[] = {
    change_value_info, change_value_info, change_tensor,  change_tensor,    change_tensor,    change_attribute,
    change_attribute,  change_attribute,  add_attribute,  change_edge,      change_edge,      change_operator,
    insert_node,       change_nodes,      change_outputs, change_constancy, change_constancy, change_version};

}  // namespace

void mutate(pb::ModelProto& model, Random& random) {
  ModelParts parts(model);
  kMutations[draw(random, std::size(kMutations))](model, parts, random);
}

void graft(pb::ModelProto& model, const pb::ModelProto& other, Random& random) {
  const std::string suffix = "_" + std::to_string(random() % 1000);
  std::string link;
  if (const ModelParts parts(model); !parts.names.empty()) link = pick(parts.names, random);
  pb::ModelProto added = other;
  for (pb::GraphProto* graph : ModelParts(added).graphs) {
    for (auto* values : {graph->mutable_input(), graph->mutable_output(), graph->mutable_value_info()}) {
      for (pb::ValueInfoProto& value : *values) value.set_name(value.name() + suffix);
    }
    for (pb::TensorProto& tensor : *graph->mutable_initializer()) tensor.set_name(tensor.name() + suffix);
  }
  for (pb::NodeProto* node : ModelParts(added).nodes) {
    for (auto* names : {node->mutable_input(), node->mutable_output()}) {
      for (std::string& name : *names) name += name.empty() ? "" : suffix;
    }
  }
  if (added.graph().input_size() > 0 && draw(random, 4)) {
    const std::string replaced = added.graph().input(0).name();
    added.mutable_graph()->mutable_input()->DeleteSubrange(0, 1);
    for (pb::NodeProto* node : ModelParts(added).nodes) {
      for (std::string& name : *node->mutable_input()) name = name == replaced ? link : name;
    }
  }
  std::string bytes;
  added.graph().SerializeToString(&bytes);
  model.mutable_graph()->MergeFromString(bytes);
  for (const auto& import : other.opset_import()) {
    const auto same = [&](const auto& known) { return known.domain() == import.domain(); };
    if (std::none_of(model.opset_import().begin(), model.opset_import().end(), same))
      *model.add_opset_import() = import;
  }
}

}  // namespace linnet
