#pragma once

#include "linnet/node_spec.h"
#include "proto.h"
#include "tensor_reader.h"

namespace linnet {

/// The type of an attribute; old files that do not state it have the one of the field that holds a value.
/// Throws Error(kModel) when there is neither.
pb::AttributeProto::AttributeType attribute_type(const pb::AttributeProto& attribute);

/// What attribute_value() takes in the attributes of a node and in its operator, but for the contents of tensors.
size_t attribute_bytes(const pb::AttributeProto& attribute);

/// The value of an attribute of any type but GRAPH; sparse tensors become dense.
/// Throws Error(kUnsupported) for lists of graphs and for types.
Attribute attribute_value(const pb::AttributeProto& attribute, TensorReader& tensors);

}  // namespace linnet
