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
/// Every size another one.
Sizes other_sizes(Sizes sizes);

/// What the tensors of an example hold: what their description says, or other numbers. Integers lie in the range of
/// the description, those of kBeyond also up to kBeyondRange above it.
enum class Fill { kGiven, kRandom, kZeros, kLarge, kNegative, kBeyond };
inline constexpr int64_t kBeyondRange = 5;

struct Example {
  Sizes sizes;
  Fill fill = Fill::kGiven;
};

/// The arguments of forward with one evaluation for each example.
using ArgumentMaker = std::function<std::vector<ExampleArgument>(const std::vector<Example>&)>;

/// Traces a module whose dynamic axes have these sizes: on one example; with dynamic axes, on one of each size and
/// tries of unusual ones; on more where sizes do not differ yet.
/// outputs: the names that the outputs get, as for Tracer::trace.
Trace trace_examples(const torch::jit::Module& module, const Sizes& sizes, const ArgumentMaker& make_arguments,
                     const Lowerings& lowerings, const ExportOptions& options, const Names& outputs = {});

}  // namespace linnet::exporter::torchscript
