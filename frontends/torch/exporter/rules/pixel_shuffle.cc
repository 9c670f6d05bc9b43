#include "building_blocks.h"
#include "rule_list.h"

// Rearrangements between channels and pixels, and of channels.
namespace linnet::exporter {
namespace {

/// DepthToSpace requires one batch axis.
void pixel_shuffle(Call& call) {
  const Attributes attributes{{"blocksize", call.integer("upscale_factor")}, {"mode", "CRD"}};
  const Integers in = call.tensor().sizes;
  if (in.size() == 4) return call.set(call.emit("DepthToSpace", {call.value()}, attributes));
  Integers image = last_of(in, 3);
  image.insert(image.begin(), -1);
  const std::string batched = call.emit("Reshape", {call.value(), call.constant_of(image)});
  call.set(reshaped_to_result(call, call.emit("DepthToSpace", {batched}, attributes)));
}

/// Reshapes [..., c, h r, w r] to [n, c, h, r, w, r], then to [..., c r r, h, w].
void pixel_unshuffle(Call& call) {
  const int64_t r = call.integer("downscale_factor");
  const Integers in = call.tensor().sizes, out = call.result().sizes;
  const int64_t h = out[out.size() - 2], w = out.back();
  const std::string wide = call.emit("Reshape", {call.value(), call.constant_of({-1, in[in.size() - 3], h, r, w, r})});
  const std::string turned = call.emit("Transpose", {wide}, {{"perm", Integers{0, 1, 3, 5, 2, 4}}});
  call.set(reshaped_to_result(call, turned));
}

void channel_shuffle(Call& call) {
  const int64_t groups = call.positive("groups"), channels = call.tensor().size(1);
  if (call.tensor().dim() != 4) call.refuse("only inputs of 4 axes are covered");
  const std::string shape = call.emit("Shape", {call.value()});
  const std::string flat = call.emit("Reshape", {call.value(), call.constant_of({0, groups, channels / groups, -1})});
  call.set(call.emit("Reshape", {call.emit("Transpose", {flat}, {{"perm", Integers{0, 2, 1, 3}}}), shape}));
}

}  // namespace

void register_pixel_shuffle(Lowerings& lowerings) {
  lowerings.add("aten::pixel_shuffle", pixel_shuffle);
  lowerings.add("aten::pixel_unshuffle", pixel_unshuffle);
  lowerings.add("aten::channel_shuffle", channel_shuffle);
}

}  // namespace linnet::exporter
