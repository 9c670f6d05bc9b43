#include "integer_range.h"

namespace linnet::exporter {

Range range_of(Call& call, DType dtype) {
  const int bits = is_integer(dtype) ? dtype_bits(dtype) : 64;
  if (bits > 32 || dtype == DType::kUint32) call.refuse("only integers of 8 and 16 bits and int32 are covered");
  const bool is_signed = dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
  const int64_t half = int64_t{1} << (bits - 1);
  return is_signed ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

Range asked_range(Call& call, const Range& all) {
  const Range range{call.integer("quant_min"), call.integer("quant_max")};
  if (range.low > range.high || !all.holds(range)) {
    call.refuse("quant_min " + std::to_string(range.low) + " and quant_max " + std::to_string(range.high) +
                " are not a range within " + std::to_string(all.low) + " to " + std::to_string(all.high));
  }
  return range;
}

DType exact_dtype(const Range& range) {
  constexpr int64_t kMost = int64_t{1} << 24;
  return Range{-kMost, kMost}.holds(range) ? DType::kFloat32 : DType::kFloat64;
}

std::string clamped_integers(Call& call, const std::string& rounded, const Range& range) {
  const DType dtype = exact_dtype(range);
  const auto bound = [&](int64_t value) { return call.scalar(double(value), dtype); };
  return call.emit("Clip", {call.cast(rounded, dtype), bound(range.low), bound(range.high)});
}

}  // namespace linnet::exporter
