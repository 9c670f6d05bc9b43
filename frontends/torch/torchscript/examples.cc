#include "examples.h"

#include "exporter/export_error.h"

namespace linnet::exporter::torchscript {
namespace {

/// Returns sizes that a model may refuse. Each axis in turn is empty, has size 1 or, if it is small, is larger.
std::vector<Sizes> unusual_sizes(const Sizes& sizes) {
  constexpr int64_t kSmall = 32, kMore = 5;  // all evaluated values stay in memory, so large sizes stay as they are
  std::vector<Sizes> result;
  for (const auto& [symbol, size] : sizes) {
    for (const int64_t unusual : {int64_t(0), int64_t(1), size > 1 && size < kSmall ? size + kMore : size}) {
      if (unusual == size) continue;
      result.push_back(sizes);
      result.back()[symbol] = unusual;
    }
  }
  return result;
}

}  // namespace

Sizes other_sizes(Sizes sizes) {
  for (auto& [symbol, size] : sizes) size += size < 32 ? 2 : 32;
  return sizes;
}

Trace trace_examples(const torch::jit::Module& module, const Sizes& sizes, const ArgumentMaker& make_arguments,
                     const Lowerings& lowerings, const ExportOptions& options, const Names& outputs) {
  constexpr size_t kMostExamples = 8;
  std::vector<Example> firm{{sizes}}, tries;
  if (!sizes.empty()) firm.push_back({other_sizes(sizes)});
  for (const Sizes& unusual : unusual_sizes(sizes)) tries.push_back({unusual});
  for (;;) {
    std::vector<Example> examples = firm;
    examples.insert(examples.end(), tries.begin(), tries.end());
    try {
      return Tracer(lowerings, options).trace(module, make_arguments(examples), tries.size(), outputs);
    } catch (const EqualSizes&) {
      if (firm.size() >= kMostExamples) throw;
      firm.insert(firm.end(), firm.size(), {sizes, Fill::kRandom});
      tries.insert(tries.end(), 2, {sizes, Fill::kBeyond});
    } catch (const RefusedTry& refused) {
      tries.erase(tries.begin() + std::ptrdiff_t(refused.evaluation() - firm.size()));
    }
  }
}

}  // namespace linnet::exporter::torchscript
