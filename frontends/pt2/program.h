#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "archive.h"
#include "argument.h"
#include "linnet/dtype.h"
#include "linnet/options.h"
#include "sym_expr.h"
#include "tensor/seeded_hash.h"
#include "tree_spec.h"

namespace linnet::pt2 {

struct TensorMeta {
  DType dtype = DType::kUndefined;
  std::vector<SymExpr> sizes, strides;  ///< of equal length, at most kMaxRank
  SymExpr storage_offset;               ///< in elements
  bool requires_grad = false;
  Device device;
};

using SymFloat = std::variant<double, SymExpr>;
using SymBool = std::variant<bool, SymExpr>;

/// The name is that of the operator's schema. It is empty in higher-order operators.
struct NamedArgument {
  std::string name;
  Argument argument;
  bool keyword = false;
};

struct Node {
  std::string target;  ///< "torch.ops.aten.add.Tensor", "_operator.mul", "torch.ops.higher_order.cond"
  std::string name;    ///< empty in files of older versions
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  std::string source;  ///< "file.py:12", the innermost line of Python that it comes from, or empty
  std::string module;  ///< "encoder.layers.0", the innermost module, or empty

  /// Returns nullptr if the argument has its default.
  const Argument* input(std::string_view argument) const;
};

/// Every value is defined once, as an input or by a node, before it is read. Every tensor is in tensor_values.
struct Graph {
  std::vector<Argument> inputs, outputs;
  std::vector<Node> nodes;
  SeededMap<std::string, TensorMeta> tensor_values;
  std::map<std::string, SymExpr> sym_int_values;
  std::map<std::string, SymFloat> sym_float_values;
  std::map<std::string, SymBool> sym_bool_values;
  std::map<std::string, CustomObject> custom_obj_values;
  bool is_single_tensor_return = false;
};

/// Describes an input of the outermost graph.
struct InputSpec {
  enum class Kind { kUserInput, kParameter, kBuffer, kTensorConstant, kCustomObject, kToken, kConstantInput };
  Kind kind = Kind::kUserInput;
  Argument argument;        ///< as among the graph's inputs; its value for a constant input
  std::string target;       ///< full name of the parameter, buffer, constant or object; name of the constant input
  bool persistent = false;  ///< for a buffer: it is among the weights, else among the constants
};

/// Describes an output of the outermost graph.
struct OutputSpec {
  enum class Kind {
    kUserOutput,
    kLossOutput,
    kBufferMutation,
    kParameterMutation,
    kUserInputMutation,
    kGradientToParameter,
    kGradientToUserInput,
    kToken,
  };
  Kind kind = Kind::kUserOutput;
  Argument argument;
  std::string target;  ///< the buffer, parameter or input that is mutated or has the gradient
};

/// The bounds of a symbol; each may be absent.
struct Range {
  std::optional<int64_t> min, max;
};

/// An exported program: torch/_export/serde/schema.py, major version 8.
struct Program {
  std::string name;  ///< the archive's name for it: "model"
  Graph graph;
  std::vector<InputSpec> input_specs;              ///< one for each input of the graph, in order
  std::vector<OutputSpec> output_specs;            ///< one for each output of the graph, in order
  std::map<std::string, Range> range_constraints;  ///< by symbol
  std::map<std::string, int64_t> hints;            ///< the sizes of symbols when the program was exported

  /// The following describe how callers see the program. They are absent if the file lacks them.
  std::optional<std::vector<std::string>> forward_arg_names;
  std::optional<TreeSpec> in_spec;   ///< a tuple of args (a tuple) and kwargs (a dict)
  std::optional<TreeSpec> out_spec;  ///< for all user outputs

  std::map<std::string, int64_t> opset_version;
  int64_t schema_minor = 0;
  std::vector<std::string> verifiers;  ///< "TRAINING": with views and in-place operators; "ATEN": functional core ATen
  std::string torch_version;
  std::vector<std::string> guards_code;
};

/// Reads "models/NAME.json". Without a name, reads the only program or "model". Throws Error(kModel) for a malformed
/// program, Error(kUnsupported) for features of newer versions, Error(kLimit) beyond limits.nodes and limits.depth.
Program read_program(const Archive& archive, const std::string& name = {}, const Limits& limits = {});

}  // namespace linnet::pt2
