#include <gtest/gtest.h>

#include <map>
#include <random>

#include "plan/place_slots.h"

namespace linnet::testing {
namespace {

/// Allows each output to be written over the given input; -1: over no input.
class KernelInPlaceOfInputs final : public Kernel {
 public:
  explicit KernelInPlaceOfInputs(std::vector<int> in_place) : in_place_(std::move(in_place)) {}
  void run(KernelContext&) const override {}
  int in_place(int output) const override { return output < int(in_place_.size()) ? in_place_[size_t(output)] : -1; }

 private:
  std::vector<int> in_place_;
};

Plan empty_plan() { return Plan(Graph(std::make_shared<Registry>())); }

int add_slot(Plan& plan, Slot::Kind kind, int64_t bytes, int index = 0) {
  plan.slots.push_back({.kind = kind, .dtype = DType::kUint8, .shape = {bytes}, .index = index});
  return int(plan.slots.size()) - 1;
}

int add_arena_slot(Plan& plan, int64_t bytes) { return add_slot(plan, Slot::Kind::kArena, bytes); }

void add_node(Plan& plan, const std::vector<int>& inputs, const std::vector<int>& outputs,
              const std::vector<int>& in_place = {}) {
  plan.nodes.push_back({nullptr, std::make_unique<KernelInPlaceOfInputs>(in_place), inputs, outputs});
}

/// Runs a plan on memory in which each byte contains the number of the value that was last written there. Expects every
/// value to be intact wherever it is read.
class Simulation {
 public:
  explicit Simulation(const Plan& plan) : plan_(plan) { memory_[kArena].resize(plan.arena_bytes, kNothing); }

  void run() {
    for (const PlannedNode& planned : plan_.nodes) {
      for (const int slot : planned.inputs) expect_whole(slot);
      expect_apart(planned);
      for (const int slot : planned.outputs) write(slot);
      for (const int slot : planned.outputs) expect_whole(slot);
    }
    for (const Plan::Output& output : plan_.outputs) expect_whole(output.slot);
    for (const int slot : plan_.rest_inputs) expect_whole(slot);
  }

 private:
  // Returns the value in a slot. The value of a view belongs to another slot.
  int value(int slot) const {
    while (plan_.slots[size_t(slot)].kind == Slot::Kind::kView) slot = plan_.slots[size_t(slot)].index;
    return slot;
  }

  // Whether the value is in memory that nodes write to. The caller's tensors and constants are not.
  bool in_memory(int slot) const {
    if (slot < 0) return false;
    const Slot::Kind kind = plan_.slots[size_t(value(slot))].kind;
    return kind == Slot::Kind::kArena || kind == Slot::Kind::kOwned;
  }

  // Returns the slot that owns the memory, or kArena.
  int block(int slot) const {
    const Slot& shown = plan_.slots[size_t(value(slot))];
    return shown.kind == Slot::Kind::kOwned ? shown.index : kArena;
  }
  size_t begin(int slot) const { return block(slot) == kArena ? plan_.slots[size_t(value(slot))].offset : 0; }
  size_t end(int slot) const { return begin(slot) + size_t(plan_.slots[size_t(slot)].shape.elements()); }
  bool overlap(int a, int b) const { return block(a) == block(b) && begin(a) < end(b) && begin(b) < end(a); }

  void write(int slot) {
    if (!in_memory(slot) || value(slot) != slot) return;
    std::vector<int>& bytes = memory_[block(slot)];
    if (block(slot) != kArena) bytes.resize(end(slot), kNothing);
    ASSERT_LE(end(slot), bytes.size());
    for (size_t i = begin(slot); i < end(slot); ++i) bytes[i] = slot;
  }

  void expect_whole(int slot) {
    if (!in_memory(slot)) return;
    const std::vector<int>& bytes = memory_[block(slot)];
    ASSERT_LE(end(slot), bytes.size());
    for (size_t i = begin(slot); i < end(slot); ++i) ASSERT_EQ(bytes[i], value(slot)) << "byte " << i << " of " << slot;
  }

  // A kernel may read any input until it has written all outputs, except for the input that it may overwrite.
  void expect_apart(const PlannedNode& planned) const {
    for (size_t o = 0; o < planned.outputs.size(); ++o) {
      const int output = planned.outputs[o];
      if (!in_memory(output) || value(output) != output) continue;
      for (size_t i = 0; i < planned.inputs.size(); ++i) {
        if (int(i) == planned.kernel->in_place(int(o)) || !in_memory(planned.inputs[i])) continue;
        EXPECT_FALSE(overlap(output, planned.inputs[i])) << "output " << o << ", input " << i;
      }
      for (size_t other = 0; other < o; ++other) {
        EXPECT_FALSE(in_memory(planned.outputs[other]) && overlap(output, planned.outputs[other]));
      }
    }
  }

  static constexpr int kArena = -1, kNothing = -1;

  const Plan& plan_;
  std::map<int, std::vector<int>> memory_;  // by block, the last written value of each byte
};

/// Returns nodes of up to three inputs and two outputs of a few sizes, so that many may be written in place. Some are
/// views.
Plan random_plan(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return int(random() % n); };
  const auto bytes = [&] { return int64_t{64} * (1 + below(3)) - below(2); };
  Plan plan = empty_plan();
  for (int i = 0; i < 2; ++i) add_slot(plan, Slot::Kind::kInput, bytes(), i);
  for (int i = 0; i < 12; ++i) {
    std::vector<int> inputs, outputs, in_place;
    for (int n = 1 + below(3); n > 0; --n) inputs.push_back(below(plan.slots.size() + 1) - 1);
    const int first = inputs[0];
    if (first >= 0 && below(4) == 0) {
      outputs.push_back(add_slot(plan, Slot::Kind::kView, plan.slots[size_t(first)].shape[0], first));
    } else {
      for (int n = 1 + below(2); n > 0; --n) {
        outputs.push_back(below(8) == 0 ? -1 : add_arena_slot(plan, bytes()));
        in_place.push_back(below(inputs.size() + 1) - 1);
      }
    }
    add_node(plan, inputs, outputs, in_place);
  }
  for (int n = 2; n > 0; --n) plan.outputs.push_back({below(plan.slots.size()), -1});
  plan.rest_inputs.push_back(below(plan.slots.size()));
  return plan;
}

TEST(PlaceSlots, ValuesAreWholeWheneverTheyAreRead) {
  for (unsigned seed = 0; seed < 2000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Plan plan = random_plan(seed);
    place_slots(plan);
    for (const Slot& slot : plan.slots) EXPECT_EQ(slot.offset % 64, 0u);
    Simulation(plan).run();
  }
}

TEST(PlaceSlots, AChainThatMayBeWrittenInPlaceNeedsOneBlock) {
  Plan plan = empty_plan();
  const int input = add_slot(plan, Slot::Kind::kInput, 640);
  int last = input;
  for (int i = 0; i < 5; ++i) {
    const int next = add_arena_slot(plan, 640);
    add_node(plan, {last}, {next}, {0});
    last = next;
  }
  add_node(plan, {last}, {add_arena_slot(plan, 64)});
  place_slots(plan);
  EXPECT_EQ(plan.arena_bytes, 640u + 64u);
}

/// Returns the bytes for two values of 640 bytes, the second of which is computed from the first in place.
size_t bytes_of_two(Plan plan, int first, int second) {
  add_node(plan, {first}, {second}, {0});
  place_slots(plan);
  return plan.arena_bytes;
}

TEST(PlaceSlots, WritesNothingOverWhatIsReadLater) {
  Plan read_later = empty_plan();
  const int first = add_arena_slot(read_later, 640), second = add_arena_slot(read_later, 640);
  add_node(read_later, {}, {first});
  add_node(read_later, {first}, {second}, {0});
  add_node(read_later, {first, second}, {});
  place_slots(read_later);
  EXPECT_EQ(read_later.arena_bytes, 1280u);

  Plan rest = empty_plan();
  const int a = add_arena_slot(rest, 640), b = add_arena_slot(rest, 640);
  add_node(rest, {}, {a});
  rest.rest_inputs = {a};
  EXPECT_EQ(bytes_of_two(std::move(rest), a, b), 1280u);
}

TEST(PlaceSlots, WritesNothingOverMemoryOfAnotherSize) {
  Plan plan = empty_plan();
  const int first = add_arena_slot(plan, 640), second = add_arena_slot(plan, 576);
  add_node(plan, {}, {first});
  EXPECT_EQ(bytes_of_two(std::move(plan), first, second), 1216u);
}

TEST(PlaceSlots, ViewsKeepTheMemoryOfWhatTheyShow) {
  Plan plan = empty_plan();
  const int first = add_arena_slot(plan, 640), view = add_slot(plan, Slot::Kind::kView, 640, first);
  add_node(plan, {}, {first});
  add_node(plan, {first}, {view});
  const int other = add_arena_slot(plan, 640);
  add_node(plan, {}, {other});
  add_node(plan, {view, other}, {});
  place_slots(plan);
  EXPECT_EQ(plan.arena_bytes, 1280u);
  EXPECT_EQ(plan.slots[size_t(view)].offset, plan.slots[size_t(first)].offset);
}

}  // namespace
}  // namespace linnet::testing
