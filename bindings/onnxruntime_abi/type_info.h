#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi.h"
#include "linnet/model.h"

namespace linnet::ort {

struct TypeInfo;

struct TensorTypeAndShapeInfo {
  ElementType type = kUndefinedElement;
  bool has_shape = false;
  std::vector<int64_t> dims{};         ///< -1: open
  std::vector<std::string> symbols{};  ///< "" for a dim without a symbol

  void set_dims(std::vector<int64_t> sizes);
};

struct SequenceTypeInfo {
  std::shared_ptr<const TypeInfo> element;
};

struct OptionalTypeInfo {
  std::shared_ptr<const TypeInfo> contained;
};

struct MapTypeInfo {
  ElementType key = kUndefinedElement;
  std::shared_ptr<const TypeInfo> value;
};

/// The type of a value. Only the part for `kind` is used.
struct TypeInfo {
  ValueKind kind = kUnknownKind;
  std::string denotation{};
  TensorTypeAndShapeInfo tensor;
  SequenceTypeInfo sequence;
  OptionalTypeInfo optional;
  MapTypeInfo map;
};

TensorTypeAndShapeInfo tensor_info(const Fact& fact);
TypeInfo type_info(const Fact& fact);
TypeInfo type_info(const ValueInfo& value);

/// Returns the fact that an info describes. Throws Failure(kNotImplemented) for element types that Linnet lacks.
Fact fact_of(const TypeInfo& info);
Fact fact_of(const TensorTypeAndShapeInfo& info);

}  // namespace linnet::ort
