#pragma once

#include <optional>
#include <span>
#include <vector>

#include "infer/infer.h"
#include "linnet/node_spec.h"

namespace linnet {

/// Axes counted from the front, in the order given. Throws Error(kShape) for one out of range or given twice.
std::vector<int> normalize_axes(std::span<const int64_t> axes, int rank);

/// The shape with dim `axis` taken out, or put in.
Shape without_axis(const Shape& shape, int axis);
Shape with_axis(const Shape& shape, int axis, int64_t size);

/// The numbers, which count something, in a constant tensor of float16, float32 or float64, as operators of opset 1
/// take them; nullopt if not constant. Throws Error(kShape) for one that is out of range.
std::optional<std::vector<int64_t>> constant_counts(const Fact& fact);

/// Integers that an operator takes from an attribute in old opsets and from an input in new ones.
class IntsParameter {
 public:
  /// Read from the attribute when the node's opset is below `input_since`, else from input `input`.
  IntsParameter(const NodeSpec& node, const std::string& attribute, int input, int64_t input_since);

  /// Given as an attribute or as an input.
  bool given(std::span<const Fact> in) const { return attribute_ || (input_ >= 0 && has_input(in, input_)); }
  /// For what counts axes: the values; nullopt when they are not given or not all are numbers yet.
  std::optional<std::vector<int64_t>> numbers(std::span<const Fact> in) const;
  /// For sizes and positions: the same with expressions of what the model leaves open.
  std::optional<Dims> dims(std::span<const Fact> in) const;
  /// The node's opset takes them from an input.
  bool is_input() const { return is_input_; }
  /// How many values there are, where known. Throws Error(kShape) for more than kMaxRank.
  std::optional<int64_t> count(std::span<const Fact> in) const;
  /// The inputs that infer() needs the values of.
  std::vector<int> value_inputs() const { return input_ < 0 ? std::vector<int>{} : std::vector{input_}; }

 private:
  std::optional<std::vector<int64_t>> attribute_;
  bool is_input_;
  int input_ = -1;
};

}  // namespace linnet
