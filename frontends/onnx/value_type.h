#pragma once

#include "linnet/fact.h"
#include "linnet/model.h"
#include "proto.h"

namespace linnet {

/// The DType of an element type number. Throws Error(kModel) where the type is missing, Error(kUnsupported) for numbers
/// that are newer than this build.
DType dtype_from_proto(int32_t number);

/// The declared type of a value. Of a tensor: dtype and shape, with dims that are numbers, symbols (dim_param) or
/// unknown (absent or negative). Throws Error(kModel) where there is no type or it contradicts itself,
/// Error(kUnsupported) for sparse tensors.
Fact fact_from_proto(const pb::TypeProto& type);

/// The same for what no run depends on: not present() where it cannot be read.
Fact declared_fact(const pb::TypeProto& type);

/// What the type says beside that.
Denotation denotation_from_proto(const pb::TypeProto& type);

/// Writes the words for a value whose type is written already.
void write_denotation(const Denotation& denotation, pb::TypeProto& type);

/// Declares a value of the fact's type, with as much of its shape as is known.
void write_type(const Fact& fact, pb::TypeProto& type);

}  // namespace linnet
