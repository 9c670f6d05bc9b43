#pragma once

#include <span>
#include <vector>

#include "compile/model_resources.h"
#include "graph/graph.h"
#include "tensor/stored_contents.h"

namespace linnet {

/// The output of a node whose constant inputs can be read again, such as a transposed weight. It is recomputed when its
/// contents are requested.
class ComputedContents final : public ContentsSource {
 public:
  /// The values of a node's outputs; without their contents if these can be recomputed from stored ones.
  static std::vector<Tensor> computed_again(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                                            const ModelResources& resources, std::vector<Tensor> values);

  ComputedContents(const Node& node, std::span<const Fact> in, std::span<const Fact> out, const ModelOptions& options);
  /// The source of a tensor's contents; nullptr if they are not recomputed.
  static const ComputedContents* of(const Tensor& tensor);
  const Node& node() const { return node_; }
  const Tensor& input(int i) const { return in_[size_t(i)].constant; }

  void read(std::span<std::byte> to, size_t from) const override;
  int depth() const override { return depth_; }

 private:
  Node node_;
  std::vector<Fact> in_, out_;
  ModelOptions options_;
  int depth_ = 0;
};

}  // namespace linnet
