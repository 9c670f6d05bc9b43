#include "plan/shape_classes.h"

#include <algorithm>

namespace linnet {
namespace {

constexpr size_t kMostClasses = 8;
constexpr int kMostSteps = 3;  // classes tried for some inputs; each reveals another dim that matters

}  // namespace

ShapeClasses::ShapeClasses(const Graph& program) : program_(program), open_(program_) {}

std::shared_ptr<ShapeClass> ShapeClasses::of(const std::vector<PlanInput>& inputs, const ModelResources& resources,
                                             const RunEnvironment* run) {
  const std::vector<int64_t> sizes = open_.sizes(inputs);
  ShapeClass::Fixed fixed;
  const auto fix = [&](size_t i) { return sizes[i] < 2 && fixed.insert({i, sizes[i]}).second; };
  for (int step = 0; step < kMostSteps; ++step) {
    std::shared_ptr<ShapeClass> found = get(fixed, resources, run);
    if (std::ranges::count_if(found->assumed(), fix) == 0) return found;
  }
  for (size_t i = 0; i < sizes.size(); ++i) fix(i);
  return get(fixed, resources, run);
}

std::shared_ptr<ShapeClass> ShapeClasses::get(const ShapeClass::Fixed& fixed, const ModelResources& resources,
                                              const RunEnvironment* run) {
  std::unique_lock lock(mutex_);
  const auto is_wanted = [&](const ShapeClass::Fixed& other) { return other == fixed; };
  if (auto found = making_.find(
          lock, [&] { return find(fixed); }, is_wanted, run))
    return found;
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
