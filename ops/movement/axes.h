#pragma once

#include <optional>
#include <span>
#include <vector>

#include "infer/infer.h"
#include "linnet/node_spec.h"

namespace linnet {

/// Returns the axes counted from the front, in the order given. Throws Error(kShape) for one out of range or given
/// twice.
std::vector<int> normalize_axes(std::span<const int64_t> axes, int rank);

/// The shape with dim `axis` removed, or with a dim of `size` inserted.
Shape without_axis(const Shape& shape, int axis);
Shape with_axis(const Shape& shape, int axis, int64_t size);

/// Reads counts from a constant tensor of float16, float32 or float64, the dtypes that operators of opset 1 accept.
/// Returns nullopt if it is not constant. Throws Error(kShape) for a number out of range.
std::optional<std::vector<int64_t>> constant_counts(const Fact& fact);

/// Integers that an operator reads from an attribute in old opsets and from an input in new ones.
class IntsParameter {
 public:
  /// Reads the attribute if the node's opset is below `input_since`; otherwise uses input `input`.
  IntsParameter(const NodeSpec& node, const std::string& attribute, int input, int64_t input_since);

  /// Whether an attribute or an input is present.
  bool given(std::span<const Fact> in) const { return attribute_ || (input_ >= 0 && has_input(in, input_)); }
  /// The values that count axes. Returns nullopt if they are absent or not all known yet.
  std::optional<std::vector<int64_t>> numbers(std::span<const Fact> in) const;
  /// The values that are sizes or positions, as numbers or expressions of symbolic dims.
  std::optional<Dims> dims(std::span<const Fact> in) const;
  /// Whether the node's opset reads them from an input.
  bool is_input() const { return is_input_; }
  /// The number of values, or nullopt if unknown. Throws Error(kShape) for more than kMaxRank.
  std::optional<int64_t> count(std::span<const Fact> in) const;
  /// The inputs whose values infer() needs.
  std::vector<int> value_inputs() const { return input_ < 0 ? std::vector<int>{} : std::vector{input_}; }

 private:
  std::optional<std::vector<int64_t>> attribute_;
  bool is_input_;
  int input_ = -1;
};

}  // namespace linnet
