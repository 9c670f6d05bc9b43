#include <algorithm>

#include "environment/run_environment.h"
#include "exporter/export_error.h"
#include "exporter/lower_call.h"
#include "exporter/pairs.h"
#include "linnet/shape.h"
#include "translator.h"

// In PyTorch, views share memory; in ONNX, values share nothing. An operator that writes in place returns a new value.
// If it writes to a view, the value is also written to the base of the view. All other views of that base are made
// again when they are read.
namespace linnet::pt2 {
namespace {

// Each view that is made again takes some of the stack.
constexpr int kMostViewsOfViews = 1000;
constexpr const char* kDecompose =
    "; call run_decompositions() on the program before it is saved: then nothing is written in place";

/// Whether an operator returns a view of all elements in another shape.
bool only_reshapes(const std::string& operator_name) {
  static const std::set<std::string> names{
      "aten::view",           "aten::reshape",    "aten::_unsafe_view", "aten::flatten.using_ints",
      "aten::unflatten.int",  "aten::squeeze",    "aten::squeeze.dim",  "aten::squeeze.dims",
      "aten::unsqueeze",      "aten::view_as",    "aten::reshape_as",   "aten::ravel",
      "aten::_reshape_alias", "aten::contiguous", "aten::detach",       "aten::alias",
      "aten::lift_fresh",     "aten::to.dtype",   "aten::to.device",    "aten::to.dtype_layout",
      "aten::to.other",       "aten::expand_as"};
  return names.contains(operator_name);
}

std::string operator_name_of(const Node& node) {
  std::string name = node.target.substr(std::string_view("torch.ops.").size());
  name.replace(name.find('.'), 1, "::");
  if (name.ends_with(".default")) name.resize(name.size() - std::string_view(".default").size());
  return name;
}

/// Returns "aten::add.Tensor" for "aten::add_.Tensor", which writes to its first argument.
std::string functional_name(const std::string& name) {
  const size_t dot = name.find('.');
  std::string stem = name.substr(0, dot);
  if (stem.ends_with('_') && stem != "aten::copy_") stem.pop_back();
  return dot == std::string::npos ? stem : stem + name.substr(dot);
}

}  // namespace

bool Translator::is_in_order(const TensorMeta& meta) const {
  std::vector<int64_t> expected(samples_.size(), 1);
  for (size_t axis = meta.sizes.size(); axis-- > 0;) {
    const std::vector<int64_t> sizes = evaluated(meta.sizes[axis]), strides = evaluated(meta.strides[axis]);
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (sizes[i] != 1 && strides[i] != expected[i]) return false;
      expected[i] = checked_mul(expected[i], sizes[i]);
    }
  }
  return true;
}

/// Whether a result shares memory with its base. Some operators return their argument, or a view of it, only if it has
/// the requested dtype and order.
bool Translator::shares_memory(const Node& node, const Schema& schema, const Graph& graph, const std::string& base,
                               const std::string& result) const {
  static const std::set<std::string> in_order{"aten::contiguous", "aten::reshape", "aten::reshape_as",
                                              "aten::flatten.using_ints", "aten::ravel"};
  const TensorMeta &before = graph.tensor_values.at(base), &after = graph.tensor_values.at(result);
  if (schema.name.starts_with("aten::to.")) {
    const Argument* const copy = node.input("copy");
    const bool* const copies = copy ? copy->get<bool>() : nullptr;
    return before.dtype == after.dtype && !(copies && *copies);
  }
  return !in_order.contains(schema.name) || is_in_order(before) || !is_in_order(after);
}

/// Records the results that may share memory with an argument.
void Translator::note_views(const Node& node, const Schema& schema) {
  for (const SchemaArgument& argument : schema.arguments) {
    const Argument* const given = argument.may_be_viewed ? node.input(argument.name) : nullptr;
    const auto* base = given ? given->get<TensorName>() : nullptr;
    if (!base) continue;
    for (const Argument& output : node.outputs) {
      for_each_name(output, [&](const std::string& name) {
        if (shares_memory(node, schema, *graph_, base->name, name)) views_[name] = {base->name, &node};
      });
    }
  }
}

/// Returns the values that share memory with no earlier value and that operators write to, directly or through views.
std::set<std::string> Translator::written_in_place() const {
  std::map<std::string, std::string> root;  // root of each view
  std::set<std::string> written;
  const auto root_of = [&](const std::string& name) { return root.contains(name) ? root.at(name) : name; };
  for (const Node& node : program_.graph.nodes) {
    if (!node.target.starts_with("torch.ops.")) continue;
    const auto schema = find_schema(operator_name_of(node), 1);
    if (!schema) continue;
    for (const SchemaArgument& argument : schema->arguments) {
      const Argument* const given = node.input(argument.name);
      const auto* tensor = given ? given->get<TensorName>() : nullptr;
      if (!tensor || !(argument.is_written || argument.may_be_viewed)) continue;
      if (argument.is_written) written.insert(root_of(tensor->name));
      for (const Argument& output : node.outputs) {
        for_each_name(output, [&](const std::string& name) {
          const bool same = argument.is_written || shares_memory(node, *schema, program_.graph, tensor->name, name);
          if (same) root[name] = root_of(tensor->name);
        });
      }
    }
  }
  return written;
}

std::string Translator::root_of(std::string name) const {
  for (auto view = views_.find(name); view != views_.end(); view = views_.find(name)) name = view->second.base;
  return name;
}

/// Makes a view again if the value of its base has changed.
void Translator::refresh(const std::string& name) {
  const auto view = views_.find(name);
  if (view == views_.end() || !view->second.is_stale) return;
  view->second.is_stale = false;
  if (!view->second.node) {
    bind(name, value_of(view->second.base));
    return;
  }
  const Node& node = *view->second.node;
  for (const Argument& output : node.outputs) {
    for_each_name(output, [&](const std::string& other) { views_.at(other).is_stale = false; });
  }
  if (++refreshing_ > kMostViewsOfViews) site_of(node, node.target).refuse("it is a view of very many views");
  call(node);
  --refreshing_;
}

/// Emits the functional form of the operator, whose result replaces the written argument.
void Translator::write(const Node& node, const Schema& schema) {
  const std::string name = functional_name(schema.name);
  const exporter::Site site = site_of(node, schema.name);
  const auto written = std::ranges::find_if(schema.arguments, &SchemaArgument::is_written);
  if (std::ranges::count_if(schema.arguments, &SchemaArgument::is_written) != 1) {
    site.refuse("it writes to several arguments");
  }
  const std::string& target = tensor_of(node, written->name);
  std::vector<std::string> names;
  std::vector<Value> arguments;
  for (const SchemaArgument& argument : schema.arguments) {
    const Argument* given = node.input(argument.name);
    if (!given && !argument.otherwise) site.refuse("it lacks argument '" + argument.name + "'");
    names.push_back(argument.name);
    arguments.push_back(given ? argument_of(*given) : *argument.otherwise);
  }
  const Value result = call(node, name, names, arguments).at(0);
  write_to(node, target, result);
  for (const Argument& output : node.outputs) {
    for_each_name(output, [&](const std::string& other) {
      bind(other, result);
      views_[other] = {target, nullptr};
    });
  }
}

void Translator::write_to(const Node& node, const std::string& name, const Value& written) {
  const std::string root = root_of(name);
  if (values_.at(root).constant() && !values_.at(root).name.empty())
    site_of(node, node.target).refuse("it writes to a constant");
  std::set<std::string> current;  // views whose values are up to date
  Value value = written;
  for (std::string at = name;;) {
    bind(at, value);
    current.insert(at);
    const auto view = views_.find(at);
    if (view == views_.end()) break;
    value = put_back(node, view->second, at, value);
    at = view->second.base;
  }
  for (auto& [other, view] : views_) {
    check_current();
    if (!current.contains(other) && root_of(other) == root) view.is_stale = true;
  }
}

/// Returns the new value of a base after a view of it is written.
Translator::Value Translator::put_back(const Node& writer, const View& view, const std::string& name,
                                       const Value& written) {
  if (!view.node) return written;
  const Node& node = *view.node;
  const std::string operation = operator_name_of(node);
  const Value base = values_.at(view.base);
  const exporter::Site site = site_of(writer, operator_name_of(writer));
  const auto scatter = [&](const std::string& rule, std::vector<std::string> names, std::vector<Value> arguments) {
    names.insert(names.begin(), {"self", "src"});
    arguments.insert(arguments.begin(), {base, written});
    exporter::Site place = site;
    place.operator_name = rule;
    place.arguments = names;
    std::vector<Value> results{base};
    results[0].name.clear();
    lower_call(place, *lowerings_.find(rule), arguments, results, builder_, samples_.size());
    return results[0];
  };
  const auto given = [&](const char* argument, int64_t otherwise) {
    const Argument* const value = node.input(argument);
    return value ? argument_of(*value) : constant({otherwise});
  };
  Value result = base;
  if (operation == "aten::select.int") {
    return scatter("aten::select_scatter", {"dim", "index"}, {given("dim", 0), given("index", 0)});
  }
  if (operation == "aten::slice.Tensor") {
    const Argument *start = node.input("start"), *end = node.input("end");
    return scatter("aten::slice_scatter", {"dim", "start", "end", "step"},
                   {given("dim", 0), start ? argument_of(*start) : constant({}), end ? argument_of(*end) : constant({}),
                    given("step", 1)});
  }
  if (only_reshapes(operation)) {
    const std::string shape = builder_.emit("Shape", {name_of(base)}, {}, 1)[0];
    const std::string turned = builder_.cast(name_of(written), exporter::stored_dtype(base.concrete[0].dtype()));
    result.name = builder_.emit("Reshape", {turned, shape}, {{"allowzero", int64_t{1}}}, 1)[0];
    return result;
  }
  if (operation == "aten::transpose.int" || operation == "aten::t" || operation == "aten::permute") {
    const int64_t rank = base.tensor().dim();
    std::vector<int64_t> order;
    for (int64_t axis = 0; axis < rank; ++axis) order.push_back(axis);
    const auto place = [&](int64_t axis) { return size_t(normalize_axis(axis, int(rank))); };
    if (operation == "aten::permute") {
      const auto& dims = given_of<std::vector<int64_t>>(node, "dims");
      for (size_t i = 0; i < dims.size(); ++i) order[place(dims[i])] = int64_t(i);
    } else if (rank >= 2) {
      const bool is_t = operation == "aten::t";
      std::swap(order[place(is_t ? 0 : given_of<int64_t>(node, "dim0"))],
                order[place(is_t ? 1 : given_of<int64_t>(node, "dim1"))]);
    }
    if (exporter::is_complex(base.tensor().dtype)) order.push_back(rank);
    result.name = builder_.emit("Transpose", {name_of(written)}, {{"perm", order}}, 1)[0];
    return result;
  }
  site.refuse("it writes in place to '" + name + "', which " + operation + " made as a view" + kDecompose);
}

}  // namespace linnet::pt2
