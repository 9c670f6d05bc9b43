#pragma once

#include <optional>
#include <vector>

#include "plan/growth.h"
#include "plan/linear_dim.h"

namespace linnet {

/// The sizes of values in a graph whose states have capacities.
class Rooms {
 public:
  Rooms(const Growth& growth, std::vector<int64_t> capacities) : growth_(growth), capacities_(std::move(capacities)) {}

  size_t counts() const { return growth_.rows.size(); }
  std::optional<LinearDim> linear(const Dim& dim) const { return LinearDim::of(dim, growth_.rows); }
  /// The dim at the capacity; nullopt if it shrinks with the rows or depends on several counts.
  std::optional<int64_t> of(const Dim& dim) const;
  /// The only axis whose dim depends on a count; -1 if the value has no such axis or no room.
  int axis(const Fact& fact) const;
  /// The fact at the capacity; nullopt if a value grows along several axes or has no size at the capacity.
  std::optional<Fact> fact(const Fact& fact) const;

 private:
  const Growth& growth_;
  std::vector<int64_t> capacities_;
};

}  // namespace linnet
