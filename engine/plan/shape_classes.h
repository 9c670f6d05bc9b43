#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "environment/in_progress.h"
#include "plan/shape_class.h"

namespace linnet {

/// The most recently used classes of a program's graph. The class of inputs depends on their sizes alone. A caller
/// waits if another thread is making the class that it needs. Thread-safe.
class ShapeClasses {
 public:
  explicit ShapeClasses(const Graph& program);

  /// Whether the graph has open dims.
  bool any() const { return open_.count() > 0; }
  /// The class of these inputs. `run`: the run whose deadline ends waiting.
  std::shared_ptr<ShapeClass> of(const std::vector<PlanInput>& inputs, const ModelResources& resources,
                                 const RunEnvironment* run);

 private:
  std::shared_ptr<ShapeClass> get(const ShapeClass::Fixed& fixed, const ModelResources& resources,
                                  const RunEnvironment* run);
  std::shared_ptr<ShapeClass> find(const ShapeClass::Fixed& fixed);

  Graph program_;
  OpenDims open_;
  std::mutex mutex_;  // held for lookups, but not while a class is made
  InProgress<ShapeClass::Fixed> making_;
  std::list<std::shared_ptr<ShapeClass>> classes_;  // most recently used first
};

}  // namespace linnet
