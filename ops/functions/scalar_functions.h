#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

// Element-wise functions of one number that are longer than an expression. NaN gives NaN unless stated otherwise.
namespace linnet::scalar {

template <class T>
T negated(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(-static_cast<uint64_t>(x));  // wraps around
  else
    return -x;
}

template <class T>
T magnitude(T x) {
  if constexpr (std::is_integral_v<T>)
    return x > 0 ? x : negated(x);
  else
    return std::fabs(x);
}

// For integers, returns float32, which callers round towards zero.
template <class T>
auto erf(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<float>(std::erf(static_cast<double>(x)));
  else
    return std::erf(x);
}

template <class T>
T elu(T x, T alpha) {
  return x < 0 ? alpha * std::expm1(x) : x;
}

template <class T>
T softplus(T x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

template <class T>
T unit_clamp(T x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

template <class T>
T gelu(T x) {
  return T(0.5) * x * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
}

template <class T>
T gelu_tanh(T x) {
  const T inner = std::sqrt(2 / std::numbers::pi_v<T>) * (x + T(0.044715) * x * x * x);
  return T(0.5) * x * (1 + std::tanh(inner));
}

template <class T>
T clip(T x, T low, T high) {
  const T raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// NaN gives 0, as x is neither below nor above.
template <class P>
P shrink(P x, P bias, P lambd) {
  return x < -lambd ? x + bias : x > lambd ? x - bias : 0;
}

}  // namespace linnet::scalar
