#include "onnx_graph.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "export_error.h"
#include "onnx_types.h"
#include "pairs.h"

namespace linnet::exporter {
namespace {

constexpr int64_t kSmallConstant = 64;  // elements; smaller constants are stored once
constexpr size_t kMostNodes = 1'000'000, kMostConstantBytes = size_t{1} << 31;

std::string contents_of(const Tensor& tensor) {
  std::string key = std::to_string(int(tensor.dtype()));
  for (const int64_t dim : tensor.shape()) key += ',' + std::to_string(dim);
  key += ':';
  return key.append(static_cast<const char*>(tensor.raw()), tensor.bytes());
}

bool same_tensor(const Tensor& a, const Tensor& b) {
  const bool is_alike = a.dtype() == b.dtype() && a.shape() == b.shape();
  return is_alike && (a.address() == b.address() || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

bool same_attribute(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&]<class T>(const T& x) {
        const T& y = std::get<T>(b);
        if constexpr (std::is_same_v<T, Tensor>) {
          return same_tensor(x, y);
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const OnnxGraph>>) {
          return same_graph(*x, *y);
        } else {
          return x == y;
        }
      },
      a);
}

bool same_node(const OnnxNode& a, const OnnxNode& b) {
  return a.op.op_type == b.op.op_type && a.op.domain == b.op.domain && a.inputs == b.inputs && a.outputs == b.outputs &&
         std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(),
                    [](auto& x, auto& y) { return x.first == y.first && same_attribute(x.second, y.second); });
}

bool same_initializer(const std::pair<std::string, Tensor>& a, const std::pair<std::string, Tensor>& b) {
  return a.first == b.first && same_tensor(a.second, b.second);
}

/// Removes the elements from an index on and returns them.
template <class T>
std::vector<T> taken_behind(std::vector<T>& list, size_t first) {
  const auto begin = list.begin() + std::ptrdiff_t(first);
  std::vector<T> taken(std::make_move_iterator(begin), std::make_move_iterator(list.end()));
  list.erase(begin, list.end());
  return taken;
}

void mark_needed(const OnnxGraph& graph, std::set<std::string>& needed);

void mark_inputs(const OnnxNode& node, std::set<std::string>& needed) {
  needed.insert(node.inputs.begin(), node.inputs.end());
  for (const auto& [name, attribute] : node.attributes) {
    if (const auto* body = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute)) mark_needed(**body, needed);
  }
}

void mark_needed(const OnnxGraph& graph, std::set<std::string>& needed) {
  for (const OnnxValue& output : graph.outputs) needed.insert(output.name);
  for (const OnnxNode& node : graph.nodes) mark_inputs(node, needed);
}

}  // namespace

bool same_graph(const OnnxGraph& a, const OnnxGraph& b) {
  return std::ranges::equal(a.nodes, b.nodes, same_node) &&
         std::ranges::equal(a.initializers, b.initializers, same_initializer);
}

std::string OnnxBuilder::unique(const std::string& wanted) {
  int& next = next_[wanted];
  const int before = next;
  std::string name = wanted;
  do {
    if (next > 0) name = wanted + "_" + std::to_string(next);
    ++next;
  } while (!used_.insert(name).second);
  order_.push_back({name, wanted, before});
  return name;
}

void OnnxBuilder::set_origin(const std::string& scope, const std::string& source) {
  scope_ = scope;
  source_ = source;
}

Names OnnxBuilder::emit(const OnnxOperator& op, const Names& inputs, const Attributes& attributes, size_t outputs) {
  if (++emitted_ > kMostNodes) throw ExportError("the graph has more than a million nodes");
  const std::string name = unique(scope_.empty() ? op.op_type : scope_ + "/" + op.op_type);
  OnnxNode node{op, name, inputs, {}, attributes, source_};
  while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(unique(name + "_output"));
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs;
}

std::string OnnxBuilder::cast(const std::string& value, DType dtype) {
  const auto known = dtypes_.find(value);
  if (known != dtypes_.end() && known->second == dtype) return value;
  const std::string result = emit("Cast", {value}, {{"to", int64_t(onnx_type(dtype))}}, 1)[0];
  set_dtype(result, dtype);
  return result;
}

std::string OnnxBuilder::constant(const Tensor& given, const std::string& name) {
  const Tensor tensor = stored_tensor(given);
  const bool small = name.empty() && tensor.size() <= kSmallConstant;
  const std::string key = small ? contents_of(tensor) : "";
  if (small) {
    const auto found = constants_.find(key);
    if (found != constants_.end()) return found->second;
  }
  if (name.empty()) constant_bytes_ += tensor.bytes();
  if (constant_bytes_ > kMostConstantBytes) throw ExportError("the graph's computed constants have more than 2 GiB");
  const std::string result = unique(name.empty() ? "constant" : name);
  graph_.initializers.emplace_back(result, tensor);
  set_dtype(result, tensor.dtype());
  if (small) {
    constants_.emplace(key, result);
    small_constants_.push_back(key);
  }
  return result;
}

std::string OnnxBuilder::tensor(const Tensor& given) {
  const Tensor tensor = stored_tensor(given);
  const auto known = parameters_.find(key_of(tensor));
  if (known == parameters_.end()) return constant(tensor.clone());
  Parameter& parameter = known->second;
  if (!used_.contains(parameter.value)) parameter.value = constant(tensor, parameter.name);
  return parameter.value;
}

void OnnxBuilder::name_tensor(const Tensor& given, const std::string& name) {
  const Tensor tensor = stored_tensor(given);
  parameters_.try_emplace(key_of(tensor), Parameter{tensor, name, ""});
}

bool OnnxBuilder::is_same_since(const Mark& mark, const OnnxGraph& other) const {
  return std::ranges::equal(std::span(graph_.nodes).subspan(mark.nodes), other.nodes, same_node) &&
         std::ranges::equal(std::span(graph_.initializers).subspan(mark.initializers), other.initializers,
                            same_initializer);
}

OnnxGraph OnnxBuilder::take_back(const Mark& mark) {
  while (outer_.size() > mark.bodies) end_body();
  OnnxGraph taken;
  taken.nodes = taken_behind(graph_.nodes, mark.nodes);
  taken.initializers = taken_behind(graph_.initializers, mark.initializers);
  emitted_ = mark.emitted;
  constant_bytes_ = mark.constant_bytes;
  for (; order_.size() > mark.names; order_.pop_back()) {
    const Used& last = order_.back();
    used_.erase(last.name);
    dtypes_.erase(last.name);
    next_[last.wanted] = last.before;
  }
  for (; small_constants_.size() > mark.constants; small_constants_.pop_back()) {
    constants_.erase(small_constants_.back());
  }
  return taken;
}

void OnnxBuilder::begin_body() { outer_.push_back(std::exchange(graph_.nodes, {})); }

OnnxGraph OnnxBuilder::end_body() {
  OnnxGraph body;
  body.nodes = std::exchange(graph_.nodes, std::move(outer_.back()));
  outer_.pop_back();
  return body;
}

void rename_values(OnnxGraph& graph, const std::unordered_map<std::string, std::string>& names) {
  const auto apply = [&](std::string& name) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
  };
  for (OnnxNode& node : graph.nodes) {
    std::for_each(node.inputs.begin(), node.inputs.end(), apply);
    std::for_each(node.outputs.begin(), node.outputs.end(), apply);
    for (auto& [name, attribute] : node.attributes) {
      const auto* body = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute);
      if (body == nullptr) continue;
      OnnxGraph copy = **body;
      rename_values(copy, names);
      for (OnnxValue& input : copy.inputs) apply(input.name);
      for (OnnxValue& output : copy.outputs) apply(output.name);
      attribute = std::make_shared<const OnnxGraph>(std::move(copy));
    }
  }
}

void remove_unused(OnnxGraph& graph) {
  std::set<std::string> needed;
  for (const OnnxValue& output : graph.outputs) needed.insert(output.name);
  std::vector<OnnxNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(), [&](auto& name) { return needed.contains(name); })) {
      continue;
    }
    mark_inputs(*node, needed);
    kept.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  for (const OnnxValue& input : graph.inputs) needed.insert(input.name);  // an initializer of that name is its default
  std::erase_if(graph.initializers, [&](auto& initializer) { return !needed.contains(initializer.first); });
}

}  // namespace linnet::exporter
