#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "environment/run_environment.h"
#include "fourier/fft.h"
#include "linnet/complex.h"
#include "partition/checkpoints.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using C = std::complex<double>;

// The last of ten stages is one butterfly of a quarter of all elements.
TEST(Fft, LooksAtTheDeadlineInEveryStage) {
  constexpr int64_t kLength = int64_t{1} << 20, kStages = 10, kWorkOfElement = 16;
  const Fft fft(kLength);
  std::vector<C> x(size_t{kLength}), scratch(size_t(fft.scratch_size()));
  constexpr int64_t kLooks = kLength * kStages * kWorkOfElement / Checkpoints::kWork;
  const auto transform = [&](int64_t looks) {
    const RunEnvironment environment = RunEnvironment::folding(0, looks);
    const RunEnvironment::Scope scope(environment);
    fft.forward(x.data(), scratch.data());
  };
  transform(2 * kLooks);
  expect_error(ErrorKind::kLimit, "too long", [&] { transform(kLooks - 1); });
}

/// Computes the sum directly, for x [outer, length, inner] along the middle axis. x is zero beyond its end.
std::vector<C> transform(const std::vector<C>& x, int64_t outer, int64_t length, int64_t inner, int64_t n, int sign) {
  std::vector<C> y;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t i = 0; i < inner; ++i) {
        C sum = 0;
        for (int64_t j = 0; j < std::min(n, length); ++j) {
          sum += x[size_t((o * length + j) * inner + i)] *
                 std::polar(1.0, sign * 2 * std::numbers::pi * double(j * k % n) / double(n));
        }
        y.push_back(sign > 0 ? sum / double(n) : sum);
      }
    }
  }
  return y;
}

std::vector<C> complex_of(const Tensor& t) {
  const int64_t parts = t.dim(t.rank() - 1);
  std::vector<C> result;
  for (int64_t i = 0; i < t.size(); i += parts) {
    const double* x = t.data<double>() + i;
    result.emplace_back(x[0], parts == 2 ? x[1] : 0);
  }
  return result;
}

Tensor tensor_of(const Shape& shape, const std::vector<C>& values) {
  std::vector<double> parts;
  for (const C& value : values) {
    parts.push_back(value.real());
    if (shape[shape.rank() - 1] == 2) parts.push_back(value.imag());
  }
  return Tensor::of(shape, parts);
}

Tensor random_double(const Shape& shape) { return cast_to(random_tensor(shape), DType::kFloat64); }

// Tests powers of two, mixed radices, a prime above the radices, and a length with such a factor.
TEST(Dft, EqualsTheSumForAnyLength) {
  for (const int64_t n : {1, 2, 3, 4, 8, 12, 13, 17, 60, 64, 97, 143, 256, 400, 34}) {
    const Tensor x = random_double({2, n, 2});
    const OpCase forward{"DFT", 17}, inverse{"DFT", 17, {{"inverse", int64_t{1}}}};
    expect_close(run_op(forward, {x})[0], tensor_of({2, n, 2}, transform(complex_of(x), 2, n, 1, n, -1)), 1e-11);
    expect_close(run_op(inverse, {x})[0], tensor_of({2, n, 2}, transform(complex_of(x), 2, n, 1, n, 1)), 1e-12);
  }
}

TEST(Dft, TakesAnAxisAndALength) {
  const Tensor x = random_double({3, 5, 4, 1});
  const Tensor want = tensor_of({3, 7, 4, 2}, transform(complex_of(x), 3, 5, 4, 7, -1));
  const Tensor length = Tensor::scalar(int64_t{7});
  expect_close(run_op({"DFT", 17}, {x, length})[0], want, 1e-12);
  expect_close(run_op({"DFT", 20}, {x, length, Tensor::scalar(int64_t{-3})})[0], want, 1e-12);
  expect_close(run_op({"DFT", 17, {{"axis", int64_t{-2}}}}, {x, Tensor::scalar(int32_t{3})})[0],
               tensor_of({3, 5, 3, 2}, transform(complex_of(x), 15, 4, 1, 3, -1)), 1e-12);
  expect_close(run_op({"DFT", 20}, {x})[0], tensor_of({3, 5, 4, 2}, transform(complex_of(x), 15, 4, 1, 4, -1)), 1e-12);
}

TEST(Dft, OnesidedSpectraGoThereAndBack) {
  for (const int64_t n : {2, 7, 10}) {
    const Tensor x = random_double({2, n, 1}), length = Tensor::scalar(n);
    const Tensor spectrum = run_op({"DFT", 20, {{"onesided", int64_t{1}}}}, {x})[0];
    ASSERT_EQ(spectrum.shape(), (Shape{2, n / 2 + 1, 2}));
    const std::vector<C> full = transform(complex_of(x), 2, n, 1, n, -1);
    for (int64_t i = 0; i < 2 * (n / 2 + 1); ++i) {
      const C want = full[size_t(i / (n / 2 + 1) * n + i % (n / 2 + 1))];
      EXPECT_LT(std::abs(complex_of(spectrum)[size_t(i)] - want), 1e-12);
    }
    const OpCase back{"DFT", 20, {{"onesided", int64_t{1}}, {"inverse", int64_t{1}}}};
    expect_close(run_op(back, {spectrum, length})[0], x, 1e-12);
    if (n % 2 == 0) {
      expect_close(run_op(back, {spectrum})[0], x, 1e-12);
    }
  }
}

TEST(Dft, RoundsNarrowTypesOnce) {
  const Tensor x = random_tensor({1, 16, 1});
  const Tensor exact = run_op({"DFT", 20}, {cast_to(x, DType::kFloat64)})[0];
  expect_close(run_op({"DFT", 20}, {x})[0], cast_to(exact, DType::kFloat32), 1e-7, 1e-7);
  const Tensor half = cast_to(x, DType::kFloat16);
  const Tensor from_half = run_op({"DFT", 20}, {cast_to(cast_to(half, DType::kFloat32), DType::kFloat64)})[0];
  expect_close(run_op({"DFT", 20}, {half})[0], cast_to(cast_to(from_half, DType::kFloat32), DType::kFloat16));
}

TEST(Dft, RefusesBadShapes) {
  expect_error(ErrorKind::kShape, "last dim", [] { run_op({"DFT", 20}, {random_tensor({2, 4, 3})}); });
  expect_error(ErrorKind::kShape, "axis", [] {
    run_op({"DFT", 17, {{"axis", int64_t{2}}}}, {random_tensor({2, 4, 1})});
  });
  expect_error(ErrorKind::kShape, "real input", [] {
    run_op({"DFT", 20, {{"onesided", int64_t{1}}}}, {random_tensor({2, 4, 2})});
  });
  expect_error(ErrorKind::kShape, "dft_length", [] {
    run_op({"DFT", 20}, {random_tensor({2, 4, 1}), Tensor::scalar(int64_t{0})});
  });
}

TEST(Stft, TransformsWindowedFrames) {
  const int64_t samples = 23, n = 6, step = 4, frames = 5;
  for (const int64_t parts : {1, 2}) {
    const Tensor x = random_double({2, samples, parts}), window = random_double({n});
    std::vector<C> want;
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t f = 0; f < frames; ++f) {
        std::vector<C> frame;
        for (int64_t i = 0; i < n; ++i) {
          frame.push_back(complex_of(x)[size_t(b * samples + f * step + i)] * window.data<double>()[i]);
        }
        const std::vector<C> line = transform(frame, 1, n, 1, n, -1);
        want.insert(want.end(), line.begin(), parts == 1 ? line.begin() + n / 2 + 1 : line.end());
      }
    }
    const OpCase op{"STFT", 17, {{"onesided", int64_t{parts == 1}}}};
    const Tensor y = run_op(op, {x, Tensor::scalar(step), window})[0];
    expect_close(y, tensor_of({2, frames, parts == 1 ? n / 2 + 1 : n, 2}, want), 1e-12);
    expect_close(run_op(op, {x, Tensor::scalar(step), window, Tensor::scalar(n)})[0], y);
    if (parts == 1) expect_close(run_op(op, {x.reshaped({2, samples}), Tensor::scalar(step), window})[0], y);
  }
}

TEST(Stft, RefusesFramesThatDoNotFit) {
  const Tensor x = random_tensor({1, 8, 1}), step = Tensor::scalar(int64_t{2});
  expect_error(ErrorKind::kShape, "fit", [&] {
    run_op({"STFT", 17}, {x, step, Tensor(), Tensor::scalar(int64_t{9})});
  });
  expect_error(ErrorKind::kShape, "frame_step", [&] { run_op({"STFT", 17}, {x, Tensor::scalar(int64_t{0})}); });
  expect_error(ErrorKind::kShape, "window", [&] {
    run_op({"STFT", 17}, {x, step, random_tensor({4}), Tensor::scalar(int64_t{5})});
  });
  expect_error(ErrorKind::kShape, "signal", [&] { run_op({"STFT", 17}, {random_tensor({1, 8, 2}), step}); });
  expect_error(ErrorKind::kShape, "signal", [&] { run_op({"STFT", 17}, {random_tensor({8}), step}); });
}

TEST(Windows, AreThoseOfNumPy) {
  const Tensor size = Tensor::scalar(int64_t{5});
  const auto symmetric = [&](const char* name) {
    return run_op({name, 17, {{"periodic", int64_t{0}}, {"output_datatype", int64_t(DType::kFloat64)}}}, {size})[0];
  };
  expect_close(symmetric("HannWindow"), Tensor::of<double>({0, 0.5, 1, 0.5, 0}), 1e-15);
  expect_close(symmetric("BlackmanWindow"), Tensor::of<double>({0, 0.34, 1, 0.34, 0}), 1e-15);
  expect_close(symmetric("HammingWindow"), Tensor::of<double>({4.0 / 46, 25.0 / 46, 1, 25.0 / 46, 4.0 / 46}), 1e-15);
  expect_close(run_op({"HannWindow", 17}, {Tensor::scalar(int32_t{4})})[0], Tensor::of<float>({0, 0.5f, 1, 0.5f}),
               1e-7);
  expect_close(run_op({"HannWindow", 17, {{"periodic", int64_t{0}}}}, {Tensor::scalar(int64_t{1})})[0],
               Tensor::of<float>({0}));
  expect_close(
      run_op({"HannWindow", 17, {{"output_datatype", int64_t(DType::kInt32)}}}, {Tensor::scalar(int64_t{4})})[0],
      Tensor::of<int32_t>({0, 0, 1, 0}));
  expect_error(ErrorKind::kShape, "size", [] { run_op({"HannWindow", 17}, {Tensor::scalar(int64_t{-1})}); });
}

// The corners are at bins 0, 1, 3 and 5, computed by hand from mel(f) = 2595 log10(1 + f / 700) with 1000 Hz and 16
// bins.
TEST(MelWeightMatrix, HasTriangles) {
  const auto run = [](float low, float high) {
    return run_op({"MelWeightMatrix", 17}, {Tensor::scalar(int64_t{2}), Tensor::scalar(int64_t{16}),
                                            Tensor::scalar(int64_t{1000}), Tensor::scalar(low), Tensor::scalar(high)});
  };
  const float half = 0.5f;
  expect_close(run(0, 500)[0],
               Tensor::of<float>({9, 2}, {0, 0, 1, 0, half, half, 0, 1, 0, half, 0, 0, 0, 0, 0, 0, 0, 0}));
  expect_error(ErrorKind::kModel, "lower_edge_hertz", [&] { run(600, 500); });
}

}  // namespace
}  // namespace linnet::testing
