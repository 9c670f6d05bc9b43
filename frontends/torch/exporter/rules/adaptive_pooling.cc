#include <algorithm>
#include <utility>

#include "building_blocks.h"
#include "rule_list.h"

// Adaptive pooling over 1, 2 or 3 spatial axes. The batch axis may be missing.
namespace linnet::exporter {
namespace {

/// Returns the positions [begin, end) that element i of an adaptive pool covers along an axis.
std::pair<int64_t, int64_t> adaptive_window(int64_t i, int64_t in, int64_t out) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

/// The positions of windows, [out, widest]. Shorter windows are padded with their last position.
struct Bins {
  int64_t count = 0, widest = 0;
  Integers places{};
  Numbers inside{}, sizes{};
};

Bins windows_of(Call& call, int64_t in, int64_t out) {
  check_table(call, out, out == 0 ? 0 : in / out + 2);
  Bins windows{out};
  for (int64_t i = 0; i < out; ++i) {
    const auto [begin, end] = adaptive_window(i, in, out);
    windows.widest = std::max(windows.widest, end - begin);
    windows.sizes.push_back(double(end - begin));
  }
  for (int64_t i = 0; i < out; ++i) {
    const auto [begin, end] = adaptive_window(i, in, out);
    for (int64_t k = 0; k < windows.widest; ++k) {
      windows.places.push_back(std::min(begin + k, end - 1));
      windows.inside.push_back(begin + k < end ? 1 : 0);
    }
  }
  return windows;
}

/// Pools windows of different sizes along an axis by a gather and a reduction.
std::string uneven_pool(Call& call, const std::string& x, int64_t axis, bool average) {
  const DType dtype = call.dtype();
  const Bins windows = windows_of(call, call.tensor().size(axis), call.result().size(axis));
  const std::string places = call.constant_of(windows.places, Shape{windows.count, windows.widest});
  const std::string y = call.emit("Gather", {x, places}, {{"axis", axis}});
  if (!average) return reduce(call, "ReduceMax", y, {axis + 1}, false);
  Integers beside(size_t(call.tensor().dim()), 1);
  beside[size_t(axis)] = windows.count;
  const std::string sizes = call.constant_of(windows.sizes, Shape(beside), dtype);
  beside.insert(beside.begin() + axis + 1, windows.widest);
  const std::string inside = call.constant_of(windows.inside, Shape(beside), DType::kBool);
  const std::string counted = call.emit("Where", {inside, y, call.scalar(0, dtype)});
  return call.emit("Div", {reduce(call, "ReduceSum", counted, {axis + 1}, false), sizes});
}

/// Returns the result's size along one of its axes, int64 [1].
std::string pooled_size(Call& call, int64_t axis, int64_t spatial) {
  const int64_t place = axis - (call.tensor().dim() - spatial);
  if (call.constant("output_size")) return call.constant_of({call.result().size(axis)});
  return slice(call, call.shape("output_size"), 0, place, place + 1);
}

/// Does the same along an axis of unknown size: the graph computes the positions of `windows_of`.
std::string open_pool(Call& call, const std::string& x, int64_t axis, int64_t spatial, bool average) {
  const DType dtype = call.dtype();
  const std::string in = call.size("self", axis), out = pooled_size(call, axis, spatial), one = call.constant_of({1});
  const std::string window = change_axes(call, "Unsqueeze", places_below(call, out), {1});
  const std::string begin = call.emit("Div", {call.emit("Mul", {window, in}), out});
  const std::string next = call.emit("Mul", {call.emit("Add", {window, one}), in});
  const std::string end = call.emit("Div", {call.emit("Add", {next, call.emit("Sub", {out, one})}), out});
  const std::string sizes = call.emit("Sub", {end, begin});
  const std::string widest = reduce(call, "ReduceMax", flattened(call, sizes), {0}, true);
  const std::string place = call.emit("Add", {begin, places_below(call, widest)});
  const std::string kept = call.emit("Min", {place, call.emit("Sub", {end, one})});
  const std::string y = call.emit("Gather", {x, kept}, {{"axis", axis}});
  if (!average) return reduce(call, "ReduceMax", y, {axis + 1}, false);
  Integers behind;
  for (int64_t i = axis + 1; i < call.tensor().dim(); ++i) behind.push_back(i + 1 - axis);
  const auto across = [&](const std::string& table) {
    return behind.empty() ? table : change_axes(call, "Unsqueeze", table, behind);
  };
  const std::string inside = across(call.emit("Less", {place, end}));
  const std::string counted = call.emit("Where", {inside, y, call.scalar(0, dtype)});
  const std::string count = change_axes(call, "Squeeze", across(call.cast(sizes, dtype)), {1});
  return call.emit("Div", {reduce(call, "ReduceSum", counted, {axis + 1}, false), count});
}

/// Pools each whole image. The mean of no pixels is NaN, which ONNX does not define for GlobalAveragePool.
std::string pooled_whole(Call& call, const std::string& global, int64_t spatial) {
  const int64_t rank = call.tensor().dim();
  Integers axes;
  bool may_be_empty = false;
  for (int64_t axis = rank - spatial; axis < rank; ++axis) {
    axes.push_back(axis);
    may_be_empty = may_be_empty || call.dynamic("self", axis);
  }
  if (global == "GlobalAveragePool" && may_be_empty) return reduce(call, "ReduceMean", call.value(), axes, true);
  return pooled(call, global, spatial, {})[0];
}

/// Pools along one axis after the other.
std::string pooled_by_axes(Call& call, int64_t spatial, bool average) {
  std::string y = call.value();
  for (int64_t axis = call.tensor().dim() - spatial; axis < call.tensor().dim(); ++axis) {
    const bool open = call.dynamic("self", axis) || !call.constant("output_size");
    y = open ? open_pool(call, y, axis, spatial, average) : uneven_pool(call, y, axis, average);
  }
  return y;
}

/// Uses windows of equal size if the output's size divides the input's, and a global pool if the output's size is 1.
Lowering adaptive(const std::string& global, const std::string& windowed, int64_t spatial) {
  return [=](Call& call) {
    const Integers in = last_of(call.tensor().sizes, spatial), out = last_of(call.result().sizes, spatial);
    const bool single =
        call.constant("output_size") && std::ranges::all_of(out, [](int64_t size) { return size == 1; });
    if (single) {
      return call.set(pooled_whole(call, global, spatial));
    }
    Integers kernel;
    bool even = call.constant("output_size");
    for (size_t i = 0; i < in.size(); ++i) {
      even = even && !call.dynamic("self", call.tensor().dim() - spatial + int64_t(i)) && out[i] > 0 &&
             in[i] % out[i] == 0;
      kernel.push_back(in[i] / std::max<int64_t>(out[i], 1));
    }
    if (even) return call.set(pooled(call, windowed, spatial, {{"kernel_shape", kernel}, {"strides", kernel}})[0]);
    call.set(pooled_by_axes(call, spatial, windowed == "AveragePool"));
  };
}

/// Returns the positions of the elements of every window within an image, over all spatial axes in order: [count,
/// widest].
Bins windows_over_all(Call& call, int64_t spatial) {
  Bins all{1, 1, {0}};
  for (int64_t axis = call.tensor().dim() - spatial; axis < call.tensor().dim(); ++axis) {
    const int64_t in = call.tensor().size(axis);
    const Bins along = windows_of(call, in, call.result().size(axis));
    check_table(call, checked_mul(all.count, along.count), checked_mul(all.widest, along.widest));
    Bins next{all.count * along.count, all.widest * along.widest};
    for (int64_t outer = 0; outer < all.count; ++outer) {
      for (int64_t inner = 0; inner < along.count; ++inner) {
        for (int64_t i = 0; i < all.widest; ++i) {
          for (int64_t k = 0; k < along.widest; ++k) {
            next.places.push_back(all.places[size_t(outer * all.widest + i)] * in +
                                  along.places[size_t(inner * along.widest + k)]);
          }
        }
      }
    }
    all = next;
  }
  return all;
}

/// Returns the index of the first largest element along an axis, or of the last NaN if there is one.
std::string largest(Call& call, const std::string& windows, int64_t axis) {
  const std::string marks = call.cast(call.emit("IsNaN", {windows}), DType::kInt32);
  const Attributes along{{"axis", axis}, {"keepdims", int64_t(0)}};
  Attributes from_behind = along;
  from_behind["select_last_index"] = int64_t(1);
  const std::string any = call.cast(reduce(call, "ReduceMax", marks, {axis}, false), DType::kBool);
  return call.emit("Where", {any, call.emit("ArgMax", {marks}, from_behind), call.emit("ArgMax", {windows}, along)});
}

/// Returns the position in its image of the largest element of each window.
std::string positions(Call& call, int64_t spatial) {
  const int64_t rank = call.tensor().dim();
  const Bins all = windows_over_all(call, spatial);
  Integers lines(size_t(rank - spatial), 0);
  lines.push_back(-1);
  const std::string flat = call.emit("Reshape", {call.value(), call.constant_of(lines)});
  const std::string windows = call.emit("Gather", {flat, call.constant_of(all.places, Shape{all.count, all.widest})},
                                        {{"axis", rank - spatial}});
  const std::string best = largest(call, windows, rank - spatial + 1);
  Integers begins;
  for (int64_t i = 0; i < all.count; ++i) begins.push_back(i * all.widest);
  const std::string entry = call.emit("Add", {best, call.constant_of(begins)});
  return reshaped_to_result(call, call.emit("Gather", {call.constant_of(all.places), entry}));
}

Lowering adaptive_max(int64_t spatial) {
  const Lowering values = adaptive("GlobalMaxPool", "MaxPool", spatial);
  return [=](Call& call) {
    values(call);
    if (!call.constant("output_size")) return;
    for (int64_t axis = call.tensor().dim() - spatial; axis < call.tensor().dim(); ++axis) {
      if (call.dynamic("self", axis) || call.result().size(axis) == 0) return;
    }
    call.set_result(1, positions(call, spatial));
  };
}

}  // namespace

void register_adaptive_pooling(Lowerings& lowerings) {
  for (int64_t spatial = 1; spatial <= 3; ++spatial) {
    const std::string axes = std::to_string(spatial) + "d";
    lowerings.add("aten::adaptive_avg_pool" + axes, adaptive("GlobalAveragePool", "AveragePool", spatial));
    lowerings.add("aten::adaptive_max_pool" + axes, adaptive_max(spatial));
  }
}

}  // namespace linnet::exporter
