#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor cast(const Tensor& x, DType to) { return run_op({"Cast", 25, {{"to", int64_t(to)}}}, {x})[0]; }

TEST(Cast, ConvertsSmallNumbersBetweenAllDtypes) {
  const DType dtypes[] = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16,
                          DType::kInt8,    DType::kInt16,   DType::kInt32,   DType::kInt64,
                          DType::kUint8,   DType::kUint16,  DType::kUint32,  DType::kUint64};
  const Tensor x = Tensor::of<float>({5}, {0, 1, 2, 100, 127});
  for (const DType from : dtypes) {
    for (const DType to : dtypes) expect_close(cast(cast_to(x, from), to), cast_to(x, to));
    expect_close(cast(cast_to(x, from), DType::kBool), Tensor::of<bool>({false, true, true, true, true}));
    expect_close(cast(Tensor::of<bool>({false, true}), from), cast_to(Tensor::of<float>({0, 1}), from));
  }
}

/// Returns the result of Cast from an integer or a float to T, computed in long double, which represents all numbers
/// here.
template <class T>
T reference(long double value, bool is_float) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if (!is_float) {
    return static_cast<T>(value < 0 ? uint64_t(int64_t(value)) : uint64_t(value));
  } else {
    using Fits = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t,
                                    std::conditional_t<sizeof(T) < 4 || std::is_same_v<T, int32_t>, int32_t, int64_t>>;
    const long double whole = std::trunc(value);
    if (whole < 0 && whole >= -0x1p63L && std::is_same_v<T, uint64_t>) return T(int64_t(whole));
    const bool fits = whole >= std::numeric_limits<Fits>::min() && whole <= std::numeric_limits<Fits>::max();
    if (!fits && std::is_same_v<T, uint64_t> && whole < 0) return T(std::numeric_limits<int64_t>::min());
    return static_cast<T>(fits ? Fits(whole) : std::numeric_limits<Fits>::min());
  }
}

constexpr int64_t kCastElements = 1100;

/// Returns integers around the bounds of all types, and fractions.
template <class T>
std::vector<T> cast_samples() {
  const int64_t bounds[] = {0,          1ll << 7,  1ll << 8,  1ll << 15,        1ll << 16,
                            1ll << 24,  1ll << 25, 1ll << 31, 1ll << 32,        1ll << 53,
                            3000000000, 65504,     65520,     1234567890123456, std::numeric_limits<int64_t>::max()};
  std::vector<T> result;
  for (const int64_t bound : bounds) {
    for (int64_t step = -3; step <= 3; ++step) {
      const auto value = int64_t(uint64_t(bound) + uint64_t(step));
      for (const int64_t each : {value, int64_t(-uint64_t(value))}) {
        result.push_back(static_cast<T>(each));
        if constexpr (std::is_floating_point_v<T>) result.push_back(T(each) + T(0.75));
      }
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    for (const T value : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::denorm_min(), T(0x1p63)}) {
      result.push_back(value);
      result.push_back(-value);
    }
  }
  // Whole blocks of small numbers follow, which kernels may process differently.
  while (int64_t(result.size()) < kCastElements) result.push_back(static_cast<T>(int64_t(result.size()) % 300 - 150));
  return result;
}

template <class From, class To>
void expect_cast(Isa isa) {
  const std::vector<From> x = cast_samples<From>();
  Tensor input(dtype_of<From>, Shape{int64_t(x.size())}), want(dtype_of<To>, input.shape());
  for (size_t i = 0; i < x.size(); ++i) {
    input.data<From>()[i] = x[i];
    want.data<To>()[i] = reference<To>(x[i], std::is_floating_point_v<From>);
  }
  expect_close(run_op({"Cast", 25, {{"to", int64_t(dtype_of<To>)}}}, {input}, 1, {}, isa)[0], want);
}

template <class From, class... To>
void expect_casts(Isa isa) {
  (expect_cast<From, To>(isa), ...);
}

template <class... T>
void expect_casts_of_all(Isa isa) {
  (expect_casts<T, T..., bool>(isa), ...);
}

TEST(Cast, IsExactAtTheBoundsOfEveryType) {
  for (const Isa isa : supported_isas()) {
    expect_casts_of_all<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(isa);
  }
}

TEST(Cast, RoundsIntegersOnceToHalves) {
  const std::vector<int64_t> x{65519, 65520, -65520, 65504, 2049, 2051, (1ll << 40) + 1, 257, 32897, 8421377};
  for (const DType from : {DType::kInt32, DType::kInt64, DType::kUint16}) {
    const Tensor input = cast_to(Tensor::of<int64_t>({int64_t(x.size())}, x), from);
    for (const DType to : {DType::kFloat16, DType::kBFloat16}) {
      const Tensor exact = cast_to(input, DType::kFloat64);
      expect_close(cast(input, to), cast(exact, to));
    }
  }
}

TEST(Cast, RoundsFloatsTowardsZero) {
  const Tensor x = Tensor::of<float>({-1.9f, -0.5f, 0.9f, 2.5f});
  expect_close(cast(x, DType::kInt32), Tensor::of<int32_t>({-1, 0, 0, 2}));
  expect_close(cast(x, DType::kUint8), Tensor::of<uint8_t>({255, 0, 0, 2}));
  expect_close(cast(Tensor::of<double>({0x1p63, 0x1.fp63}), DType::kUint64),
               Tensor::of<uint64_t>({1ull << 63, 0xf8ull << 56}));
}

TEST(Cast, DefinesFloatsOutOfRange) {
  const Tensor x = Tensor::of<double>({kInf, -kInf, 1e30, std::nan("")});
  const int32_t least32 = std::numeric_limits<int32_t>::min();
  const int64_t least64 = std::numeric_limits<int64_t>::min();
  expect_close(cast(x, DType::kInt32), Tensor::of<int32_t>({least32, least32, least32, least32}));
  expect_close(cast(x, DType::kInt64), Tensor::of<int64_t>({least64, least64, least64, least64}));
}

TEST(Cast, DropsHigherBitsOfIntegers) {
  expect_close(cast(Tensor::of<int16_t>({200, -129}), DType::kInt8), Tensor::of<int8_t>({-56, 127}));
  expect_close(cast(Tensor::of<int64_t>({-1, (1ll << 32) + 5}), DType::kUint32), Tensor::of<uint32_t>({~0u, 5}));
  expect_close(cast(Tensor::of<uint64_t>({~0ull}), DType::kFloat64), Tensor::of<double>({0x1p64}));
}

TEST(Cast, RoundsOnceFromDoubleToHalf) {
  // The first value is slightly above the middle between 1 and the next float16. Rounding to float first would lose the
  // excess.
  const Tensor x = Tensor::of<double>({1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 65519.9999999, 65520, -0x1p-26});
  const Tensor want = Tensor::of<double>({1 + 0x1p-10, 1, 65504, kInf, 0});
  expect_close(cast_to(cast(x, DType::kFloat16), DType::kFloat64), want);
}

/// Tests doubles between two consecutive float16 or bfloat16 values above 0: those above the middle round up.
TEST(Cast, RoundsOnceFromDoubleToHalvesOnEverySet) {
  const auto check = [](DType dtype, const auto& value_of, uint16_t end) {
    std::vector<double> x;
    std::vector<uint16_t> want;
    for (uint16_t low = 0; low < end; low = uint16_t(low + 37)) {
      const auto high = uint16_t(low + 1);
      const double a = value_of(low), middle = a + (value_of(high) - a) / 2;
      for (const double sign : {1.0, -1.0}) {
        const auto add = [&](double value, uint16_t bits) {
          x.push_back(sign * value);
          want.push_back(uint16_t(bits | (sign < 0 ? 0x8000 : 0)));
        };
        add(a, low);
        add(middle, low % 2 == 0 ? low : high);
        add(std::nextafter(middle, 0), low);
        add(std::nextafter(middle, kInf), high);
      }
    }
    const Tensor input = Tensor::of(Shape{int64_t(x.size())}, x);
    for (const Isa isa : supported_isas()) {
      const Tensor y = run_op({"Cast", 25, {{"to", int64_t(dtype)}}}, {input}, 1, {}, isa)[0];
      const auto* bits = static_cast<const uint16_t*>(y.raw());
      for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(bits[i], want[i]) << x[i];
    }
  };
  check(
      DType::kFloat16, [](uint16_t bits) { return double(float(std::bit_cast<Half>(bits))); }, 0x7bff);
  check(
      DType::kBFloat16, [](uint16_t bits) { return double(float(std::bit_cast<BFloat16>(bits))); }, 0x7f7f);
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const Tensor special = Tensor::of<double>({5}, {kInf, -kInf, 1e300, -1e300, std::nan("")});
    expect_close(cast(special, dtype),
                 cast_to(Tensor::of<float>({5}, {INFINITY, -INFINITY, INFINITY, -INFINITY, NAN}), dtype));
  }
}

TEST(Cast, ReadsAndWritesText) {
  const Tensor text = Tensor::of<std::string>({"3.14", "1e-5", "1E8", "-INF", "+inf", "NaN", "-7"});
  expect_close(cast(text, DType::kFloat64), Tensor::of<double>({3.14, 1e-5, 1e8, -kInf, kInf, std::nan(""), -7}));
  expect_close(cast(Tensor::of<std::string>({"100.5", "-3", "9223372036854775807"}), DType::kInt64),
               Tensor::of<int64_t>({100, -3, std::numeric_limits<int64_t>::max()}));
  expect_close(cast(Tensor::of<float>({0.1f, 1, -2.5f}), DType::kString),
               Tensor::of<std::string>({"0.1", "1", "-2.5"}));
  expect_close(cast(Tensor::of<uint64_t>({~0ull}), DType::kString), Tensor::of<std::string>({"18446744073709551615"}));
  expect_close(cast(Tensor::of<bool>({true, false}), DType::kString), Tensor::of<std::string>({"True", "False"}));
  const Tensor words = Tensor::of<std::string>({"True", "false", "FALSE", " 1\n", "0"});
  expect_close(cast(words, DType::kBool), Tensor::of<bool>({true, false, false, true, false}));
  expect_close(cast(words, DType::kFloat32), Tensor::of<float>({1, 0, 0, 1, 0}));
  expect_close(cast(words, DType::kUint8), Tensor::of<uint8_t>({1, 0, 0, 1, 0}));
  expect_close(cast(words, DType::kFloat16), cast(Tensor::of<float>({1, 0, 0, 1, 0}), DType::kFloat16));
  for (const char* bad : {"Hello", "", " ", "1x", "1 2", "+-1", "Truex"}) {
    expect_error(ErrorKind::kModel, bad, [&] { cast(Tensor::of<std::string>({bad}), DType::kFloat32); });
  }
}

TEST(Cast, TakesTheNameOfTheDtypeInOpset1) {
  expect_close(run_op({"Cast", 1, {{"to", std::string("INT32")}}}, {Tensor::of<float>({2.5f})})[0],
               Tensor::of<int32_t>({2}));
}

TEST(Cast, RefusesUnknownDtypes) {
  expect_error(ErrorKind::kUnsupported, "to", [] { cast(Tensor::of<float>({1}), DType(99)); });
}

TEST(CastLike, TakesTheDtypeOfItsSecondInput) {
  expect_close(run_op({"CastLike"}, {Tensor::of<float>({2.5f}), Tensor::of<int8_t>({1, 2, 3})})[0],
               Tensor::of<int8_t>({2}));
}

TEST(Identity, KeepsEveryDtype) {
  const Tensor words = Tensor::of<std::string>({"a", "", "long enough to be on the heap"});
  expect_close(run_op({"Identity"}, {words})[0], words);
  const Tensor number = Tensor::scalar(3.5);
  expect_close(run_op({"Identity", 1}, {number})[0], number);
}

TEST(BitCast, KeepsTheBits) {
  const OpCase to_int{"BitCast", 26, {{"to", int64_t(DType::kInt32)}}};
  expect_close(run_op(to_int, {Tensor::of<float>({1, -0.0f})})[0],
               Tensor::of<int32_t>({0x3f800000, std::numeric_limits<int32_t>::min()}));
  expect_error(ErrorKind::kType, "float64", [&] { run_op(to_int, {Tensor::of<double>({1})}); });
}

TEST(Where, BroadcastsAllThreeInputs) {
  const Tensor condition = Tensor::of<bool>({2, 1}, {true, false});
  const Tensor x = Tensor::of<float>({3}, {1, 2, 3}), y = Tensor::scalar(-1.0f);
  const Tensor want = Tensor::of<float>({2, 3}, {1, 2, 3, -1, -1, -1});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kInt8}) {
    expect_close(run_op({"Where"}, {condition, cast_to(x, dtype), cast_to(y, dtype)})[0], cast_to(want, dtype));
  }
  expect_close(run_op({"Where"}, {condition, Tensor::of<std::string>({"yes"}), Tensor::of<std::string>({"no"})})[0],
               Tensor::of<std::string>({2, 1}, {"yes", "no"}));
  expect_error(ErrorKind::kType, "condition", [&] { run_op({"Where"}, {x, x, x}); });
}

TEST(IsNaN, FindsNan) {
  const Tensor x = Tensor::of<float>({1, NAN, INFINITY, -INFINITY});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const auto run = [&](const OpCase& op) { return run_op(op, {cast_to(x, dtype)})[0]; };
    expect_close(run({"IsNaN"}), Tensor::of<bool>({false, true, false, false}));
    expect_close(run({"IsInf", 20}), Tensor::of<bool>({false, false, true, true}));
    expect_close(run({"IsInf", 20, {{"detect_negative", int64_t{0}}}}), Tensor::of<bool>({false, false, true, false}));
    expect_close(run({"IsInf", 20, {{"detect_positive", int64_t{0}}}}), Tensor::of<bool>({false, false, false, true}));
  }
  expect_error(ErrorKind::kType, "int32", [] { run_op({"IsNaN"}, {Tensor::of<int32_t>({1})}); });
}

/// Callers may give such bytes.
TEST(Cast, ReadsEveryByteButZeroAsTrue) {
  const std::vector<uint8_t> bytes{0, 1, 2, 255, 0, 128};
  Tensor x(DType::kBool, {6});
  std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t*>(x.raw()));
  const Tensor want = Tensor::of<float>({0, 1, 1, 1, 0, 1});
  for (const Isa isa : supported_isas()) {
    for (const DType to : {DType::kUint8, DType::kInt8, DType::kInt32, DType::kInt64, DType::kUint64, DType::kFloat16,
                           DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
      const OpCase op{"Cast", 25, {{"to", int64_t(to)}}};
      expect_close(cast_to(run_op(op, {x}, 1, {}, isa)[0], DType::kFloat32), want);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
