#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "linnet/tensor.h"

// The conversion of PyTorch operators to nodes of an ONNX graph: the rules of `export_model`, and those that a library
// adds by `--lowering rules.so`. Such a library defines
//   extern "C" void linnet_register_lowerings(linnet::exporter::Lowerings& lowerings);
namespace linnet::exporter {

#define LINNET_EXPORTER_API __attribute__((visibility("default")))

struct Value;
struct Concrete;
struct OnnxGraph;
struct Site;
class OnnxBuilder;

/// A reference to a name that a rule contains or has computed. Most functions for rules take names in this form.
class NameView {
 public:
  NameView(const char* name) : name_(name) {}                 // NOLINT: implicit by design
  NameView(const std::string& name) : name_(name.c_str()) {}  // NOLINT

  std::string_view text() const { return name_; }

 private:
  const char* name_;
};

/// The value of a node's attribute: int, float, string, ints, floats, strings, tensor or graph.
using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>, Tensor, std::shared_ptr<const OnnxGraph>>;
using Attributes = std::map<std::string, Attribute>;

/// An attribute of a node in the form that rules write: {"axis", 1}. It refers to the arguments of its constructor.
struct GivenAttribute {
  GivenAttribute(const char* given, int number) : name(given), value(int64_t{number}) {}
  GivenAttribute(const char* given, int64_t number) : name(given), value(number) {}
  GivenAttribute(const char* given, double number) : name(given), value(number) {}
  GivenAttribute(const char* given, std::string_view text) : name(given), value(text) {}
  GivenAttribute(const char* given, const char* text) : name(given), value(std::string_view(text)) {}
  GivenAttribute(const char* given, const std::string& text) : name(given), value(std::string_view(text)) {}
  GivenAttribute(const char* given, const std::vector<int64_t>& numbers) : name(given), value(&numbers) {}
  GivenAttribute(const char* given, const Attribute& other) : name(given), value(&other) {}

  const char* name;
  std::variant<int64_t, double, std::string_view, const std::vector<int64_t>*, const Attribute*> value;
};

/// A vector that throws std::out_of_range for an index that is out of range, because a call may come from an untrusted
/// file. If a rule does not catch it, it becomes an ExportError.
template <class T>
class List : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  List() = default;
  List(std::vector<T> elements) : std::vector<T>(std::move(elements)) {}  // NOLINT: implicit by design

  T& operator[](size_t i) { return this->at(i); }
  const T& operator[](size_t i) const { return this->at(i); }
  const T& front() const { return this->at(0); }
  T& back() { return this->at(this->size() - 1); }
  const T& back() const { return this->at(this->size() - 1); }
};
using Integers = List<int64_t>;
using Numbers = List<double>;
/// Names of ONNX values. "" is an omitted optional input.
using Names = List<std::string>;

/// An ONNX operator: its name and its domain ("" is ai.onnx).
struct OnnxOperator {
  OnnxOperator(const char* type) : op_type(type) {}             // NOLINT: implicit by design
  OnnxOperator(std::string type) : op_type(std::move(type)) {}  // NOLINT
  OnnxOperator(std::string in_domain, std::string type) : domain(std::move(in_domain)), op_type(std::move(type)) {}

  std::string domain, op_type;
};

/// The properties of a tensor of the model that a rule may depend on. Sizes are those of one example.
struct TensorInfo {
  DType dtype = DType::kUndefined;  ///< kUndefined: None instead of a tensor
  Integers sizes{};
  Tensor contents{};           ///< if they do not depend on the model's inputs
  bool channels_last = false;  ///< the order in PyTorch's memory
  bool is_whole = true;        ///< whether its elements are all of its memory, in order
  bool is_number = false;      ///< a Python number as a tensor of rank 0, which has low priority in type promotion

  bool defined() const { return dtype != DType::kUndefined; }
  int64_t dim() const { return int64_t(sizes.size()); }
  /// Returns the size of an axis. A negative axis counts from the end.
  int64_t size(int64_t axis) const { return sizes[size_t(axis < 0 ? axis + dim() : axis)]; }
  int64_t numel() const;
};

/// The options of the command line for the form of the file.
struct ExportOptions {
  int64_t opset = 17;
  std::string deform_conv = "custom";  ///< or "standard": DeformConv of opset 19
  std::string my_add = "custom";       ///< or "decompose", "function"
};

/// A call of a PyTorch operator that a rule converts to ONNX nodes. Arguments are identified by the names in the
/// operator's schema. Shapes and dtypes are those of example inputs.
/// All functions throw an ExportError with operator, schema and source line if the call does not meet their
/// requirements.
class LINNET_EXPORTER_API Call {
 public:
  Call(const Site& site, const std::vector<Value>& arguments, std::vector<Value>& results, OnnxBuilder& builder,
       size_t evaluation)
      : site_(site), arguments_(arguments), results_(results), builder_(builder), evaluation_(evaluation) {}

  const ExportOptions& options() const;

  const std::vector<std::string>& argument_names() const;  ///< in the order of the schema
  size_t result_count() const;

  /// Whether the argument exists and is not None.
  bool has(NameView argument) const;
  /// Whether the argument is known at export; otherwise it depends on the model's inputs.
  bool constant(NameView argument) const;

  bool is_tensor(NameView argument) const;
  size_t length(NameView argument) const;  ///< of a list

  // The following return arguments as C++ values. The arguments must be constant.
  int64_t integer(NameView argument) const;
  int64_t positive(NameView argument) const;  ///< an integer above 0, for divisors and counts
  double number(NameView argument) const;
  bool flag(NameView argument) const;
  std::string text(NameView argument) const;
  Integers integers(NameView argument) const;  ///< a single int becomes a list of one
  Numbers numbers(NameView argument) const;
  /// Returns an axis of tensor `of`, counted from the front.
  int64_t axis(NameView argument = "dim", NameView of = "self") const;
  /// Returns axes of tensor `of`, counted from the front, or all axes if the argument is empty or None. For a tensor
  /// of rank 0, returns no axes, even if some are given.
  Integers axes(NameView argument = "dim", NameView of = "self") const;

  const TensorInfo& tensor(NameView argument = "self") const;
  List<TensorInfo> tensors(NameView argument) const;
  const TensorInfo& result(size_t index = 0) const;
  DType dtype(size_t index = 0) const;  ///< of a result; int64, float64 or bool for numbers
  size_t result_length() const;         ///< the number of tensors in the list of results
  /// Returns the dtype that PyTorch computes in for these tensors and numbers.
  DType promoted(std::initializer_list<NameView> arguments) const;

  // The following return arguments as ONNX values. Constants become initializers. With a dtype, the value is cast to
  // it.
  std::string value(NameView argument = "self") const;
  std::string value(NameView argument, DType dtype) const;
  std::string optional_value(NameView argument) const;  ///< "" for None
  Names values(NameView argument) const;                ///< a list of tensors; "" for None
  Names values(NameView argument, DType dtype) const;
  /// Returns a list of ints as one int64 tensor of rank 1.
  std::string shape(NameView argument) const;
  /// Returns the size of an axis of a tensor argument, int64 of shape [1].
  std::string size(NameView argument, int64_t axis) const;
  /// Returns the shape of the result, int64 of rank 1: for Reshape, where one size may be -1, or for all operators.
  std::string result_shape(bool for_reshape = true) const;
  /// Whether the argument's size along the axis differs between runs.
  bool dynamic(NameView argument, int64_t axis) const;
  bool result_is_dynamic(size_t index = 0) const;  ///< whether some size of the result differs

  // The following add nodes. Inputs are names of values; the result is the name of the output.
  std::string emit(NameView op_type, std::initializer_list<std::string_view> inputs);
  std::string emit(NameView op_type, std::initializer_list<std::string_view> inputs,
                   std::initializer_list<GivenAttribute> attributes);
  std::string emit(NameView op_type, std::initializer_list<std::string_view> inputs, const Attributes& attributes);
  std::string emit(const OnnxOperator& op, const Names& inputs, const Attributes& attributes = {});
  Names emit_many(const OnnxOperator& op, const Names& inputs, const Attributes& attributes, size_t outputs);
  std::string cast(const std::string& value, DType dtype);
  std::string constant_of(const Tensor& tensor);
  std::string constant_of(const std::vector<int64_t>& values, const Shape& shape);
  std::string constant_of(const std::vector<double>& values, const Shape& shape, DType dtype);
  std::string constant_of(const std::vector<int64_t>& values);  ///< of rank 1
  std::string constant_of(std::initializer_list<int64_t> values);
  std::string scalar(double number, DType dtype);                      ///< of rank 0
  std::string filled(const Shape& shape, double number, DType dtype);  ///< a constant of equal numbers

  // The following set the results.
  void set(const std::string& value) { set_result(0, value); }
  void set_result(size_t index, const std::string& value);
  void set_list(const Names& values);  ///< the result is a list of tensors

  /// Declares that sizes of the results depend on the contents of the inputs, not only on their sizes.
  void decided_by_contents() { decided_by_contents_ = true; }
  bool is_decided_by_contents() const { return decided_by_contents_; }

  /// Throws ExportError unless the file's opset is at least `opset`. If the caller did not request an opset, the export
  /// starts again with that one.
  void require_opset(int64_t opset, const std::string& reason) const;
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  const Value& argument(NameView name) const;
  const Value& result_at(size_t index) const;
  const Concrete& known(const Value& leaf, NameView name) const;
  std::string as_value(const Value& value) const;
  int64_t rank(NameView of) const;
  std::string matching_size(const Integers& sizes) const;

  const Site& site_;
  const std::vector<Value>& arguments_;
  std::vector<Value>& results_;
  OnnxBuilder& builder_;
  size_t evaluation_;
  bool decided_by_contents_ = false;
};

/// Converts a call to nodes and sets all its results.
using Lowering = std::function<void(Call& call)>;

/// The rules, by operator name with overload: "aten::add.Tensor", "aten::relu". It can be copied and extended.
class LINNET_EXPORTER_API Lowerings {
 public:
  /// Adds a rule or replaces the existing one.
  void add(std::string_view operator_name, Lowering rule);
  void add(std::initializer_list<const char*> operator_names, const Lowering& rule);
  /// Returns nullptr if there is no rule.
  const Lowering* find(const std::string& operator_name) const {
    const auto found = rules_.find(operator_name);
    return found == rules_.end() ? nullptr : &found->second;
  }
  const std::map<std::string, Lowering>& all() const { return rules_; }

 private:
  std::map<std::string, Lowering> rules_;
};

}  // namespace linnet::exporter
