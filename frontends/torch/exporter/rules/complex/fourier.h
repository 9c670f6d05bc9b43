#pragma once

#include <string>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// How many elements a signal has: a number, or a value int64 [1].
struct Length {
  int64_t number = 0;
  std::string value{};
};

/// The transform of pairs, or of real numbers with a last axis of size 1, along an axis, which becomes so long first.
std::string dft(Call& call, const std::string& x, int64_t axis, const Length& length, bool inverse, bool onesided);

/// The lower frequencies of a real signal along an axis of a tensor of complex numbers.
struct HalfSpectrum {
  int64_t axis, rank;
  int64_t bins;  ///< how many there are; 0 where that is not known
};

/// The real signal, so long, of such frequencies: of as many of them as it has.
std::string real_signal(Call& call, const std::string& spectrum, const HalfSpectrum& half, const Length& length,
                        DType dtype);

/// x times a power of the product of all lengths.
std::string scaled_by_length(Call& call, const std::string& x, const List<Length>& lengths, double power, DType dtype);

}  // namespace linnet::exporter
