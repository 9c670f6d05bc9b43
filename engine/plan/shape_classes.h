#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "environment/in_progress.h"
#include "plan/shape_class.h"

namespace linnet {

/// The classes of a program's graph that were asked for last. Which one inputs get depends on their sizes alone; who
/// needs one that is being made waits for it. Thread-safe.
class ShapeClasses {
 public:
  explicit ShapeClasses(const Graph& program);

  /// Whether there is any open dim.
  bool any() const { return open_.count() > 0; }
  /// The class of these inputs. `run`: whose deadline ends waiting.
  std::shared_ptr<ShapeClass> of(const std::vector<PlanInput>& inputs, const ModelResources& resources,
                                 const RunEnvironment* run);

 private:
  std::shared_ptr<ShapeClass> get(const ShapeClass::Fixed& fixed, const ModelResources& resources,
                                  const RunEnvironment* run);
  std::shared_ptr<ShapeClass> find(const ShapeClass::Fixed& fixed);

  Graph program_;
  OpenDims open_;
  std::mutex mutex_;  // held to look classes up, not while one is made
  InProgress<ShapeClass::Fixed> making_;
  std::list<std::shared_ptr<ShapeClass>> classes_;  // most recently used first
};

}  // namespace linnet
