#include "graph/rewrite.h"

#include <algorithm>

namespace linnet {

RewriteIndex::RewriteIndex(const std::vector<Rewrite>& rewrites) {
  for (const Rewrite& rewrite : rewrites) {
    operators_.insert(operators_.end(), rewrite.roots.begin(), rewrite.roots.end());
  }
  std::ranges::sort(operators_);
  operators_.erase(std::unique(operators_.begin(), operators_.end()), operators_.end());
  for (const Rewrite& rewrite : rewrites) {
    const bool is_for_any = rewrite.roots.count == 0;
    std::vector<char>& is_root = is_root_.emplace_back(1, is_for_any);
    for (const RewriteRoot& op : operators_) {
      is_root.push_back(is_for_any || std::ranges::find(rewrite.roots, op) != rewrite.roots.end());
    }
  }
}

size_t RewriteIndex::number_of(const NodeSpec& spec) const {
  const RewriteRoot op(spec.op_type, spec.domain);
  const auto found = std::ranges::lower_bound(operators_, op);
  return found == operators_.end() || *found != op ? 0 : size_t(found - operators_.begin()) + 1;
}

}  // namespace linnet
