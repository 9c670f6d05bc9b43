#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "json.h"
#include "linnet/options.h"
#include "program.h"
#include "tensor/seeded_hash.h"

namespace linnet::pt2 {

/// Reads the parts of programs from JSON. Errors name the place.
class ProgramReader {
 public:
  explicit ProgramReader(const Limits& limits);

  Graph graph(JsonRef json);
  Argument argument(JsonRef json);
  GraphArgument graph_argument(JsonRef json);
  TensorMeta tensor_meta(JsonRef json);
  InputSpec input_spec(JsonRef json);
  OutputSpec output_spec(JsonRef json);

  /// Returns the hints of the symbols in the sizes that were read.
  std::map<std::string, int64_t> take_hints() { return std::move(hints_); }

 private:
  Node node(JsonRef json);
  void read_values(Graph& graph, JsonRef json);
  SymExpr sym_int(JsonRef json);
  SymExpr sym_expr(JsonRef json);

  int64_t nodes_left_, bodies_left_;
  SeededMap<std::string, SymExpr> exprs_;  // by text; graphs repeat a few texts often
  std::map<std::string, int64_t> hints_;
};

/// Reads the bounds of symbols.
std::map<std::string, Range> read_ranges(JsonRef json);

Device read_device(JsonRef json);
TensorName read_tensor_name(JsonRef json);
CustomObject read_custom_object(JsonRef json);

/// Throws Error(kModel) unless every value of a graph is defined once, before it is read, and every tensor has its
/// meta.
void check_names(const Graph& graph, JsonRef json);

}  // namespace linnet::pt2
