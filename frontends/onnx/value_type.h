#pragma once

#include "linnet/fact.h"
#include "linnet/model.h"
#include "proto.h"

namespace linnet {

/// Returns the DType of an element type number. Throws Error(kModel) if the type is missing, Error(kUnsupported) for
/// numbers that are newer than this build.
DType dtype_from_proto(int32_t number);

/// Returns the declared type of a value. For a tensor: its dtype and shape, with dims that are numbers, symbols
/// (dim_param) or unknown (absent or negative). Throws Error(kModel) if there is no type or it contradicts itself,
/// Error(kUnsupported) for sparse tensors.
Fact fact_from_proto(const pb::TypeProto& type);

/// Does the same for a type that no run depends on. Returns a fact that is not present() if it cannot be read.
Fact declared_fact(const pb::TypeProto& type);

/// Returns the denotations of the type.
Denotation denotation_from_proto(const pb::TypeProto& type);

/// Writes the denotations of a value whose type is already written.
void write_denotation(const Denotation& denotation, pb::TypeProto& type);

/// Writes the type of a fact, with as much of its shape as is known.
void write_type(const Fact& fact, pb::TypeProto& type);

}  // namespace linnet
