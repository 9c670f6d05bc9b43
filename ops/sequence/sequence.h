#pragma once

#include <string>

#include "infer/infer.h"
#include "linnet/containers.h"

// What the operators on sequences share.
namespace linnet {

/// The fact of a sequence's elements. Throws Error(kType) when the input is no sequence.
const Fact& sequence_element(std::span<const Fact> in, int input);

/// Checks that the input is int32 or int64 and holds one element.
void require_position(std::span<const Fact> in, int input);

/// The position that a tensor gives in a sequence, in [0, count): negative ones count from the end.
/// Throws Error(kShape) for a position outside of it.
size_t sequence_position(const Tensor& position, size_t count);

inline const Sequence& input_sequence(KernelContext& context, int i) { return *context.input(i).data<Sequence>(); }
inline Sequence& output_sequence(KernelContext& context, int i) { return *context.output(i).data<Sequence>(); }

}  // namespace linnet
