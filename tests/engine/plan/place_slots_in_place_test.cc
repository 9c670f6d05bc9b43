#include <gtest/gtest.h>

#include "plan/place_slots.h"

namespace linnet::testing {
namespace {

class InPlaceKernel final : public Kernel {
 public:
  void run(KernelContext&) const override {}
  int in_place(int) const override { return 0; }
};

/// Slot 0 is the caller's tensor, of 64 floats; every step adds a slot of as many, which its kernel could write in
/// place of its first input.
class Steps {
 public:
  Steps() { plan_.slots.push_back(slot(Slot::Kind::kInput)); }

  int add(const std::vector<int>& inputs) {
    plan_.slots.push_back(slot(Slot::Kind::kArena));
    const int output = int(plan_.slots.size()) - 1;
    Step& step = plan_.steps.emplace_back();
    step.kernel = std::make_unique<InPlaceKernel>();
    step.inputs = inputs;
    step.outputs = {output};
    return output;
  }
  int add_view(int of) {
    plan_.slots.push_back(slot(Slot::Kind::kView));
    plan_.slots.back().index = of;
    return int(plan_.slots.size()) - 1;
  }

  /// Whether the last slot lies where `other` does.
  bool last_lies_over(int other) {
    const int last = int(plan_.slots.size()) - 1;
    plan_.outputs.push_back({add({last, last}), -1});  // an output would lie in memory of its own
    place_slots(plan_);
    return plan_.slots[size_t(last)].offset == plan_.slots[size_t(other)].offset;
  }

 private:
  static Slot slot(Slot::Kind kind) { return {.kind = kind, .dtype = DType::kFloat32, .shape = {64}}; }

  Plan plan_{Graph(std::make_shared<Registry>())};
};

TEST(PlaceSlotsInPlace, WritesOverAnInputThatNobodyReadsLater) {
  Steps steps;
  const int a = steps.add({0});
  steps.add({a, 0});
  EXPECT_TRUE(steps.last_lies_over(a));
}

TEST(PlaceSlotsInPlace, KeepsAValueThatIsSeveralInputs) {
  Steps steps;
  const int a = steps.add({0});
  steps.add({a, a});
  EXPECT_FALSE(steps.last_lies_over(a));
}

TEST(PlaceSlotsInPlace, KeepsAValueThatAnotherInputIsAViewOf) {
  Steps steps;
  const int a = steps.add({0});
  const int view = steps.add_view(a);
  steps.add({a, view});
  EXPECT_FALSE(steps.last_lies_over(a));
}

}  // namespace
}  // namespace linnet::testing
