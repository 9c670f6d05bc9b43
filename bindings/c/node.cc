#include "node.h"

using namespace linnet;
using namespace linnet::c_api;

namespace {

/// Passes the attribute of type T to f, which returns it to the caller.
template <class T, class F>
linnet_status attribute(const linnet_node* node, const char* name, F&& f) {
  return guarded([&] {
    const NodeSpec& spec = valid(node, "node").spec;
    require(name, "name is NULL");
    f(spec.attr<T>(name));
  });
}

template <class T>
linnet_status list(const linnet_node* node, const char* name, const T** values, size_t* count) {
  return attribute<std::vector<T>>(node, name, [&](const std::vector<T>& list) {
    require(values && count, "values or count is NULL");
    *values = list.data();
    *count = list.size();
  });
}

}  // namespace

int linnet_node_has_attribute(const linnet_node* node, const char* name) {
  bool has = false;
  guarded([&] {
    const NodeSpec& spec = valid(node, "node").spec;
    require(name, "name is NULL");
    has = spec.has(name);
  });
  return has;
}

linnet_status linnet_node_int(const linnet_node* node, const char* name, int64_t* value) {
  return attribute<int64_t>(node, name, [&](int64_t attribute) { result(value, "value") = attribute; });
}
linnet_status linnet_node_float(const linnet_node* node, const char* name, float* value) {
  return attribute<float>(node, name, [&](float attribute) { result(value, "value") = attribute; });
}
linnet_status linnet_node_string(const linnet_node* node, const char* name, linnet_string* value) {
  return attribute<std::string>(node, name, [&](const std::string& attribute) {
    result(value, "value") = {attribute.data(), attribute.size()};
  });
}
linnet_status linnet_node_ints(const linnet_node* node, const char* name, const int64_t** values, size_t* count) {
  return list(node, name, values, count);
}
linnet_status linnet_node_floats(const linnet_node* node, const char* name, const float** values, size_t* count) {
  return list(node, name, values, count);
}
