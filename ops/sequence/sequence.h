#pragma once

#include <string>

#include "infer/infer.h"
#include "linnet/containers.h"

// Functions that the operators on sequences share.
namespace linnet {

/// Returns the fact of a sequence's elements. Throws Error(kType) if the input is not a sequence.
const Fact& sequence_element(std::span<const Fact> in, int input);

/// Checks that the input is int32 or int64 with one element.
void require_position(std::span<const Fact> in, int input);

/// Returns the position in [0, count) that a tensor specifies. Negative positions count from the end. Throws
/// Error(kShape) for a position out of range.
size_t sequence_position(const Tensor& position, size_t count);

inline const Sequence& input_sequence(KernelContext& context, int i) { return *context.input(i).data<Sequence>(); }
inline Sequence& output_sequence(KernelContext& context, int i) { return *context.output(i).data<Sequence>(); }

}  // namespace linnet
