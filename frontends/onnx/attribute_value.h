#pragma once

#include "linnet/node_spec.h"
#include "proto.h"
#include "tensor_reader.h"

namespace linnet {

/// Returns the type of an attribute. Old files do not state it; the type is then that of the field that holds a value.
/// Throws Error(kModel) when there is neither.
pb::AttributeProto::AttributeType attribute_type(const pb::AttributeProto& attribute);

/// Returns the number of bytes that attribute_value() takes in a node's attributes and in its operator, without the
/// contents of tensors.
size_t attribute_bytes(const pb::AttributeProto& attribute);

/// Returns the value of an attribute of any type but GRAPH; sparse tensors become dense.
/// Throws Error(kUnsupported) for lists of graphs and for types.
Attribute attribute_value(const pb::AttributeProto& attribute, TensorReader& tensors);

}  // namespace linnet
