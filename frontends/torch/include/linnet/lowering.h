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

// How operators of PyTorch become nodes of an ONNX graph: what `export_model` knows, and what a library adds to it by
// `--lowering rules.so`. Such a library defines
//   extern "C" void linnet_register_lowerings(linnet::exporter::Lowerings& lowerings);
namespace linnet::exporter {

#define LINNET_EXPORTER_API __attribute__((visibility("default")))

struct Value;
struct Concrete;
struct OnnxGraph;
struct Site;
class OnnxBuilder;

/// A name that a rule writes down or has computed: it refers to what it is given. Much of the rules' code passes names.
class NameView {
 public:
  NameView(const char* name) : name_(name) {}                 // NOLINT: a name is a name
  NameView(const std::string& name) : name_(name.c_str()) {}  // NOLINT

  std::string_view text() const { return name_; }

 private:
  const char* name_;
};

/// The value of a node's attribute: int, float, string, ints, floats, strings, tensor or graph.
using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>, Tensor, std::shared_ptr<const OnnxGraph>>;
using Attributes = std::map<std::string, Attribute>;

/// One of a node's attributes as a rule writes it down: {"axis", 1}. It refers to what it is given.
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

/// A vector that throws std::out_of_range where it is asked for an element that it does not have: a call may come from
/// a file that nobody trusts. Out of a rule that becomes an ExportError.
template <class T>
class List : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  List() = default;
  List(std::vector<T> elements) : std::vector<T>(std::move(elements)) {}  // NOLINT: a vector is a list

  T& operator[](size_t i) { return this->at(i); }
  const T& operator[](size_t i) const { return this->at(i); }
  const T& front() const { return this->at(0); }
  T& back() { return this->at(this->size() - 1); }
  const T& back() const { return this->at(this->size() - 1); }
};
using Integers = List<int64_t>;
using Numbers = List<double>;
/// Names of ONNX values; "" is an omitted optional input.
using Names = List<std::string>;

/// An operator of ONNX: its name, and its domain ("" is ai.onnx).
struct OnnxOperator {
  OnnxOperator(const char* type) : op_type(type) {}             // NOLINT: a name is an operator
  OnnxOperator(std::string type) : op_type(std::move(type)) {}  // NOLINT
  OnnxOperator(std::string in_domain, std::string type) : domain(std::move(in_domain)), op_type(std::move(type)) {}

  std::string domain, op_type;
};

/// A tensor of the model: all that a rule may depend on. Sizes are those of one example.
struct TensorInfo {
  DType dtype = DType::kUndefined;  ///< kUndefined: None in place of a tensor
  Integers sizes{};
  Tensor contents{};           ///< where they do not depend on the model's inputs
  bool channels_last = false;  ///< how it is in PyTorch's memory
  bool is_whole = true;        ///< all elements of its memory are its own, in order
  bool is_number = false;      ///< a Python number as a tensor of rank 0, which counts less where dtypes are promoted

  bool defined() const { return dtype != DType::kUndefined; }
  int64_t dim() const { return int64_t(sizes.size()); }
  /// Of an axis, which a negative one counts from the end.
  int64_t size(int64_t axis) const { return sizes[size_t(axis < 0 ? axis + dim() : axis)]; }
  int64_t numel() const;
};

/// What the command line decides about the form of the file.
struct ExportOptions {
  int64_t opset = 17;
  std::string deform_conv = "custom";  ///< or "standard": DeformConv of opset 19
  std::string my_add = "custom";       ///< or "decompose", "function"
};

/// One call of a PyTorch operator, which a rule turns into ONNX nodes. Arguments go by the names of the operator's
/// schema. Shapes and dtypes are those of example inputs.
/// Everything throws ExportError, which names operator, schema and source line, where the call is not as asked for.
class LINNET_EXPORTER_API Call {
 public:
  Call(const Site& site, const std::vector<Value>& arguments, std::vector<Value>& results, OnnxBuilder& builder,
       size_t evaluation)
      : site_(site), arguments_(arguments), results_(results), builder_(builder), evaluation_(evaluation) {}

  const ExportOptions& options() const;

  const std::vector<std::string>& argument_names() const;  ///< in the order of the schema
  size_t result_count() const;

  /// The argument exists and is not None.
  bool has(NameView argument) const;
  /// It is known now; else it depends on the model's inputs.
  bool constant(NameView argument) const;

  bool is_tensor(NameView argument) const;
  size_t length(NameView argument) const;  ///< of a list

  // Arguments that must be constant, in the form of a C++ value.
  int64_t integer(NameView argument) const;
  int64_t positive(NameView argument) const;  ///< an integer above 0: what is divided by or counted with
  double number(NameView argument) const;
  bool flag(NameView argument) const;
  std::string text(NameView argument) const;
  Integers integers(NameView argument) const;  ///< a single int is a list of one
  Numbers numbers(NameView argument) const;
  /// An axis of tensor `of`, counted from the front.
  int64_t axis(NameView argument = "dim", NameView of = "self") const;
  /// Axes of tensor `of`, counted from the front; all of them where the argument is None or empty. A tensor without
  /// axes has none, whatever is given.
  Integers axes(NameView argument = "dim", NameView of = "self") const;

  const TensorInfo& tensor(NameView argument = "self") const;
  List<TensorInfo> tensors(NameView argument) const;
  const TensorInfo& result(size_t index = 0) const;
  DType dtype(size_t index = 0) const;  ///< of a result; of numbers int64, float64 or bool
  size_t result_length() const;         ///< how many tensors the list of results has
  /// What PyTorch computes in, given these tensors and numbers.
  DType promoted(std::initializer_list<NameView> arguments) const;

  // Arguments as ONNX values; constants become initializers. With a dtype, cast to it.
  std::string value(NameView argument = "self") const;
  std::string value(NameView argument, DType dtype) const;
  std::string optional_value(NameView argument) const;  ///< "" for None
  Names values(NameView argument) const;                ///< a list of tensors; "" for None
  Names values(NameView argument, DType dtype) const;
  /// A list of ints as one int64 tensor of rank 1.
  std::string shape(NameView argument) const;
  /// The size of an axis of a tensor argument, int64 of shape [1].
  std::string size(NameView argument, int64_t axis) const;
  /// The shape of the result, int64 of rank 1: for Reshape, where one size may be -1, or for all operators.
  std::string result_shape(bool for_reshape = true) const;
  /// The argument's size along the axis differs between runs.
  bool dynamic(NameView argument, int64_t axis) const;
  bool result_is_dynamic(size_t index = 0) const;  ///< some size of the result does

  // Nodes. Inputs are names of values; the result is the name of the output.
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

  // What the results are.
  void set(const std::string& value) { set_result(0, value); }
  void set_result(size_t index, const std::string& value);
  void set_list(const Names& values);  ///< the result is a list of tensors

  /// The contents of the inputs, not their sizes, decide on sizes of the results.
  void decided_by_contents() { decided_by_contents_ = true; }
  bool is_decided_by_contents() const { return decided_by_contents_; }

  /// Throws ExportError unless the file's opset is at least `opset`. An export whose opset nobody asked for begins anew
  /// with that one.
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

/// Turns a call into nodes and sets all its results.
using Lowering = std::function<void(Call& call)>;

/// The rules, by operator name with overload: "aten::add.Tensor", "aten::relu". A value: copy it, add to it.
class LINNET_EXPORTER_API Lowerings {
 public:
  /// Adds a rule or replaces the one there is.
  void add(std::string_view operator_name, Lowering rule);
  void add(std::initializer_list<const char*> operator_names, const Lowering& rule);
  /// nullptr where there is none.
  const Lowering* find(const std::string& operator_name) const {
    const auto found = rules_.find(operator_name);
    return found == rules_.end() ? nullptr : &found->second;
  }
  const std::map<std::string, Lowering>& all() const { return rules_; }

 private:
  std::map<std::string, Lowering> rules_;
};

}  // namespace linnet::exporter
