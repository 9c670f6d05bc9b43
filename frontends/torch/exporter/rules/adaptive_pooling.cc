#include <algorithm>
#include <utility>

#include "building_blocks.h"
#include "rule_list.h"

// Adaptive pooling over 1, 2 or 3 spatial axes; the batch axis may be missing.
namespace linnet::exporter {
namespace {

/// The positions [begin, end) that element i of an adaptive pool covers along an axis.
std::pair<int64_t, int64_t> adaptive_window(int64_t i, int64_t in, int64_t out) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

/// Positions of the windows, [out, widest]; those of a shorter one are filled up with its last position.
struct Windows {
  int64_t count = 0, widest = 0;
  Integers places{};
  Numbers inside{}, sizes{};
};

Windows windows_of(Call& call, int64_t in, int64_t out) {
  check_table(call, out, out == 0 ? 0 : in / out + 2);
  Windows windows{out};
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

/// Windows of different sizes, one axis after the other: gathered, then reduced.
std::string uneven_pool(Call& call, int64_t spatial, bool average) {
  const int64_t rank = call.tensor().dim();
  const DType dtype = call.dtype();
  std::string y = call.value();
  for (int64_t axis = rank - spatial; axis < rank; ++axis) {
    const Windows windows = windows_of(call, call.tensor().size(axis), call.result().size(axis));
    const std::string places = call.constant_of(windows.places, Shape{windows.count, windows.widest});
    y = call.emit("Gather", {y, places}, {{"axis", axis}});
    if (!average) {
      y = reduce(call, "ReduceMax", y, {axis + 1}, false);
      continue;
    }
    Integers beside(size_t(rank), 1);
    beside[size_t(axis)] = windows.count;
    const std::string sizes = call.constant_of(windows.sizes, Shape(beside), dtype);
    beside.insert(beside.begin() + axis + 1, windows.widest);
    const std::string inside = call.constant_of(windows.inside, Shape(beside), DType::kBool);
    const std::string counted = call.emit("Where", {inside, y, call.scalar(0, dtype)});
    y = call.emit("Div", {reduce(call, "ReduceSum", counted, {axis + 1}, false), sizes});
  }
  return y;
}

/// Over all of each image. The mean of no pixels is NaN, which GlobalAveragePool leaves open.
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

/// Windows of equal size where the output's size divides the input's; the whole where it is 1.
Lowering adaptive(const std::string& global, const std::string& windowed, int64_t spatial) {
  return [=](Call& call) {
    const Integers in = last_of(call.tensor().sizes, spatial), out = last_of(call.result().sizes, spatial);
    if (std::all_of(out.begin(), out.end(), [](int64_t size) { return size == 1; })) {
      return call.set(pooled_whole(call, global, spatial));
    }
    Integers kernel;
    bool even = true;
    for (size_t i = 0; i < in.size(); ++i) {
      even = even && out[i] > 0 && in[i] % out[i] == 0;
      kernel.push_back(in[i] / std::max<int64_t>(out[i], 1));
    }
    if (even) return call.set(pooled(call, windowed, spatial, {{"kernel_shape", kernel}, {"strides", kernel}})[0]);
    call.set(uneven_pool(call, spatial, windowed == "AveragePool"));
  };
}

/// The elements of every window over all spatial axes, in order: positions within an image, [count, widest].
Windows windows_over_all(Call& call, int64_t spatial) {
  Windows all{1, 1, {0}};
  for (int64_t axis = call.tensor().dim() - spatial; axis < call.tensor().dim(); ++axis) {
    const int64_t in = call.tensor().size(axis);
    const Windows along = windows_of(call, in, call.result().size(axis));
    check_table(call, checked_mul(all.count, along.count), checked_mul(all.widest, along.widest));
    Windows next{all.count * along.count, all.widest * along.widest};
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

/// The first of the largest elements along the last axis; the last NaN where there is one.
std::string largest(Call& call, const std::string& windows, int64_t axis) {
  const std::string marks = call.cast(call.emit("IsNaN", {windows}), DType::kInt32);
  const Attributes along{{"axis", axis}, {"keepdims", int64_t(0)}};
  Attributes from_behind = along;
  from_behind["select_last_index"] = int64_t(1);
  const std::string any = call.cast(reduce(call, "ReduceMax", marks, {axis}, false), DType::kBool);
  return call.emit("Where", {any, call.emit("ArgMax", {marks}, from_behind), call.emit("ArgMax", {windows}, along)});
}

/// Where in its image the largest element of each window lies.
std::string positions(Call& call, int64_t spatial) {
  const int64_t rank = call.tensor().dim();
  const Windows all = windows_over_all(call, spatial);
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
