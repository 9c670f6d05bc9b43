#include "attribute_variations.h"

#include <limits>

namespace linnet {
namespace {

using Type = pb::AttributeProto;
using Variations = std::vector<std::pair<std::string, pb::AttributeProto>>;

template <class T>
std::string shown(const T& value) {
  return str(value);
}
std::string shown(const std::string& value) { return value.size() > 20 ? str(value.size(), " bytes") : value; }

std::vector<int64_t> integers() {
  using Limits = std::numeric_limits<int64_t>;
  return {
      0, 1, -1, 2, 3, 7, 100, int64_t{1} << 31, -(int64_t{1} << 31), int64_t{1} << 62, Limits::min(), Limits::max()};
}

std::vector<float> reals() {
  using Limits = std::numeric_limits<float>;
  return {0,
          1,
          -1,
          0.5F,
          Limits::lowest(),
          Limits::max(),
          Limits::quiet_NaN(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::denorm_min()};
}

std::vector<std::string> texts() { return {"", "x", std::string(3000, '('), "\xff\xfe", std::string(2, '\0')}; }

/// Adds lists without entries, with one more, with one less, with equal entries, and with each entry changed.
template <class List, class Value, class Set>
void vary_list(Variations& result, const pb::AttributeProto& attribute, const List& list,
               const std::vector<Value>& values, const Set& set) {
  std::vector<Value> before(list.begin(), list.end());
  const auto add = [&](const std::string& what, const std::vector<Value>& changed) {
    result.emplace_back(what, attribute);
    set(result.back().second, changed);
  };
  add("no entry", {});
  if (!before.empty()) {
    add("one entry less", {before.begin(), before.end() - 1});
    std::vector<Value> more = before;
    more.push_back(before.back());
    add("one entry more", more);
  }
  for (const Value& value : values) {
    add("all " + shown(value), std::vector<Value>(std::max<size_t>(1, before.size()), value));
    for (size_t i = 0; before.size() > 1 && i < std::min<size_t>(before.size(), 6); ++i) {
      std::vector<Value> changed = before;
      changed[i] = value;
      add(str("entry ", i, ": ", shown(value)), changed);
    }
  }
}

void vary_tensor(Variations& result, const pb::AttributeProto& attribute) {
  const auto add = [&](const std::string& what) -> pb::TensorProto& {
    result.emplace_back(what, attribute);
    return *result.back().second.mutable_t();
  };
  for (const int type : {1, 6, 7, 8, 10, 11, 14, 22}) {
    pb::TensorProto& tensor = add(str("dtype ", type));
    tensor.set_data_type(type);
  }
  for (const int64_t dim : {int64_t{0}, int64_t{1}, int64_t{3}, int64_t{1} << 31, int64_t{1} << 62}) {
    pb::TensorProto& tensor = add(str("[", dim, "]"));
    tensor.clear_dims();
    tensor.add_dims(dim);
    add(str("one dim more: ", dim)).add_dims(dim);
  }
  for (const int64_t number : integers()) {
    pb::TensorProto& tensor = add(str("one number: ", number));
    tensor.Clear();
    tensor.set_data_type(pb::TensorProto::INT64);
    tensor.add_dims(1);
    tensor.add_int64_data(number);
  }
  add("rank 0").clear_dims();
  add("no tensor").Clear();
}

void vary_graph(Variations& result, const pb::AttributeProto& attribute) {
  const auto add = [&](const std::string& what) -> pb::GraphProto& {
    result.emplace_back(what, attribute);
    return *result.back().second.mutable_g();
  };
  add("no graph").Clear();
  add("no nodes").clear_node();
  add("no inputs").clear_input();
  add("no outputs").clear_output();
  if (attribute.g().input_size() > 0) {
    add("one input less").mutable_input()->RemoveLast();
    add("an input of no type").mutable_input(0)->clear_type();
    add("another dtype")
        .mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->set_elem_type(pb::TensorProto::STRING);
  }
  pb::GraphProto& input = add("one input more");
  testing::add_input(input, "further");
  if (attribute.g().output_size() > 0) {
    add("one output less").mutable_output()->RemoveLast();
    pb::GraphProto& output = add("one output more");
    *output.add_output() = pb::ValueInfoProto(attribute.g().output(0));
  }
}

}  // namespace

std::vector<pb::AttributeProto::AttributeType> attribute_types() {
  return {Type::INT, Type::INTS, Type::FLOAT, Type::FLOATS, Type::STRING, Type::STRINGS, Type::TENSOR};
}

pb::AttributeProto plain_attribute(const std::string& name, pb::AttributeProto::AttributeType type) {
  pb::AttributeProto result;
  result.set_name(name);
  result.set_type(type);
  if (type == Type::INT) result.set_i(1);
  if (type == Type::INTS) result.add_ints(1);
  if (type == Type::FLOAT) result.set_f(1);
  if (type == Type::FLOATS) result.add_floats(1);
  if (type == Type::STRING) result.set_s("x");
  if (type == Type::STRINGS) result.add_strings("x");
  if (type == Type::TENSOR) {
    result.mutable_t()->set_data_type(pb::TensorProto::FLOAT);
    result.mutable_t()->add_dims(1);
    result.mutable_t()->add_float_data(1);
  }
  return result;
}

Variations variations(const pb::AttributeProto& attribute) {
  Variations result;
  const auto add = [&](const std::string& what) -> pb::AttributeProto& {
    result.emplace_back(what, attribute);
    return result.back().second;
  };
  switch (attribute.type()) {
    case Type::INT:
      for (const int64_t value : integers()) add(shown(value)).set_i(value);
      break;
    case Type::FLOAT:
      for (const float value : reals()) add(shown(value)).set_f(value);
      break;
    case Type::STRING:
      for (const std::string& value : texts()) add(shown(value)).set_s(value);
      break;
    case Type::INTS:
      vary_list(result, attribute, attribute.ints(), integers(),
                [](pb::AttributeProto& to, const auto& list) { to.mutable_ints()->Assign(list.begin(), list.end()); });
      break;
    case Type::FLOATS:
      vary_list(result, attribute, attribute.floats(), reals(), [](pb::AttributeProto& to, const auto& list) {
        to.mutable_floats()->Assign(list.begin(), list.end());
      });
      break;
    case Type::STRINGS:
      vary_list(result, attribute, attribute.strings(), texts(), [](pb::AttributeProto& to, const auto& list) {
        to.mutable_strings()->Assign(list.begin(), list.end());
      });
      break;
    case Type::TENSOR:
      vary_tensor(result, attribute);
      break;
    case Type::GRAPH:
      vary_graph(result, attribute);
      break;
    default:
      break;
  }
  return result;
}

}  // namespace linnet
