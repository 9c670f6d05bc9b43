#include <utility>

#include "environment/run_environment.h"
#include "linnet/shape.h"
#include "onnx/loader_limits.h"
#include "program_reader.h"
#include "scalar_types.h"
#include "source_place.h"

namespace linnet::pt2 {

namespace {

constexpr int64_t kStridedLayout = 7;

/// Reads an optional bool, false if it is absent.
bool flag(JsonRef json, const char* key) {
  const auto value = json.find(key);
  return value && value->boolean();
}

std::string optional_text(JsonRef json, const char* key) {
  const auto value = json.find(key);
  return value ? std::string(value->text()) : std::string();
}

void check_not_negative(JsonRef json, const SymExpr& expr) {
  if (expr.is_integer() && expr.integer() < 0) json.fail(str("is ", expr.integer(), ", less than 0"));
}

/// Reads a union of "as_expr" and a number.
template <class Value, class Expr, class Read>
Value expr_or(JsonRef json, const char* value_key, Expr&& read_expr, Read&& read) {
  const auto [key, value] = json.only_member();
  if (key == "as_expr") return Value(read_expr(value));
  if (key != value_key) json.fail(str("'", key, "' is unknown, expected 'as_expr' or '", value_key, "'"));
  return Value(read(value));
}

/// Reads an optional table, with a function for each member.
template <class Map, class Read>
void read_table(Map& table, JsonRef json, const char* key, Read&& read) {
  const auto members = json.find(key);
  if (!members) return;
  members->for_members([&](std::string_view name, JsonRef value) { table.emplace(name, read(value)); });
}

}  // namespace

ProgramReader::ProgramReader(const Limits& limits)
    : nodes_left_(node_limit(limits)), bodies_left_(depth_limit(limits)) {}

SymExpr ProgramReader::sym_expr(JsonRef json) {
  const JsonRef text = json.at("expr_str");
  const auto found = exprs_.find(text.text());
  if (found != exprs_.end()) return found->second;
  SymExpr expr;
  try {
    expr = parse_sym_expr(text.text());
  } catch (const Error& error) {
    throw error.with_context(text.place());
  }
  exprs_.emplace(text.text(), expr);
  const auto hint = json.find("hint");
  const auto value = hint && expr.is_symbol() ? hint->find("as_int") : std::nullopt;
  if (value) hints_.emplace(expr.name(), value->integer());
  return expr;
}

SymExpr ProgramReader::sym_int(JsonRef json) {
  return expr_or<SymExpr>(
      json, "as_int", [&](JsonRef expr) { return sym_expr(expr); }, [](JsonRef value) { return value.integer(); });
}

TensorMeta ProgramReader::tensor_meta(JsonRef json) {
  const auto size = [&](JsonRef value) {
    SymExpr expr = sym_int(value);
    check_not_negative(value, expr);
    return expr;
  };
  TensorMeta meta{.dtype = scalar_type(json.at("dtype")),
                  .sizes = json.at("sizes").list(size),
                  .strides = json.at("strides").list(size),
                  .storage_offset = size(json.at("storage_offset")),
                  .requires_grad = flag(json, "requires_grad"),
                  .device = read_device(json.at("device"))};
  const JsonRef layout = json.at("layout");
  if (layout.integer() != kStridedLayout) {
    layout.fail(str("layout ", layout.integer(), " of a tensor, Linnet has dense tensors only; use to_dense()"),
                ErrorKind::kUnsupported);
  }
  if (meta.sizes.size() != meta.strides.size()) json.fail("sizes and strides are not of one length");
  if (meta.sizes.size() > size_t(kMaxRank)) {
    json.fail(str(meta.sizes.size(), " dims, the limit is ", kMaxRank), ErrorKind::kLimit);
  }
  return meta;
}

Node ProgramReader::node(JsonRef json) {
  check_current();
  if (--nodes_left_ < 0) json.fail("the program has more nodes than the limit", ErrorKind::kLimit);
  Node node{.target = std::string(json.at("target").text()), .name = optional_text(json, "name")};
  node.inputs = json.at("inputs").list([&](JsonRef input) {
    const auto kind = input.find("kind");
    return NamedArgument{std::string(input.at("name").text()), argument(input.at("arg")), kind && kind->integer() == 2};
  });
  node.outputs = json.at("outputs").list([&](JsonRef output) { return argument(output); });
  if (const auto metadata = json.find("metadata")) {
    node.source = source_line(optional_text(*metadata, "stack_trace"));
    node.module = innermost_module(optional_text(*metadata, "nn_module_stack"));
  }
  return node;
}

void ProgramReader::read_values(Graph& graph, JsonRef json) {
  const auto expr = [&](JsonRef value) { return sym_expr(value); };
  read_table(graph.tensor_values, json, "tensor_values", [&](JsonRef value) { return tensor_meta(value); });
  read_table(graph.sym_int_values, json, "sym_int_values", [&](JsonRef value) { return sym_int(value); });
  read_table(graph.sym_float_values, json, "sym_float_values", [&](JsonRef value) {
    return expr_or<SymFloat>(value, "as_float", expr, [](JsonRef number) { return number.number(); });
  });
  read_table(graph.sym_bool_values, json, "sym_bool_values", [&](JsonRef value) {
    return expr_or<SymBool>(value, "as_bool", expr, [](JsonRef boolean) { return boolean.boolean(); });
  });
  read_table(graph.custom_obj_values, json, "custom_obj_values", read_custom_object);
}

Graph ProgramReader::graph(JsonRef json) {
  const auto read_argument = [&](JsonRef value) { return argument(value); };
  Graph graph;
  graph.inputs = json.at("inputs").list(read_argument);
  graph.outputs = json.at("outputs").list(read_argument);
  graph.nodes = json.at("nodes").list([&](JsonRef value) { return node(value); });
  graph.is_single_tensor_return = flag(json, "is_single_tensor_return");
  read_values(graph, json);
  check_names(graph, json);
  return graph;
}

GraphArgument ProgramReader::graph_argument(JsonRef json) {
  if (--bodies_left_ < 0) json.fail("graphs are nested more deeply than the limit", ErrorKind::kLimit);
  GraphArgument body{std::string(json.at("name").text()), std::make_shared<const Graph>(graph(json.at("graph")))};
  ++bodies_left_;
  return body;
}

std::map<std::string, Range> read_ranges(JsonRef json) {
  std::map<std::string, Range> ranges;
  // PyTorch represents an infinite integer as sys.maxsize - 1. A number that does not fit into int64 is no bound,
  // either.
  const auto bound = [](JsonRef range, const char* key) -> std::optional<int64_t> {
    const auto value = range.find(key);
    if (!value) return std::nullopt;
    if (!value->is_integer()) {
      value->number();
      return std::nullopt;
    }
    const bool finite = value->integer() < INT64_MAX - 1 && value->integer() > -(INT64_MAX - 1);
    return finite ? std::optional(value->integer()) : std::nullopt;
  };
  json.for_members([&](std::string_view symbol, JsonRef range) {
    ranges[std::string(symbol)] = {bound(range, "min_val"), bound(range, "max_val")};
  });
  return ranges;
}

}  // namespace linnet::pt2
