#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "linnet/op.h"
#include "plan/program.h"

namespace linnet {

using GraphPtr = std::shared_ptr<const Graph>;

/// The facts of a body's outputs, given those of its inputs. Throws Error(kModel) if the number of inputs does not
/// match.
std::vector<Fact> body_facts(const Graph& body, std::span<const Fact> inputs);

/// The depth to which Loops are nested in the body.
int loop_depth(const Graph& body);

/// Throws Error(kModel) unless the body has this many inputs and outputs.
void require_body(const Graph& body, size_t inputs, size_t outputs, const char* name);

/// Checks that the outputs of a body are tensors, and that the first ones have the dtypes of the corresponding states.
void require_state_dtypes(std::span<const Fact> states, std::span<const Fact> outputs);

/// The dims of a fact, with 0 for open ones: the shape of an output after no iteration.
Shape shape_or_zero(const Fact& fact);

/// A program that shares options and packed weights with the model being compiled.
std::shared_ptr<Program> body_program(const GraphPtr& body, const CompileInput& in);

/// The tensor's only element. Throws Error(kShape) unless there is exactly one.
bool single_bool(const Tensor& tensor, const char* what);
int64_t single_int(const Tensor& tensor, const char* what);

}  // namespace linnet
