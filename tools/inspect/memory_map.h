#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace linnet::tool {

/// A value in the memory that plans share out.
struct PlacedValue {
  std::string name;
  DType dtype = DType::kUndefined;
  Shape shape;
  int64_t offset = 0, bytes = 0;
  int written = 0;     ///< the first node that writes it
  int read = 0;        ///< the last node that reads it; the number of nodes for values that are kept, such as outputs
  int end = 0;         ///< the first node from which its memory belongs to another value
  bool apart = false;  ///< in separate memory, which is not reused over time
};

/// The memory of consecutive plans over their nodes. The memory of each plan follows that of the previous one. After
/// each arena comes the memory that the plan stores separately: outputs, strings and containers.
struct MemoryMap {
  struct Node {
    std::string op_type;  ///< with its domain; "copy" for the copy of an input or constant to an output
    std::string name;
  };
  std::vector<Node> nodes;
  std::vector<PlacedValue> values;
  int64_t bytes = 0;        ///< the bytes of all values
  int64_t arena_bytes = 0;  ///< the bytes of the arenas among them
  int64_t peak_bytes = 0;   ///< the maximum of the bytes of values that arenas contain at the same time
  int peak_node = 0;        ///< the first node at which this maximum is reached
};

/// The memory map of these plans. Values without elements and views of others have no memory.
MemoryMap map_memory(const std::vector<std::shared_ptr<const Plan>>& plans);

}  // namespace linnet::tool
