#include <gtest/gtest.h>

#include "plan/place_slots.h"

namespace linnet::testing {
namespace {

class KernelInPlaceOfItsFirstInput final : public Kernel {
 public:
  void run(KernelContext&) const override {}
  int in_place(int) const override { return 0; }
};

/// Slot 0 is the caller's tensor of 64 floats. Every node adds a slot of the same size, which its kernel could write
/// over its first input.
class PlannedNodes {
 public:
  PlannedNodes() { plan_.slots.push_back(slot(Slot::Kind::kInput)); }

  int add(const std::vector<int>& inputs) {
    plan_.slots.push_back(slot(Slot::Kind::kArena));
    const int output = int(plan_.slots.size()) - 1;
    PlannedNode& planned = plan_.nodes.emplace_back();
    planned.kernel = std::make_unique<KernelInPlaceOfItsFirstInput>();
    planned.inputs = inputs;
    planned.outputs = {output};
    return output;
  }
  int add_view(int of) {
    plan_.slots.push_back(slot(Slot::Kind::kView));
    plan_.slots.back().index = of;
    return int(plan_.slots.size()) - 1;
  }

  /// Whether the last slot has the same memory as `other`.
  bool last_lies_over(int other) {
    const int last = int(plan_.slots.size()) - 1;
    plan_.outputs.push_back({add({last, last}), -1});  // an output would have separate memory
    place_slots(plan_);
    return plan_.slots[size_t(last)].offset == plan_.slots[size_t(other)].offset;
  }

 private:
  static Slot slot(Slot::Kind kind) { return {.kind = kind, .dtype = DType::kFloat32, .shape = {64}}; }

  Plan plan_{Graph(std::make_shared<Registry>())};
};

TEST(PlaceSlotsInPlace, WritesOverAnInputThatNobodyReadsLater) {
  PlannedNodes nodes;
  const int a = nodes.add({0});
  nodes.add({a, 0});
  EXPECT_TRUE(nodes.last_lies_over(a));
}

TEST(PlaceSlotsInPlace, KeepsAValueThatIsSeveralInputs) {
  PlannedNodes nodes;
  const int a = nodes.add({0});
  nodes.add({a, a});
  EXPECT_FALSE(nodes.last_lies_over(a));
}

TEST(PlaceSlotsInPlace, KeepsAValueThatAnotherInputIsAViewOf) {
  PlannedNodes nodes;
  const int a = nodes.add({0});
  const int view = nodes.add_view(a);
  nodes.add({a, view});
  EXPECT_FALSE(nodes.last_lies_over(a));
}

}  // namespace
}  // namespace linnet::testing
