#include "fourier.h"

#include <algorithm>
#include <cmath>

#include "complex_parts.h"
#include "rules/building_blocks.h"
#include "rules/rule_list.h"

// Discrete Fourier transforms, by DFT along one axis after the other. ONNX divides the inverse by the length.
namespace linnet::exporter {

std::string dft(Call& call, const std::string& x, int64_t axis, const Length& length, bool inverse, bool onesided) {
  Attributes attributes{{"inverse", int64_t(inverse)}, {"onesided", int64_t(onesided)}};
  const std::string scalar = call.constant_of(Integers{});
  const std::string size =
      length.value.empty() ? integer_of(call, length.number) : call.emit("Reshape", {length.value, scalar});
  if (call.options().opset >= 20) return call.emit("DFT", {x, size, integer_of(call, axis)}, attributes);
  attributes["axis"] = axis;
  return call.emit("DFT", {x, size}, attributes);
}

namespace {

std::string half_of(Call& call, const Length& length) {
  if (length.value.empty()) return call.constant_of({length.number / 2 + 1});
  return call.emit("Add", {call.emit("Div", {length.value, call.constant_of({2})}), call.constant_of({1})});
}

/// Returns 1 for frequency 0 and for half the length, else 2, along an axis of `bins` frequencies (int64 [1]), followed
/// by `axes_after` axes.
std::string weights(Call& call, const std::string& bins, const Length& length, int64_t axes_after, DType dtype) {
  const std::string places = places_below(call, bins), twice = call.emit("Add", {places, places});
  const std::string size = length.value.empty() ? call.constant_of({length.number}) : length.value;
  const std::string is_single =
      call.emit("Or", {call.emit("Equal", {places, call.constant_of({0})}), call.emit("Equal", {twice, size})});
  const std::string line = call.emit("Where", {is_single, call.scalar(1, dtype), call.scalar(2, dtype)});
  Integers axes = order_of(axes_after + 1);
  axes.erase(axes.begin());
  return change_axes(call, "Unsqueeze", line, axes);
}

/// Does the same for a known length and a known number of frequencies.
std::string weights(Call& call, int64_t bins, int64_t length, int64_t axes_after, DType dtype) {
  check_table(call, bins, 1);
  Numbers values(size_t(bins), 2);
  for (int64_t k = 0; k < bins; ++k) values[size_t(k)] = k == 0 || 2 * k == length ? 1 : 2;
  Shape shape{bins};
  for (int64_t i = 0; i < axes_after; ++i) shape.push_back(1);
  return call.constant_of(values, shape, dtype);
}

}  // namespace

// In the spectrum of a real signal, the upper frequencies are the conjugates of the lower ones. The lower ones
// therefore count twice, and the real part of the result is used.
std::string real_signal(Call& call, const std::string& spectrum, const HalfSpectrum& half, const Length& length,
                        DType dtype) {
  const std::string needed = half_of(call, length), along = call.constant_of({half.axis});
  const std::string x = call.emit("Slice", {spectrum, call.constant_of({0}), needed, along});
  const int64_t axes_after = half.rank - half.axis;
  std::string factors;
  if (half.bins > 0 && length.value.empty()) {
    factors = weights(call, std::min(half.bins, length.number / 2 + 1), length.number, axes_after, dtype);
  } else {
    const std::string bins = call.emit("Gather", {call.emit("Shape", {x}), along}, {{"axis", 0}});
    factors = weights(call, bins, length, axes_after, dtype);
  }
  return part(call, dft(call, call.emit("Mul", {x, factors}), half.axis, length, true, false), 0);
}

std::string scaled_by_length(Call& call, const std::string& x, const List<Length>& lengths, double power, DType dtype) {
  if (power == 0) return x;
  double known = 1;
  std::string open;
  for (const Length& length : lengths) {
    if (length.value.empty()) {
      known *= double(length.number);
    } else {
      open = open.empty() ? length.value : call.emit("Mul", {open, length.value});
    }
  }
  std::string y = x;
  if (known != 1) y = call.emit("Mul", {y, call.scalar(std::pow(known, power), dtype)});
  if (open.empty()) return y;
  return call.emit("Mul", {y, call.emit("Pow", {call.cast(open, dtype), call.scalar(power, dtype)})});
}

namespace {

/// The transform of an argument of a call.
struct Transform {
  Integers axes;
  List<Length> lengths;  ///< of the signals along the axes
  double power = 0;      ///< the result is divided by the product of the lengths to this power
};

Length size_along(Call& call, int64_t axis) {
  if (call.dynamic("self", axis)) return {0, call.size("self", axis)};
  return {call.tensor().size(axis), ""};
}

/// Returns the default signal length along the axis of a half spectrum.
Length twice_less_one(Call& call, int64_t axis) {
  const Length bins = size_along(call, axis);
  if (bins.value.empty()) return {2 * (bins.number - 1), ""};
  return {0, call.emit("Mul", {call.emit("Sub", {bins.value, call.constant_of({1})}), call.constant_of({2})})};
}

Length checked(Call& call, const Length& length) {
  if (length.value.empty() && length.number < 1) call.refuse("a signal has no elements");
  return length;
}

/// Returns the power of the lengths that a normalisation divides by.
double power_of(Call& call, bool forward) {
  if (!call.has("norm")) return forward ? 0 : 1;
  const std::string name = call.text("norm");
  if (name == "ortho") return 0.5;
  if (name != "forward" && name != "backward") call.refuse("there is no normalization '" + name + "'");
  return (name == "forward") == forward ? 1 : 0;
}

/// Does the same for PyTorch's numbers of normalisations.
double power_of_code(Call& call) {
  const int64_t code = call.integer("normalization");
  if (code < 0 || code > 2) call.refuse("there is no normalization " + std::to_string(code));
  return double(code) / 2;
}

/// Returns the transform of fft_fft(self, n, dim, norm) and others along one axis.
Transform along_one(Call& call, bool forward, bool from_half) {
  const int64_t axis = call.axis();
  Length length;
  if (call.has("n")) {
    length = call.constant("n") ? Length{call.integer("n"), ""} : Length{0, call.shape("n")};
  } else {
    length = from_half ? twice_less_one(call, axis) : size_along(call, axis);
  }
  return {{axis}, {checked(call, length)}, power_of(call, forward)};
}

/// Returns element i of argument s; -1 means the axis' own size.
Length given_length(Call& call, int64_t i, const Length& own) {
  if (!call.constant("s")) return {0, slice(call, call.shape("s"), 0, i, i + 1)};
  const int64_t number = call.integers("s")[size_t(i)];
  return number == -1 ? own : Length{number, ""};
}

/// Returns the transform of fft_fftn(self, s, dim, norm) and others along several axes.
Transform along_many(Call& call, bool forward, bool from_half) {
  Transform transform{{}, {}, power_of(call, forward)};
  const bool has_sizes = call.has("s");
  transform.axes = call.axes();
  if (!call.has("dim") && has_sizes) transform.axes = last_of(transform.axes, int64_t(call.length("s")));
  if (has_sizes && call.length("s") != transform.axes.size()) call.refuse("its sizes are not as many as its axes");
  for (size_t i = 0; i < transform.axes.size(); ++i) {
    const int64_t axis = transform.axes[i];
    const bool half = from_half && i + 1 == transform.axes.size();
    const Length own = half ? twice_less_one(call, axis) : size_along(call, axis);
    transform.lengths.push_back(checked(call, has_sizes ? given_length(call, int64_t(i), own) : own));
  }
  return transform;
}

/// Returns the transform of _fft_c2c(self, dim, normalization, forward) and others.
Transform along_given(Call& call, bool from_half) {
  Transform transform{call.axes(), {}, power_of_code(call)};
  for (const int64_t axis : transform.axes) transform.lengths.push_back(size_along(call, axis));
  if (from_half) {
    const bool known = call.constant("last_dim_size");
    transform.lengths.back() =
        known ? Length{call.integer("last_dim_size"), ""} : Length{0, call.shape("last_dim_size")};
  }
  for (const Length& length : transform.lengths) checked(call, length);
  return transform;
}

/// Transforms complex numbers along the first `count` axes.
std::string transformed(Call& call, std::string x, const Transform& transform, size_t count, bool inverse) {
  for (size_t i = 0; i < count; ++i) x = dft(call, x, transform.axes[i], transform.lengths[i], inverse, false);
  return x;
}

/// Transforms complex or real numbers to complex ones.
std::string complex_to_complex(Call& call, const Transform& transform, bool inverse) {
  const DType dtype = part_dtype(call);
  const std::string y = transformed(call, pairs_of(call, "self", dtype), transform, transform.axes.size(), inverse);
  return scaled_by_length(call, y, transform.lengths, double(inverse) - transform.power, dtype);
}

/// Transforms real numbers to complex ones. The last axis of the result is half a spectrum, or the whole one.
std::string real_to_complex(Call& call, const Transform& transform, bool onesided) {
  const DType dtype = part_dtype(call);
  const std::string x = change_axes(call, "Unsqueeze", call.value("self", dtype), {-1});
  const std::string along_last = dft(call, x, transform.axes.back(), transform.lengths.back(), false, onesided);
  const std::string y = transformed(call, along_last, transform, transform.axes.size() - 1, false);
  return scaled_by_length(call, y, transform.lengths, -transform.power, dtype);
}

/// Transforms complex numbers, whose last axis is half a spectrum, to real ones.
std::string complex_to_real(Call& call, const std::string& x, const Transform& transform) {
  const DType dtype = part_dtype(call);
  const int64_t last = transform.axes.back();
  const std::string y = transformed(call, x, transform, transform.axes.size() - 1, true);
  const HalfSpectrum half{last, call.tensor().dim(), call.dynamic("self", last) ? 0 : call.tensor().size(last)};
  const std::string signal = real_signal(call, y, half, transform.lengths.back(), dtype);
  return scaled_by_length(call, signal, transform.lengths, 1 - transform.power, dtype);
}

using Reader = Transform (*)(Call& call, bool forward, bool from_half);

Lowering full(Reader read, bool inverse) {
  return [=](Call& call) { call.set(complex_to_complex(call, read(call, !inverse, false), inverse)); };
}

/// Returns the rule for a real signal, whose transform is half a spectrum.
Lowering to_half(Reader read) {
  return [=](Call& call) { call.set(real_to_complex(call, read(call, true, false), true)); };
}

Lowering from_half(Reader read) {
  return [=](Call& call) {
    const Transform transform = read(call, false, true);
    call.set(complex_to_real(call, pairs_of(call, "self", part_dtype(call)), transform));
  };
}

/// Emits the forward transform of half a signal, which is real. It equals the backward transform of the conjugates.
void hfft(Call& call) {
  const Transform transform = along_one(call, true, true);
  const DType dtype = part_dtype(call);
  call.set(complex_to_real(call, conjugated(call, pairs_of(call, "self", dtype), dtype), transform));
}

void ihfft(Call& call) {
  const Transform transform = along_one(call, false, false);
  call.set(conjugated(call, real_to_complex(call, transform, true), part_dtype(call)));
}

void r2c(Call& call) { call.set(real_to_complex(call, along_given(call, false), call.flag("onesided"))); }
void c2c(Call& call) { call.set(complex_to_complex(call, along_given(call, false), !call.flag("forward"))); }
void c2r(Call& call) { call.set(complex_to_real(call, call.value("self", part_dtype(call)), along_given(call, true))); }

/// Adds the rule of a function of torch.fft, for real and complex tensors.
void add(Lowerings& lowerings, const std::string& name, const Lowering& rule) {
  lowerings.add("aten::" + name, rule);
  lowerings.add("complex aten::" + name, rule);
}

}  // namespace

void register_fourier(Lowerings& lowerings) {
  add(lowerings, "fft_fft", full(along_one, false));
  add(lowerings, "fft_ifft", full(along_one, true));
  add(lowerings, "fft_rfft", to_half(along_one));
  add(lowerings, "fft_irfft", from_half(along_one));
  add(lowerings, "fft_hfft", hfft);
  add(lowerings, "fft_ihfft", ihfft);
  for (const char* dims : {"2", "n"}) {
    const std::string ending = dims;
    add(lowerings, "fft_fft" + ending, full(along_many, false));
    add(lowerings, "fft_ifft" + ending, full(along_many, true));
    add(lowerings, "fft_rfft" + ending, to_half(along_many));
    add(lowerings, "fft_irfft" + ending, from_half(along_many));
  }
  add(lowerings, "_fft_r2c", r2c);
  add(lowerings, "_fft_c2c", c2c);
  add(lowerings, "_fft_c2r", c2r);
}

}  // namespace linnet::exporter
