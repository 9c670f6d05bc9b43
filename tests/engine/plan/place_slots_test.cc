#include "plan/place_slots.h"

#include <gtest/gtest.h>

#include "support/graph_builder.h"

namespace linnet::testing {
namespace {

/// Allows its output to be written over input `source`, or over no input (-1).
struct KernelInPlaceOf final : Kernel {
  explicit KernelInPlaceOf(int source_in) : source(source_in) {}
  void run(KernelContext&) const override {}
  int in_place(int) const override { return source; }
  int source;
};

/// A plan of slots of 100 floats.
class PlanOfFloats {
 public:
  int slot(Slot::Kind kind = Slot::Kind::kArena, int index = 0) {
    plan_.slots.push_back({.kind = kind, .dtype = DType::kFloat32, .shape = {100}, .index = index});
    return int(plan_.slots.size()) - 1;
  }
  /// Returns the output of a node that reads `inputs`.
  int node(const std::vector<int>& inputs, int in_place = -1) {
    const int output = slot();
    plan_.nodes.push_back({nullptr, std::make_unique<KernelInPlaceOf>(in_place), inputs, {output}});
    return output;
  }
  const Plan& placed(const std::vector<int>& outputs) {
    for (const int output : outputs) plan_.outputs.push_back({output});
    place_slots(plan_);
    return plan_;
  }

 private:
  Plan plan_{Graph(std::make_shared<Registry>())};
};

constexpr size_t kBytes = 448;  // of a slot, aligned

bool same_memory(const Plan& plan, int a, int b) {
  const Slot &x = plan.slots[size_t(a)], &y = plan.slots[size_t(b)];
  return x.kind == y.kind && (x.kind == Slot::Kind::kOwned ? x.index == y.index : x.offset == y.offset);
}

TEST(PlaceSlots, ValuesThatLiveTogetherLieApart) {
  PlanOfFloats p;
  const int x = p.slot(Slot::Kind::kInput), a = p.node({x}), b = p.node({x}), c = p.node({a, b});
  const Plan& plan = p.placed({c});
  EXPECT_FALSE(same_memory(plan, a, b));
  EXPECT_EQ(plan.arena_bytes, 2 * kBytes);
}

TEST(PlaceSlots, OutputsLieOutsideTheArena) {
  PlanOfFloats p;
  const int x = p.slot(Slot::Kind::kInput), a = p.node({x}), b = p.node({a});
  const Plan& plan = p.placed({b});
  EXPECT_EQ(plan.slots[size_t(a)].kind, Slot::Kind::kArena);
  EXPECT_EQ(plan.slots[size_t(b)].kind, Slot::Kind::kOwned);
  EXPECT_EQ(plan.outputs[0].owner, b);
  EXPECT_EQ(plan.arena_bytes, kBytes);
  EXPECT_EQ(plan.owned_bytes, 400u);
}

TEST(PlaceSlots, WritesOverAnInputThatNobodyReadsLater) {
  PlanOfFloats p;
  const int x = p.slot(Slot::Kind::kInput), a = p.node({x}), b = p.node({a}, 0), c = p.node({b}, 0);
  const Plan& plan = p.placed({c});
  EXPECT_TRUE(same_memory(plan, a, b));
  EXPECT_TRUE(same_memory(plan, b, c));
  EXPECT_EQ(plan.outputs[0].owner, a);
  EXPECT_EQ(plan.arena_bytes, 0u);
  EXPECT_EQ(plan.owned_bytes, 400u);
}

TEST(PlaceSlots, DoesNotWriteOverWhatIsReadLaterOrIsTheCallers) {
  PlanOfFloats p;
  const int x = p.slot(Slot::Kind::kInput), a = p.node({x}, 0), b = p.node({a}, 0), c = p.node({a, b});
  const Plan& plan = p.placed({c});
  EXPECT_EQ(plan.slots[size_t(a)].kind, Slot::Kind::kArena);
  EXPECT_FALSE(same_memory(plan, a, b));
}

TEST(PlaceSlots, DoesNotWriteOverAnOutput) {
  PlanOfFloats p;
  const int x = p.slot(Slot::Kind::kInput), a = p.node({x}), b = p.node({a}, 0);
  const Plan& plan = p.placed({a, b});
  EXPECT_FALSE(same_memory(plan, a, b));
  EXPECT_EQ(plan.outputs[0].owner, a);
  EXPECT_EQ(plan.outputs[1].owner, b);
}

TEST(PlaceSlots, DoesNotWriteOverMemoryThatAnotherViewOfItShows) {
  PlanOfFloats p;
  const int x = p.slot(Slot::Kind::kInput), a = p.node({x}), view = p.slot(Slot::Kind::kView, a);
  const int c = p.node({a, view}, 0);
  EXPECT_FALSE(same_memory(p.placed({c}), a, c));
}

TEST(PlaceSlots, AViewKeepsItsSourceAlive) {
  PlanOfFloats p;
  const int x = p.slot(Slot::Kind::kInput), a = p.node({x}), view = p.slot(Slot::Kind::kView, a);
  const int b = p.node({x}), c = p.node({view, b});
  const Plan& plan = p.placed({c, view});
  EXPECT_FALSE(same_memory(plan, a, b));
  EXPECT_EQ(plan.outputs[1].owner, a);
}

}  // namespace
}  // namespace linnet::testing
