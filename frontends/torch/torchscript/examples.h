#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tracer.h"

namespace linnet::exporter::torchscript {

/// The size of each dynamic axis, by the name of the axis.
using Sizes = std::map<std::string, int64_t>;
/// Returns sizes that all differ from the given ones.
Sizes other_sizes(Sizes sizes);

/// The contents of an example's tensors: those of their description, or other numbers. Integers are in the range of the
/// description; those of kBeyond may also be up to kBeyondRange above it.
enum class Fill { kGiven, kRandom, kZeros, kLarge, kNegative, kBeyond };
inline constexpr int64_t kBeyondRange = 5;

struct Example {
  Sizes sizes;
  Fill fill = Fill::kGiven;
};

/// Makes the arguments of forward, with one evaluation for each example.
using ArgumentMaker = std::function<std::vector<ExampleArgument>(const std::vector<Example>&)>;

/// Traces a module whose dynamic axes have these sizes. Without dynamic axes it uses one example. With dynamic axes it
/// uses one example of each of two sizes, and tries unusual sizes. If sizes do not differ yet, it adds examples.
/// outputs: the names of the outputs, as for Tracer::trace().
Trace trace_examples(const torch::jit::Module& module, const Sizes& sizes, const ArgumentMaker& make_arguments,
                     const Lowerings& lowerings, const ExportOptions& options, const Names& outputs = {});

}  // namespace linnet::exporter::torchscript
