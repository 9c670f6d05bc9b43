#include "fourier/fft.h"

#include <algorithm>
#include <bit>
#include <numbers>

#include "linnet/error.h"
#include "partition/checkpoints.h"

namespace linnet {
namespace {

constexpr int64_t kMaxLength = int64_t{1} << 26;
constexpr int64_t kMaxRadix = 13;
// Costs per element: strides of long transforms miss the caches, and first writes make the system allocate pages.
constexpr int64_t kButterflyWork = 16, kRootWork = 64, kCopyWork = 8;

/// e^(-2 pi i k / n) for 0 <= k < n.
Complex root(int64_t k, int64_t n) { return std::polar(1.0, -2 * std::numbers::pi * double(k) / double(n)); }

/// value_of(k) for 0 <= k < n, where each costs `work`.
template <class F>
CountedVector<Complex> table(int64_t n, int64_t work, F value_of) {
  CountedVector<Complex> values;
  values.reserve(size_t(n));
  Checkpoints().in_parts(n, work, [&](int64_t k, int64_t end) {
    for (; k < end; ++k) values.push_back(value_of(k));
  });
  return values;
}

/// The factors of n in the order of stages; empty if one is above kMaxRadix.
std::vector<int64_t> factors(int64_t n) {
  std::vector<int64_t> result;
  for (const int64_t radix : {4, 2, 3, 5, 7, 11, 13}) {
    for (; n % radix == 0; n /= radix) result.push_back(radix);
  }
  if (n > 1) result.clear();
  return result;
}

/// y = x * factors, element-wise.
void multiply(const Complex* x, const CountedVector<Complex>& factors, Complex* y) {
  Checkpoints().in_parts(int64_t(factors.size()), 4, [&](int64_t k, int64_t end) {
    for (; k < end; ++k) y[k] = product(x[k], factors[size_t(k)]);
  });
}

/// A stage of a transform of length `length`, whose elements have the stride `stride`.
struct Stage {
  int64_t radix, length, stride;
};

// Computes `count` of the `stride` contiguous butterflies j, from those at x and y on.

void butterflies2(const Stage& s, int64_t count, int64_t j, Complex w, const Complex* x, Complex* y) {
  const int64_t m = s.length / 2;
  for (int64_t q = 0; q < count; ++q) {
    const Complex a = x[q + s.stride * j], b = x[q + s.stride * (j + m)];
    y[q + s.stride * 2 * j] = a + b;
    y[q + s.stride * (2 * j + 1)] = product(a - b, w);
  }
}

void butterflies4(const Stage& s, int64_t count, int64_t j, const Complex* w, const Complex* x, Complex* y) {
  const int64_t m = s.length / 4;
  for (int64_t q = 0; q < count; ++q) {
    const Complex* from = x + q + s.stride * j;
    const Complex a = from[0], b = from[s.stride * m], c = from[s.stride * 2 * m], d = from[s.stride * 3 * m];
    const Complex even = a + c, odd = a - c, sum = b + d, turned{b.imag() - d.imag(), d.real() - b.real()};
    Complex* to = y + q + s.stride * 4 * j;
    to[0] = even + sum;
    to[s.stride] = product(odd + turned, w[1]);
    to[2 * s.stride] = product(even - sum, w[2]);
    to[3 * s.stride] = product(odd - turned, w[3]);
  }
}

void butterflies(const Stage& s, int64_t count, int64_t j, const Complex* w, const Complex* roots, const Complex* x,
                 Complex* y) {
  const int64_t m = s.length / s.radix;
  for (int64_t q = 0; q < count; ++q) {
    for (int64_t k = 0; k < s.radix; ++k) {
      Complex sum = x[q + s.stride * j];
      for (int64_t r = 1; r < s.radix; ++r) {
        sum += product(x[q + s.stride * (j + m * r)], roots[r * k % s.radix]);
      }
      y[q + s.stride * (s.radix * j + k)] = product(sum, w[k]);
    }
  }
}

/// One stage of a transform of n elements: all butterflies j together, or `most` of them at a time.
template <bool kAtOnce>
void compute_stage(const Stage& s, int64_t most, const CountedVector<Complex>& all_roots, const Complex* roots,
                   const Complex* x, Complex* y, Checkpoints& checkpoints) {
  for (int64_t j = 0; j < s.length / s.radix; ++j) {
    Complex twiddles[kMaxRadix];
    for (int64_t k = 0; k < s.radix; ++k) twiddles[k] = all_roots[size_t(j * k * s.stride)];
    for (int64_t q = 0; q < s.stride; q += kAtOnce ? s.stride : most) {
      const int64_t count = kAtOnce ? s.stride : std::min(most, s.stride - q);
      if (s.radix == 2) {
        butterflies2(s, count, j, twiddles[1], x + q, y + q);
      } else if (s.radix == 4) {
        butterflies4(s, count, j, twiddles, x + q, y + q);
      } else {
        butterflies(s, count, j, twiddles, roots, x + q, y + q);
      }
      checkpoints.add(kButterflyWork * s.radix * count);
    }
  }
}

}  // namespace

Fft::Fft(int64_t n) : n_(n), radices_(factors(n)) {
  if (n > kMaxLength) throw Error(ErrorKind::kLimit, str("a transform of length ", n, " is too long"));
  if (n > 1 && radices_.empty()) {
    make_chirp();
  } else {
    roots_ = table(n, kRootWork, [n](int64_t k) { return root(k, n); });
  }
}

void Fft::make_chirp() {
  const int64_t period = checked_mul(2, n_);
  chirp_ = table(n_, kRootWork, [period](int64_t k) { return root(checked_mul(k, k) % period, period); });
  const auto length = int64_t(std::bit_ceil(uint64_t(period - 1)));
  convolution_ = std::make_shared<Fft>(length);
  chirp_spectrum_ = table(length, kCopyWork, [this, length](int64_t k) {
    const int64_t distance = std::min(k, length - k);
    return distance < n_ ? std::conj(chirp_[size_t(distance)]) : Complex();
  });
  CountedVector<Complex> scratch = table(length, kCopyWork, [](int64_t) { return Complex(); });
  convolution_->forward(chirp_spectrum_.data(), scratch.data());
}

void Fft::forward(Complex* x, Complex* scratch) const {
  chirp_.empty() ? mixed_radix(x, scratch) : convolve_chirp(x, scratch);
}

void Fft::inverse(Complex* x, Complex* scratch) const {
  const auto swap_parts = [&](double factor) {
    Checkpoints().in_parts(n_, 4, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) x[i] = {x[i].imag() * factor, x[i].real() * factor};
    });
  };
  swap_parts(1);
  forward(x, scratch);
  swap_parts(1 / double(n_));
}

void Fft::mixed_radix(Complex* x, Complex* scratch) const {
  Checkpoints checkpoints;
  Complex *from = x, *to = scratch;
  Stage stage{1, n_, 1};
  for (const int64_t radix : radices_) {
    stage.radix = radix;
    Complex small[kMaxRadix];
    for (int64_t r = 0; r < radix; ++r) small[r] = roots_[size_t(r * (n_ / radix))];
    const int64_t most = Checkpoints::kWork / (kButterflyWork * radix);
    const auto compute = stage.stride <= most ? compute_stage<true> : compute_stage<false>;
    compute(stage, most, roots_, small, from, to, checkpoints);
    std::swap(from, to);
    stage.length /= radix;
    stage.stride *= radix;
  }
  if (from == x) return;
  checkpoints.in_parts(n_, kCopyWork, [&](int64_t k, int64_t end) { std::copy(from + k, from + end, x + k); });
}

void Fft::convolve_chirp(Complex* x, Complex* scratch) const {
  const int64_t length = convolution_->size();
  Complex* padded = scratch + length;
  multiply(x, chirp_, padded);
  Checkpoints().in_parts(length - n_, kCopyWork,
                         [&](int64_t k, int64_t end) { std::fill(padded + n_ + k, padded + n_ + end, Complex()); });
  convolution_->forward(padded, scratch);
  multiply(padded, chirp_spectrum_, padded);
  convolution_->inverse(padded, scratch);
  multiply(padded, chirp_, x);
}

}  // namespace linnet
