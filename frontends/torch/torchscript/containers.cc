#include <algorithm>

#include "tracer.h"

// Lists, tuples and dicts. Their elements may depend on inputs; their lengths may not.
namespace linnet::exporter::torchscript {

void Tracer::add_containers(std::unordered_map<std::string, Handler>& handlers) {
  handlers["prim::ListConstruct"] = &Tracer::pack;
  handlers["prim::TupleConstruct"] = &Tracer::pack;
  handlers["prim::DictConstruct"] = &Tracer::pack_dict;
  handlers["prim::ListUnpack"] = &Tracer::unpack;
  handlers["prim::TupleUnpack"] = &Tracer::unpack;
  handlers["prim::TupleIndex"] = &Tracer::tuple_index;
  handlers["prim::TupleSlice"] = &Tracer::tuple_slice;
  handlers["aten::append.t"] = &Tracer::append;
  handlers["aten::extend.t"] = &Tracer::extend;
  handlers["aten::pop.t"] = &Tracer::pop;
  handlers["aten::copy.t"] = &Tracer::copy_list;
  handlers["aten::list.t"] = &Tracer::copy_list;
  handlers["aten::add.t"] = &Tracer::concatenate;
  handlers["aten::slice.t"] = &Tracer::slice_list;
  handlers["aten::_set_item.t"] = &Tracer::set_item;
  handlers["aten::__getitem__.t"] = &Tracer::get_item;
  handlers["aten::len.t"] = &Tracer::list_length;
  for (const char* key : {"str", "int", "bool", "float", "Tensor"}) {
    const std::string suffix = std::string(".Dict_") + key;
    handlers["aten::__getitem__" + suffix] = &Tracer::get_item;
    handlers["aten::len" + suffix] = &Tracer::list_length;
    handlers["aten::values." + std::string(key)] = &Tracer::dict_values;
    handlers["aten::_set_item." + std::string(key)] = &Tracer::set_item;
    handlers["aten::__contains__." + std::string(key)] = &Tracer::contains_key;
  }
}

Container& Tracer::container_of(const Node& node, size_t input) {
  const Value& value = value_of(node.inputs()[input]);
  if (!value.is_container()) Site(node).refuse("the exporter cannot follow this list");
  return *value.container;
}

int64_t Tracer::constant_int(const Node& node, size_t input) {
  const Value& value = value_of(node.inputs()[input]);
  if (!value.constant()) Site(node).refuse("a position that depends on the model's inputs");
  return value.concrete[0].toInt();
}

void Tracer::pack(const Node& node) { bind(node.output(), make_container(inputs_of(node))); }

void Tracer::pack_dict(const Node& node) {
  std::vector<Value> elements;
  std::vector<c10::IValue> keys;
  for (size_t i = 0; i + 1 < node.inputs().size(); i += 2) {
    keys.push_back(value_of(node.inputs()[i]).concrete[0]);
    elements.push_back(value_of(node.inputs()[i + 1]));
  }
  bind(node.output(), make_container(std::move(elements), std::move(keys)));
}

void Tracer::unpack(const Node& node) {
  const std::vector<Value> elements = container_of(node, 0).elements;
  if (elements.size() != node.outputs().size()) Site(node).refuse("the list has another length than the names");
  for (size_t i = 0; i < elements.size(); ++i) bind(node.outputs()[i], elements[i]);
}

void Tracer::tuple_index(const Node& node) { get_item(node); }

void Tracer::tuple_slice(const Node& node) {
  const std::vector<Value>& all = container_of(node, 0).elements;
  bind(node.output(),
       make_container({all.begin() + node.i(torch::jit::attr::beg), all.begin() + node.i(torch::jit::attr::end)}));
}

namespace {

size_t position(const Container& container, int64_t index, const Site& site) {
  const auto size = int64_t(container.elements.size());
  if (index < -size || index >= size) site.refuse(text_of("no element ", index, " in a list of ", size));
  return size_t(index < 0 ? index + size : index);
}

size_t key_position(const Container& container, const c10::IValue& key) {
  const auto found =
      std::find_if(container.keys.begin(), container.keys.end(), [&](auto& other) { return other == key; });
  return size_t(found - container.keys.begin());
}

}  // namespace

void Tracer::append(const Node& node) {
  if (bodies_ > 0) Site(node).refuse("a list changes in a branch or loop that the model's inputs decide");
  container_of(node, 0).elements.push_back(value_of(node.inputs()[1]));
  bind(node.output(), value_of(node.inputs()[0]));
}

void Tracer::extend(const Node& node) {
  if (bodies_ > 0) Site(node).refuse("a list changes in a branch or loop that the model's inputs decide");
  const std::vector<Value> more = container_of(node, 1).elements;
  std::vector<Value>& all = container_of(node, 0).elements;
  all.insert(all.end(), more.begin(), more.end());
}

void Tracer::pop(const Node& node) {
  if (bodies_ > 0) Site(node).refuse("a list changes in a branch or loop that the model's inputs decide");
  Container& container = container_of(node, 0);
  const size_t index = position(container, node.inputs().size() > 1 ? constant_int(node, 1) : -1, Site(node));
  bind(node.output(), container.elements[index]);
  container.elements.erase(container.elements.begin() + std::ptrdiff_t(index));
}

void Tracer::set_item(const Node& node) {
  if (bodies_ > 0) Site(node).refuse("a list changes in a branch or loop that the model's inputs decide");
  Container& container = container_of(node, 0);
  const Value value = value_of(node.inputs()[2]);
  if (node.inputs()[0]->type()->kind() == c10::TypeKind::DictType) {
    const c10::IValue key = value_of(node.inputs()[1]).concrete[0];
    const size_t index = key_position(container, key);
    if (index < container.keys.size()) {
      container.elements[index] = value;
    } else {
      container.keys.push_back(key);
      container.elements.push_back(value);
    }
  } else {
    container.elements[position(container, constant_int(node, 1), Site(node))] = value;
    if (!node.outputs().empty()) bind(node.output(), value_of(node.inputs()[0]));
  }
}

void Tracer::get_item(const Node& node) {
  const Container& container = container_of(node, 0);
  size_t index = 0;
  if (node.inputs()[0]->type()->kind() == c10::TypeKind::DictType) {
    index = key_position(container, value_of(node.inputs()[1]).concrete[0]);
    if (index == container.keys.size()) Site(node).refuse("the dict has no such key");
  } else {
    index = position(container, constant_int(node, 1), Site(node));
  }
  bind(node.output(), Value(container.elements[index]));
}

void Tracer::list_length(const Node& node) {
  const auto length = int64_t(container_of(node, 0).elements.size());
  bind(node.output(), make_constant(std::vector<c10::IValue>(evaluations_, length)));
}

void Tracer::concatenate(const Node& node) {
  std::vector<Value> all = container_of(node, 0).elements;
  const std::vector<Value>& more = container_of(node, 1).elements;
  all.insert(all.end(), more.begin(), more.end());
  bind(node.output(), make_container(std::move(all)));
}

void Tracer::slice_list(const Node& node) {
  const std::vector<Value>& all = container_of(node, 0).elements;
  const auto size = int64_t(all.size());
  const auto bound = [&](size_t input, int64_t absent) {
    if (value_of(node.inputs()[input]).is_none()) return absent;
    const int64_t index = constant_int(node, input);
    return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
  };
  std::vector<Value> some;
  const int64_t end = bound(2, size), step = constant_int(node, 3);
  for (int64_t i = bound(1, 0); i < end; i += step) some.push_back(all[size_t(i)]);
  bind(node.output(), make_container(std::move(some)));
}

void Tracer::copy_list(const Node& node) { bind(node.output(), make_container(container_of(node, 0).elements)); }

void Tracer::contains_key(const Node& node) {
  const Container& container = container_of(node, 0);
  const bool found = key_position(container, value_of(node.inputs()[1]).concrete[0]) < container.keys.size();
  bind(node.output(), make_constant(std::vector<c10::IValue>(evaluations_, found)));
}

void Tracer::dict_values(const Node& node) { bind(node.output(), make_container(container_of(node, 0).elements)); }

}  // namespace linnet::exporter::torchscript
