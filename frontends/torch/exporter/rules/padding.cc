#include "building_blocks.h"
#include "rule_list.h"

// Padding. Its sizes come in pairs, those of the last axis first.
namespace linnet::exporter {
namespace {

/// Pairs for the last axis first become all begins, then all ends; negative ones cut.
void pad_with(Call& call, const std::string& mode, const std::string& value) {
  const Integers pairs = call.integers(call.has("pad") ? "pad" : "padding");
  const int64_t rank = call.tensor().dim();
  Integers pads(size_t(2 * rank), 0);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int64_t axis = rank - 1 - int64_t(i / 2);
    pads[size_t(axis)] = pairs[i];
    pads[size_t(axis + rank)] = pairs[i + 1];
  }
  call.set(call.emit("Pad", {call.value(), call.constant_of(pads), value}, {{"mode", mode}}));
}

void constant_pad(Call& call) { pad_with(call, "constant", call.value("value", call.dtype())); }
void reflection_pad(Call& call) { pad_with(call, "reflect", ""); }
void replication_pad(Call& call) { pad_with(call, "edge", ""); }

/// The other side's rows go to both ends of each axis.
void circular_pad(Call& call) {
  const Integers pairs = call.integers("pad");
  std::string y = call.value();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int64_t axis = call.tensor().dim() - 1 - int64_t(i / 2), before = pairs[i], after = pairs[i + 1];
    if (before < 0 || after < 0) call.refuse("a negative circular padding is not covered");
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
