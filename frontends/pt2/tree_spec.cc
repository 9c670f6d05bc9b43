#include "tree_spec.h"

#include <utility>

#include "linnet/error.h"

namespace linnet::pt2 {

namespace {

std::string key_text(JsonRef key) {
  if (key.is_text()) return std::string(key.text());
  return key.is_integer() ? str(key.integer()) : std::string();
}

/// Returns the keys in the context of a node, which is JSON in a string.
std::vector<std::string> keys_of(JsonRef context, bool has_default) {
  const JsonDocument document(context);
  const JsonRef root = document.root();
  return (has_default ? root[1] : root).list(key_text);
}

/// Returns a type such as "pkg.Point", which a context of a namedtuple holds in one of two forms.
std::string named_tuple_type(JsonRef context) {
  const JsonDocument document(context);
  return document.root().is_text() ? std::string(document.root().text()) : std::string();
}

std::vector<std::string> child_names(const std::string& type, JsonRef context, const NamedTupleFields& fields) {
  if (!context.is_text()) return {};
  if (type == "builtins.dict" || type == "collections.OrderedDict") return keys_of(context, false);
  if (type == "collections.defaultdict") return keys_of(context, true);
  if (type == "collections.namedtuple") {
    const std::vector<std::string>* const names = fields(named_tuple_type(context));
    return names ? *names : std::vector<std::string>();
  }
  return {};
}

TreeSpec tree_of(JsonRef json, const NamedTupleFields& fields) {
  TreeSpec tree;
  const auto type = json.find("type");
  if (!type) return tree;
  tree.type = type->text();
  if (tree.type.empty()) type->fail("a container without a type");
  tree.children = json.at("children_spec").list([&](JsonRef child) { return tree_of(child, fields); });
  if (const auto context = json.find("context")) tree.names = child_names(tree.type, *context, fields);
  if (!tree.names.empty() && tree.names.size() != tree.children.size()) {
    json.fail(str(tree.names.size(), " names for ", tree.children.size(), " children"));
  }
  return tree;
}

void add_leaf_names(const TreeSpec& tree, const std::string& name, std::vector<std::string>& names) {
  if (tree.is_leaf()) names.push_back(name);
  for (size_t i = 0; i < tree.children.size(); ++i) {
    const std::string own = tree.names.empty() ? str(i) : tree.names[i];
    add_leaf_names(tree.children[i], name.empty() ? own : str(name, '.', own), names);
  }
}

}  // namespace

TreeSpec parse_tree_spec(JsonRef text, const NamedTupleFields& fields) {
  const JsonDocument document(text);
  const JsonRef root = document.root();
  if (root[0].integer() != 1) {
    root[0].fail(str("protocol ", root[0].integer(), " of trees is unknown, Linnet reads 1"), ErrorKind::kUnsupported);
  }
  return tree_of(root[1], fields);
}

std::vector<std::string> leaf_names(const TreeSpec& tree) {
  std::vector<std::string> names;
  add_leaf_names(tree, {}, names);
  return names;
}

}  // namespace linnet::pt2
