#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/counted_vector.h"

namespace linnet {

using Complex = std::complex<double>;

/// The discrete Fourier transform of any length n >= 1, in double precision: y[k] = sum over j of x[j] e^(-2 pi i
/// jk/n). Lengths with small prime factors take n log n steps by mixed radices (Stockham's self-sorting form), others a
/// convolution with a chirp of a power-of-two length (Bluestein). Immutable.
/// Sources: Temperton, Self-sorting mixed-radix fast Fourier transforms, J. Comput. Phys. 52 (1983); Bluestein, A
/// linear filtering approach to the computation of discrete Fourier transform, IEEE TAE 18 (1970).
class Fft {
 public:
  /// Throws Error(kLimit) for lengths beyond 2^26.
  explicit Fft(int64_t n);

  int64_t size() const { return n_; }
  /// The number of complex numbers of scratch that a transform needs.
  int64_t scratch_size() const { return chirp_.empty() ? n_ : 2 * convolution_->size(); }
  /// Transforms x[0, n) in place.
  void forward(Complex* x, Complex* scratch) const;
  /// The inverse transform in place, with the factor 1/n.
  void inverse(Complex* x, Complex* scratch) const;

 private:
  void mixed_radix(Complex* x, Complex* scratch) const;
  void convolve_chirp(Complex* x, Complex* scratch) const;
  void make_chirp();

  int64_t n_;
  std::vector<int64_t> radices_;
  CountedVector<Complex> roots_;  ///< e^(-2 pi i k/n)
  CountedVector<Complex> chirp_, chirp_spectrum_;
  std::shared_ptr<const Fft> convolution_;
};

/// a * b without the special cases of std::complex for infinities.
inline Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace linnet
