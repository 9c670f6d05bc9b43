#include "rewrites/matching/reshape_nodes.h"

#include <algorithm>
#include <numeric>

#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"

namespace linnet {

bool is_reshape(const Node* node) {
  return node &&
         (is_op(*node, "Reshape") || is_op(*node, "Flatten") || is_op(*node, "Squeeze") || is_op(*node, "Unsqueeze"));
}

ValueId add_reshape(Patch& patch, const Node& for_node, ValueId x, const std::vector<int64_t>& dims) {
  const ValueId shape = patch.constant(for_node.spec.name + ".shape", Tensor::of<int64_t>(dims));
  return patch.add(standard_spec(for_node, "Reshape", 13), {x, shape});
}

ValueId add_reshape(Patch& patch, const Node& for_node, ValueId x, const Dims& dims) {
  std::vector<int64_t> shape;
  for (const Dim& dim : dims) shape.push_back(dim.value());
  return add_reshape(patch, for_node, x, shape);
}

ValueId add_matrix_transpose(Patch& patch, const Node& for_node, ValueId x, int rank) {
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  std::iter_swap(perm.end() - 2, perm.end() - 1);
  return add_transpose(patch, for_node, x, perm);
}

}  // namespace linnet
