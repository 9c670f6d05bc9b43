#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Padding. Its sizes are pairs, with the last axis first.
namespace linnet::exporter {
namespace {

/// Converts pairs, with the last axis first, to all begins followed by all ends. Axes without a pair get 0.
std::string pads_of(Call& call, const std::string& name) {
  const int64_t rank = call.tensor().dim();
  if (call.constant(name)) {
    const Integers pairs = call.integers(name);
    Integers pads(size_t(2 * rank), 0);
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const int64_t axis = rank - 1 - int64_t(i / 2);
      pads[size_t(axis)] = pairs[i];
      pads[size_t(axis + rank)] = pairs[i + 1];
    }
    return call.constant_of(pads);
  }
  const auto count = int64_t(call.length(name));
  Integers places;
  for (const int64_t end : {0, 1}) {
    for (int64_t axis = 0; axis < rank; ++axis) places.push_back(std::min(2 * (rank - 1 - axis) + end, count));
  }
  const std::string numbers = call.emit("Concat", {call.shape(name), call.constant_of({0})}, {{"axis", 0}});
  return call.emit("Gather", {numbers, call.constant_of(places)});
}

/// A negative padding crops.
void pad_with(Call& call, const std::string& mode, const std::string& value) {
  const std::string pads = pads_of(call, call.has("pad") ? "pad" : "padding");
  call.set(call.emit("Pad", {call.value(), pads, value}, {{"mode", mode}}));
}

void constant_pad(Call& call) { pad_with(call, "constant", call.value("value", call.dtype())); }
void reflection_pad(Call& call) { pad_with(call, "reflect", ""); }
void replication_pad(Call& call) { pad_with(call, "edge", ""); }

/// Crops by negative paddings and extends each axis with the elements from its other end, by a gather of positions.
void circular_pad_by_places(Call& call) {
  const std::string pads = pads_of(call, "pad"), zero = call.constant_of({0}), none = call.constant_of(Integers{});
  const std::string further = call.emit("Max", {pads, zero}), cut = call.emit("Max", {call.emit("Neg", {pads}), zero});
  const int64_t rank = call.tensor().dim();
  if (int64_t(call.length("pad")) > 2 * rank) call.refuse("it pads more axes than there are");
  std::string y = call.value();
  for (int64_t axis = rank - int64_t(call.length("pad") / 2); axis < rank; ++axis) {
    const auto before = [&](const std::string& list) { return slice(call, list, 0, axis, axis + 1); };
    const auto after = [&](const std::string& list) { return slice(call, list, 0, axis + rank, axis + rank + 1); };
    const std::string begin = before(cut);
    const std::string size = call.emit("Sub", {call.emit("Sub", {call.size("self", axis), begin}), after(cut)});
    const Names ends{call.emit("Neg", {before(further)}), call.emit("Add", {size, after(further)})};
    const std::string places = call.emit(
        "Range", {call.emit("Reshape", {ends[0], none}), call.emit("Reshape", {ends[1], none}), integer_of(call, 1)});
    const std::string around = call.emit("Add", {call.emit("Mod", {places, size}), begin});
    y = call.emit("Gather", {y, around}, {{"axis", axis}});
  }
  call.set(y);
}

/// Extends both ends of each axis with rows from the other end.
void circular_pad(Call& call) {
  if (!call.constant("pad")) return circular_pad_by_places(call);
  const Integers pairs = call.integers("pad");
  if (std::ranges::any_of(pairs, [](int64_t pad) { return pad < 0; })) return circular_pad_by_places(call);
  std::string y = call.value();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int64_t axis = call.tensor().dim() - 1 - int64_t(i / 2), before = pairs[i], after = pairs[i + 1];
    Names parts{y};
    if (before > 0) parts.insert(parts.begin(), slice(call, y, axis, -before, kEnd));
    if (after > 0) parts.push_back(slice(call, y, axis, 0, after));
    if (parts.size() > 1) y = call.emit("Concat", parts, {{"axis", axis}});
  }
  call.set(y);
}

void pad(Call& call) {
  const std::string mode = call.text("mode");
  if (mode == "circular") return circular_pad(call);
  if (mode == "reflect") return reflection_pad(call);
  if (mode == "replicate") return replication_pad(call);
  pad_with(call, "constant", call.has("value") ? call.value("value", call.dtype()) : call.scalar(0, call.dtype()));
}

}  // namespace

void register_padding(Lowerings& lowerings) {
  lowerings.add("aten::constant_pad_nd", constant_pad);
  for (const char* axes : {"1d", "2d", "3d"}) {
    lowerings.add(std::string("aten::reflection_pad") + axes, reflection_pad);
    lowerings.add(std::string("aten::replication_pad") + axes, replication_pad);
  }
  lowerings.add("aten::_pad_circular", circular_pad);
  lowerings.add("aten::pad", pad);
}

}  // namespace linnet::exporter
