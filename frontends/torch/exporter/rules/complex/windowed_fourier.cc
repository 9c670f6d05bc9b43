#include <cmath>
#include <numbers>

#include "complex_parts.h"
#include "fourier.h"
#include "rules/building_blocks.h"
#include "rules/rule_list.h"

// Short-time Fourier transforms of consecutive windows of a signal, and the window functions.
namespace linnet::exporter {
namespace {

/// The parameters of a short-time transform.
struct Frames {
  int64_t size, hop, window;
};

Frames frames_of(Call& call) {
  Frames frames{call.positive("n_fft"), 0, 0};
  frames.hop = call.has("hop_length") ? call.positive("hop_length") : frames.size / 4;
  frames.window = call.has("win_length") ? call.positive("win_length") : frames.size;
  if (frames.hop < 1) call.refuse("its windows have no distance");
  if (frames.window > frames.size) call.refuse("its windows are larger than its transforms");
  check_table(call, frames.size, 1);
  if (call.has("window") && is_complex(call, "window")) call.refuse("windows of complex numbers are not covered");
  return frames;
}

/// Checks the rank: signals have one axis, spectra two, and both may have an additional batch axis.
void check_rank(Call& call, int64_t rank) {
  if (call.tensor().dim() != rank && call.tensor().dim() != rank + 1) call.refuse("its tensor has other axes");
}

/// Returns the factors for the elements of a frame: the window, centred and padded with zeros.
std::string window_of(Call& call, const Frames& frames, DType dtype) {
  const int64_t left = (frames.size - frames.window) / 2;
  if (call.has("window")) {
    const std::string window = call.value("window", dtype);
    const Integers pads{left, frames.size - frames.window - left};
    return frames.size == frames.window ? window : call.emit("Pad", {window, call.constant_of(pads)});
  }
  Numbers values(size_t(frames.size), 0);
  for (int64_t i = 0; i < frames.window; ++i) values[size_t(left + i)] = 1;
  return call.constant_of(values, Shape{frames.size}, dtype);
}

std::string normalized(Call& call, const std::string& x, const Frames& frames, double power, DType dtype) {
  return call.flag("normalized") ? scaled_by_length(call, x, {{frames.size, ""}}, power, dtype) : x;
}

/// The last two axes of the result are frequencies and frames.
void stft(Call& call) {
  check_rank(call, 1);
  if (call.has("align_to_window") && call.flag("align_to_window")) call.refuse("align_to_window is not covered");
  const Frames frames = frames_of(call);
  const DType dtype = part_dtype(call);
  const bool is_vector = call.tensor().dim() == 1, from_complex = is_complex(call, "self");
  const bool onesided = call.has("onesided") ? call.flag("onesided") : !from_complex;
  std::string x = call.value("self", dtype);
  if (!from_complex) x = change_axes(call, "Unsqueeze", x, {-1});
  if (is_vector) x = change_axes(call, "Unsqueeze", x, {0});
  const Names inputs{x, integer_of(call, frames.hop), window_of(call, frames, dtype), integer_of(call, frames.size)};
  const std::string y = transposed(call, call.emit("STFT", inputs, {{"onesided", int64_t(onesided)}}), {0, 2, 1, 3});
  const std::string spectra = normalized(call, y, frames, -0.5, dtype);
  call.set(is_vector ? change_axes(call, "Squeeze", spectra, {0}) : spectra);
}

/// Adds frames [n, size, frames] where they overlap. Returns [n, elements].
std::string overlapped(Call& call, const std::string& x, const Frames& frames, const std::string& shape) {
  const Attributes strides{{"strides", Integers{1, frames.hop}}};
  const std::string sums = call.emit("Col2Im", {x, shape, call.constant_of({1, frames.size})}, strides);
  return change_axes(call, "Squeeze", sums, {1, 2});
}

/// Returns the part of the sums that is the signal. Elements requested beyond it are 0.
std::string trimmed(Call& call, const std::string& x, const Frames& frames) {
  const int64_t begin = call.flag("center") ? frames.size / 2 : 0;
  if (!call.has("length")) return slice(call, x, 1, begin, begin > 0 ? -begin : kEnd);
  const std::string length = call.shape("length");
  const std::string end = call.emit("Add", {length, call.constant_of({begin})}), one = call.constant_of({1});
  return call.emit("Slice", {x, call.constant_of({begin}), end, one});
}

std::string filled_up(Call& call, const std::string& x) {
  if (!call.has("length")) return x;
  const std::string size = call.emit("Gather", {call.emit("Shape", {x}), call.constant_of({1})}, {{"axis", 0}});
  const std::string missing = call.emit("Sub", {call.shape("length"), size});
  return call.emit("Pad", {x, call.emit("Concat", {call.constant_of({0, 0, 0}), missing}, {{"axis", 0}})});
}

/// Returns the real frames of spectra, [n, size, frames], each multiplied by the window.
std::string real_frames(Call& call, const Frames& frames, const std::string& window, DType dtype) {
  const int64_t rank = call.tensor().dim();
  const Length size{frames.size, ""};
  std::string x = call.value("self", dtype);
  if (rank == 2) x = change_axes(call, "Unsqueeze", x, {0});
  const bool onesided = !call.has("onesided") || call.flag("onesided");
  const HalfSpectrum half{1, 3, call.dynamic("self", rank - 2) ? 0 : call.tensor().size(rank - 2)};
  const std::string y =
      onesided ? real_signal(call, x, half, size, dtype) : part(call, dft(call, x, 1, size, true, false), 0);
  return call.emit("Mul", {normalized(call, y, frames, 0.5, dtype), window});
}

/// Emits the sums of the frames, divided by the sums of the squared window.
void istft(Call& call) {
  call.require_opset(18, "adding up frames");
  check_rank(call, 2);
  if (call.has("return_complex") && call.flag("return_complex")) call.refuse("complex signals are not covered");
  const Frames frames = frames_of(call);
  const DType dtype = part_dtype(call);
  const int64_t rank = call.tensor().dim();
  const std::string window = change_axes(call, "Unsqueeze", window_of(call, frames, dtype), {0, 2});
  const std::string count = call.size("self", rank - 1), hop = call.constant_of({frames.hop});
  const std::string distance = call.emit("Mul", {call.emit("Sub", {count, call.constant_of({1})}), hop});
  const std::string elements = call.emit("Add", {distance, call.constant_of({frames.size})});
  const std::string shape = call.emit("Concat", {call.constant_of({1}), elements}, {{"axis", 0}});
  const std::string sums = overlapped(call, real_frames(call, frames, window, dtype), frames, shape);
  const std::string all = call.emit("Concat", {call.constant_of({1, frames.size}), count}, {{"axis", 0}});
  const std::string squares = call.emit("Expand", {call.emit("Mul", {window, window}), all});
  const std::string weights = overlapped(call, squares, frames, shape);
  const std::string y = call.emit("Div", {trimmed(call, sums, frames), trimmed(call, weights, frames)});
  const std::string signal = filled_up(call, y);
  call.set(rank == 2 ? change_axes(call, "Squeeze", signal, {0}) : signal);
}

/// Computes a window function at a place from 0 to 1.
using Form = double (*)(Call& call, double place);

double cosine(double place, int turns) { return std::cos(2 * std::numbers::pi * turns * place); }
double given_or(Call& call, const std::string& name, double otherwise) {
  return call.has(name) ? call.number(name) : otherwise;
}

double hann(Call&, double place) { return 0.5 - 0.5 * cosine(place, 1); }
double hamming(Call& call, double place) {
  return given_or(call, "alpha", 0.54) - given_or(call, "beta", 0.46) * cosine(place, 1);
}
double blackman(Call&, double place) { return 0.42 - 0.5 * cosine(place, 1) + 0.08 * cosine(place, 2); }
double bartlett(Call&, double place) { return 1 - std::abs(2 * place - 1); }

/// Computes the modified Bessel function of order 0 by its series.
double bessel(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17 && k < 1000; ++k) {
    term *= x / (2 * k) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

double kaiser(Call& call, double place) {
  const double beta = given_or(call, "beta", 12), distance = 2 * place - 1;
  return bessel(beta * std::sqrt(std::max(0.0, 1 - distance * distance))) / bessel(beta);
}

/// A periodic window equals a window that is longer by one, without its last element.
Lowering window(Form form) {
  return [form](Call& call) {
    const int64_t size = call.integer("window_length");
    const bool periodic = !call.has("periodic") || call.flag("periodic");
    check_table(call, size, 1);
    Numbers values;
    for (int64_t i = 0; i < size; ++i) {
      values.push_back(size == 1 ? 1 : form(call, double(i) / double(periodic ? size : size - 1)));
    }
    call.set(call.constant_of(values, Shape{size}, call.dtype()));
  };
}

}  // namespace

void register_windowed_fourier(Lowerings& lowerings) {
  lowerings.add({"aten::stft", "complex aten::stft"}, stft);
  lowerings.add("complex aten::istft", istft);
  lowerings.add({"aten::hann_window", "aten::hann_window.periodic"}, window(hann));
  lowerings.add({"aten::hamming_window", "aten::hamming_window.periodic", "aten::hamming_window.periodic_alpha",
                 "aten::hamming_window.periodic_alpha_beta"},
                window(hamming));
  lowerings.add({"aten::blackman_window", "aten::blackman_window.periodic"}, window(blackman));
  lowerings.add({"aten::bartlett_window", "aten::bartlett_window.periodic"}, window(bartlett));
  lowerings.add({"aten::kaiser_window", "aten::kaiser_window.periodic", "aten::kaiser_window.beta"}, window(kaiser));
}

}  // namespace linnet::exporter
