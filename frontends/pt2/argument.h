#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "linnet/dtype.h"

namespace linnet::pt2 {

struct Argument;
struct Graph;

/// The name of a value of the graph.
struct TensorName {
  std::string name;
};
struct SymIntName {
  std::string name;
};
struct SymFloatName {
  std::string name;
};
struct SymBoolName {
  std::string name;
};

/// An element of a list that holds names and numbers.
using SymIntArgument = std::variant<int64_t, SymIntName>;
using SymFloatArgument = std::variant<double, SymFloatName>;
using SymBoolArgument = std::variant<bool, SymBoolName>;

struct NoValue {};
/// The numbers are those of the schema.
enum class MemoryFormat { kUnknown = 0, kContiguous = 1, kChannelsLast = 2, kChannelsLast3d = 3, kPreserve = 4 };
enum class Layout {
  kUnknown = 0,
  kSparseCoo = 1,
  kSparseCsr = 2,
  kSparseCsc = 3,
  kSparseBsr = 4,
  kSparseBsc = 5,
  kMkldnn = 6,
  kStrided = 7,
};
struct Device {
  std::string type;
  std::optional<int64_t> index;
};
/// The body of a higher-order operator. It sees no values but its own inputs.
struct GraphArgument {
  std::string name;
  std::shared_ptr<const Graph> graph;
};
struct CustomObject {
  std::string name, class_name;
};
struct OperatorName {
  std::string name;
};
/// A dict of strings to arguments.
struct ArgumentMap {
  std::vector<std::string> keys;
  std::vector<Argument> values;
};

/// An input or output of a node or graph. It is one of the schema's kinds, whose name follows each type.
struct Argument {
  std::variant<NoValue,                                 // as_none
               TensorName,                              // as_tensor
               std::vector<TensorName>,                 // as_tensors; an empty list of another kind, too
               std::optional<TensorName>,               // as_optional_tensor
               std::vector<std::optional<TensorName>>,  // as_optional_tensors
               std::vector<std::vector<TensorName>>,    // as_nested_tensors
               int64_t,                                 // as_int
               std::vector<int64_t>,                    // as_ints
               std::vector<std::vector<int64_t>>,       // as_int_lists
               SymIntArgument,                          // as_sym_int
               std::vector<SymIntArgument>,             // as_sym_ints
               double,                                  // as_float
               std::vector<double>,                     // as_floats
               std::vector<std::vector<double>>,        // as_float_lists
               SymFloatArgument,                        // as_sym_float
               std::vector<SymFloatArgument>,           // as_sym_floats
               bool,                                    // as_bool
               std::vector<bool>,                       // as_bools
               SymBoolArgument,                         // as_sym_bool
               std::vector<SymBoolArgument>,            // as_sym_bools
               std::complex<double>,                    // as_complex
               std::string,                             // as_string
               std::vector<std::string>,                // as_strings
               DType,                                   // as_scalar_type
               MemoryFormat,                            // as_memory_format
               Layout,                                  // as_layout
               Device,                                  // as_device
               GraphArgument,                           // as_graph
               CustomObject,                            // as_custom_obj
               OperatorName,                            // as_operator
               ArgumentMap>                             // as_string_to_argument
      value;

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(value);
  }
  /// Returns nullptr if the argument is of another kind.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
};

/// Calls f with the name of each value of the graph that an argument refers to. Bodies refer to no such values.
void for_each_name(const Argument& argument, const std::function<void(const std::string& name)>& f);

}  // namespace linnet::pt2
