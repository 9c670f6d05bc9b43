#include "compare/differences.h"

#include <cmath>
#include <limits>

#include "command/failure.h"
#include "linnet/complex.h"
#include "values/parse_text.h"
#include "values/values.h"

namespace linnet::tool {
namespace {

/// The value that the flags specify for an output: "X" applies to all, "NAME:X" to one.
double tolerance_value(const std::string& flag, const std::vector<std::string>& arguments, const std::string& output,
                       double fallback) {
  double general = fallback;
  std::optional<double> own;
  for (const std::string& argument : arguments) {
    const auto sides = split_last(argument, ':');
    const auto value = parse_double(sides ? sides->second : argument);
    if (!value || *value < 0)
      throw Failure(ExitCode::kUsage, flag + " " + argument + ": expected X or OUTPUT:X, X >= 0");
    if (!sides) general = *value;
    if (sides && sides->first == output) own = *value;
  }
  return own.value_or(general);
}

double distance(double x, double y) {
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  const double d = std::abs(x - y);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

/// The distance of two 64-bit integers, which may be equal as doubles.
template <class T>
double whole_distance(T x, T y) {
  return double(x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x));
}

/// Calls visit(i, distance, |expected|) for every element.
template <class Visit>
void visit_distances(const Tensor& got, const Tensor& expected, Visit&& visit) {
  const auto complex = [&]<class T>(T) {
    for (int64_t i = 0; i < got.size(); ++i) {
      const std::complex<T> x = got.data<std::complex<T>>()[i], y = expected.data<std::complex<T>>()[i];
      visit(i, std::hypot(distance(double(x.real()), double(y.real())), distance(double(x.imag()), double(y.imag()))),
            double(std::abs(y)));
    }
  };
  if (got.dtype() == DType::kComplex64) return complex(float{});
  if (got.dtype() == DType::kComplex128) return complex(double{});
  const auto whole = [&]<class T>(T) {
    for (int64_t i = 0; i < got.size(); ++i) {
      const T x = got.data<T>()[i], y = expected.data<T>()[i];
      visit(i, whole_distance(x, y), std::abs(double(y)));
    }
  };
  if (got.dtype() == DType::kInt64) return whole(int64_t{});
  if (got.dtype() == DType::kUint64) return whole(uint64_t{});
  for (int64_t i = 0; i < got.size(); ++i) {
    const double y = element(expected, i);
    visit(i, distance(element(got, i), y), std::abs(y));
  }
}

bool has_distance(DType dtype) { return is_number(dtype) || dtype == DType::kComplex64 || dtype == DType::kComplex128; }

Difference compare_exactly(const Tensor& got, const Tensor& expected) {
  if (identical(got, expected)) return {};
  Difference result;
  result.max_difference = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < got.size(); ++i) {
    if (print_element(got, i) == print_element(expected, i)) continue;
    if (result.differing++ == 0) result.first = i;
  }
  return result;
}

Difference compare_numbers(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  Difference result;
  visit_distances(got, expected, [&](int64_t i, double d, double magnitude) {
    result.max_difference = std::max(result.max_difference, d);
    if (std::isfinite(magnitude)) result.signal += magnitude * magnitude;
    result.noise += d * d;
    const double allowed = std::isfinite(magnitude) ? tolerance.atol + tolerance.rtol * magnitude : 0;
    if (d > allowed && result.differing++ == 0) result.first = i;
  });
  return result;
}

std::string explain(const Difference& difference, const Tensor& got, const Tensor& expected) {
  return str(difference.differing, " of ", got.size(), " elements differ, max |difference| ", difference.max_difference,
             ", first at ", difference.first, ": expected ", print_element(expected, difference.first), ", got ",
             print_element(got, difference.first));
}

}  // namespace

Tolerance tolerance_for(const std::string& output, const AccuracyFlags& flags, const Tolerance& defaults) {
  return {tolerance_value("--atol", flags.atol, output, defaults.atol),
          tolerance_value("--rtol", flags.rtol, output, defaults.rtol)};
}

namespace {

Difference compare_containers(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  const auto parts = container_parts("", got), wanted = container_parts("", expected);
  if (parts.size() != wanted.size()) {
    return {.max_difference = std::numeric_limits<double>::infinity(),
            .reason = str("expected ", describe(expected), ", got ", describe(got))};
  }
  Difference result;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Difference part = compare_tensors(parts[i].second, wanted[i].second, tolerance);
    result.max_difference = std::max(result.max_difference, part.max_difference);
    result.differing += part.differing;
    result.signal += part.signal;
    result.noise += part.noise;
    if (result.agree() && !part.agree()) result.reason = parts[i].first + ": " + part.reason;
  }
  return result;
}

}  // namespace

Difference compare_tensors(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape()) {
    return {.max_difference = std::numeric_limits<double>::infinity(),
            .reason = str("expected ", describe(expected), ", got ", describe(got))};
  }
  if (is_container(got.dtype())) return compare_containers(got, expected, tolerance);
  Difference result =
      has_distance(got.dtype()) ? compare_numbers(got, expected, tolerance) : compare_exactly(got, expected);
  if (result.differing > 0) result.reason = explain(result, got, expected);
  return result;
}

}  // namespace linnet::tool
