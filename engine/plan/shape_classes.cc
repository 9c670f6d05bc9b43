#include "plan/shape_classes.h"

#include <algorithm>

namespace linnet {
namespace {

constexpr size_t kMostClasses = 8;
<<<<<<< HEAD
constexpr std::chrono::milliseconds kClassPatience{10};  // of one that waits, between looks at its deadline
=======
>>>>>>> share

}  // namespace

ShapeClasses::ShapeClasses(const Graph& program) : program_(program), open_(program_) {}

std::shared_ptr<ShapeClass> ShapeClasses::of(const std::vector<PlanInput>& inputs, const ModelResources& resources,
                                             const RunEnvironment* run) {
  const std::vector<int64_t> sizes = open_.sizes(inputs);
  ShapeClass::Fixed fixed;
  while (true) {
    std::shared_ptr<ShapeClass> found = get(fixed, resources, run);
    bool fits = true;
    for (const size_t i : found->assumed()) {
      if (sizes[i] >= 2) continue;
      fixed[i] = sizes[i];
      fits = false;
    }
    if (fits) return found;
  }
}

std::shared_ptr<ShapeClass> ShapeClasses::get(const ShapeClass::Fixed& fixed, const ModelResources& resources,
                                              const RunEnvironment* run) {
  std::unique_lock lock(mutex_);
<<<<<<< HEAD
  while (true) {
    if (auto found = find(fixed)) return found;
    if (std::ranges::find(making_, fixed) == making_.end()) break;
    made_.wait_for(lock, kClassPatience);
    if (run) run->check();
  }
  const auto own = making_.insert(making_.end(), fixed);
  lock.unlock();
=======
  const auto is_wanted = [&](const ShapeClass::Fixed& other) { return other == fixed; };
  if (auto found = making_.find(
          lock, [&] { return find(fixed); }, is_wanted, run))
    return found;
>>>>>>> share
  std::shared_ptr<ShapeClass> made;
  {
    const decltype(making_)::Turn turn(making_, lock, fixed);
    made = std::make_shared<ShapeClass>(program_, open_, fixed, resources);
  }
  classes_.push_front(made);
  if (classes_.size() > kMostClasses) classes_.pop_back();
  return made;
}

std::shared_ptr<ShapeClass> ShapeClasses::find(const ShapeClass::Fixed& fixed) {
  const auto found = std::ranges::find_if(classes_, [&](const auto& known) { return known->fixed() == fixed; });
  if (found == classes_.end()) return nullptr;
  classes_.splice(classes_.begin(), classes_, found);
  return classes_.front();
}

}  // namespace linnet
