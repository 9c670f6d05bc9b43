#pragma once

#include <string>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// The number of elements of a signal: a number, or a value int64 [1].
struct Length {
  int64_t number = 0;
  std::string value{};
};

/// Transforms pairs, or real numbers with a last axis of size 1, along an axis. The axis is first cut or padded to
/// `length`.
std::string dft(Call& call, const std::string& x, int64_t axis, const Length& length, bool inverse, bool onesided);

/// The lower frequencies of a real signal along an axis of a complex tensor.
struct HalfSpectrum {
  int64_t axis, rank;
  int64_t bins;  ///< their number; 0 if it is unknown
};

/// Returns the real signal of such frequencies with `length` elements. It uses as many frequencies as such a signal
/// has.
std::string real_signal(Call& call, const std::string& spectrum, const HalfSpectrum& half, const Length& length,
                        DType dtype);

/// Returns x times a power of the product of all lengths.
std::string scaled_by_length(Call& call, const std::string& x, const List<Length>& lengths, double power, DType dtype);

}  // namespace linnet::exporter
