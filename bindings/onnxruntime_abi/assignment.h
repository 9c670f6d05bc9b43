#pragma once

#include <list>
#include <string>
#include <vector>

#include "linnet/model.h"

namespace linnet::ort {

struct EpAssignedNode {
  std::string name, domain, op_type;
};

/// The nodes that a provider runs. The CPU's provider runs all nodes of a model.
struct EpAssignedSubgraph {
  explicit EpAssignedSubgraph(const Model& model);

  std::list<EpAssignedNode> nodes;
  std::vector<const EpAssignedNode*> places;
};

}  // namespace linnet::ort
