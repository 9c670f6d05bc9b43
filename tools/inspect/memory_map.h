#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace linnet::tool {

/// A value in the memory that plans divide.
struct PlacedValue {
  std::string name;
  DType dtype = DType::kUndefined;
  Shape shape;
  int64_t offset = 0, bytes = 0;
  int written = 0;     ///< the node that writes it first
  int read = 0;        ///< the node that reads it last; the number of nodes for what is kept after them, as outputs are
  int end = 0;         ///< its memory is another's from this node on
  bool apart = false;  ///< in memory of its own, which is not divided over time
};

/// The memory of plans that follow one another over their nodes, each plan's behind that of the one before, and behind
/// each arena what the plan keeps apart from it: outputs, strings and containers.
struct MemoryMap {
  struct Node {
    std::string op_type;  ///< with its domain; "copy" for the copy of an input or constant to an output
    std::string name;
  };
  std::vector<Node> nodes;
  std::vector<PlacedValue> values;
  int64_t bytes = 0;        ///< of all
  int64_t arena_bytes = 0;  ///< of these, in arenas
  int64_t peak_bytes = 0;   ///< of values that arenas hold at once, at the most
  int peak_node = 0;        ///< the first node at which they do
};

/// Values without elements, and views of others, have no memory of their own.
MemoryMap map_memory(const std::vector<std::shared_ptr<const Plan>>& plans);

}  // namespace linnet::tool
