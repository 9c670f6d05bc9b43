#include "passes/computed_contents.h"

#include <algorithm>
#include <cstring>

#include "passes/evaluate.h"

namespace linnet {
namespace {

// Smaller values stay in memory.
constexpr size_t kLeastBytes = size_t{1} << 16;
// The maximum number of nodes between a value and stored ones. Each is recomputed for the nodes after it.
constexpr int kMostDepth = 4;

int depth_of(std::span<const Fact> in) {
  int depth = 0;
  for (const Fact& fact : in) {
    const ContentsSource* source = StoredContents::source(fact.constant);
    if (source) depth = std::max(depth, source->depth());
  }
  return depth;
}

bool can_read_again(std::span<const Fact> in) {
  const auto is_stored = [](const Fact& fact) {
    return StoredContents::is_stored(fact.constant) &&
           !StoredContents::in_memory(StoredContents::original(fact.constant));
  };
  return std::any_of(in.begin(), in.end(), is_stored) && std::all_of(in.begin(), in.end(), [&](const Fact& fact) {
           return !fact.present() || is_stored(fact) || fact.constant.bytes() < kLeastBytes;
         });
}

}  // namespace

std::vector<Tensor> ComputedContents::computed_again(const Node& node, std::span<const Fact> in,
                                                     std::span<const Fact> out, const ModelResources& resources,
                                                     std::vector<Tensor> values) {
  const bool large = values.size() == 1 && !is_object(values[0].dtype()) && values[0].bytes() >= kLeastBytes;
  if (!large || !can_read_again(in) || depth_of(in) >= kMostDepth) return values;
  const Tensor& value = values[0];
  return {StoredContents::tensor(value.dtype(), value.shape(),
                                 std::make_shared<ComputedContents>(node, in, out, resources.options))};
}

ComputedContents::ComputedContents(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                                   const ModelOptions& options)
    : node_(node),
      in_(in.begin(), in.end()),
      out_(out.begin(), out.end()),
      options_(options),
      depth_(depth_of(in) + 1) {
  for (Fact& fact : in_) fact.constant = StoredContents::original(fact.constant);
}

const ComputedContents* ComputedContents::of(const Tensor& tensor) {
  return dynamic_cast<const ComputedContents*>(StoredContents::source(tensor));
}

// Shares nothing with the model, because what the model is packing may be waiting for these bytes.
void ComputedContents::read(std::span<std::byte> to, size_t from) const {
  const auto resources = std::make_shared<ModelResources>();
  resources->options = options_;
  std::vector<Fact> in = in_;
  for (Fact& fact : in) fact.constant = StoredContents::borrow(fact.constant);
  const std::vector<Tensor> values = run_once(node_, in, out_, *resources);
  std::memcpy(to.data(), static_cast<const std::byte*>(values[0].raw()) + from, to.size());
}

}  // namespace linnet
