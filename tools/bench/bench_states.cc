#include "bench/bench_states.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "command/failure.h"
#include "linnet/did_you_mean.h"

namespace linnet::tool {
namespace {

/// The text that the star of a pattern matches; nullopt if the name does not match.
std::optional<std::string> star_of(const std::string& pattern, const std::string& name) {
  const size_t star = pattern.find('*');
  if (star == std::string::npos) return pattern == name ? std::optional(std::string()) : std::nullopt;
  const std::string head = pattern.substr(0, star), tail = pattern.substr(star + 1);
  if (name.size() < head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) return std::nullopt;
  return name.substr(head.size(), name.size() - head.size() - tail.size());
}

std::string filled(const std::string& pattern, const std::string& star) {
  const size_t at = pattern.find('*');
  return at == std::string::npos ? pattern : pattern.substr(0, at) + star + pattern.substr(at + 1);
}

std::optional<size_t> index_among(const std::vector<ValueInfo>& infos, const std::string& name) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const ValueInfo& info) { return info.name == name; });
  return found == infos.end() ? std::nullopt : std::optional(size_t(found - infos.begin()));
}

size_t input_index(const Model& model, const std::string& name) {
  const auto index = index_among(model.inputs(), name);
  if (!index) {
    throw Failure(ExitCode::kUsage, "the model has no input '" + name + "'" + did_you_mean(name, model.inputs()));
  }
  return *index;
}

/// Takes the initial value of a state out of the step's inputs; an empty Tensor if the value in the file is used.
Tensor take_initial(const Model& model, const std::string& name, std::vector<Tensor>& step) {
  size_t index = model.inputs().size();
  const auto optional = index_among(model.metadata().overridable, name);
  index = optional && model.options().overridable_initializers ? index + *optional : input_index(model, name);
  return index < step.size() ? std::exchange(step[index], Tensor()) : Tensor();
}

/// The tensor with one more column, which is equal to the last one.
Tensor with_column(const Tensor& x) {
  Shape shape = x.shape();
  const int last = shape.rank() - 1;
  if (last < 0 || shape[last] == 0 || is_object(x.dtype()) || dtype_bits(x.dtype()) < 8) {
    throw Failure(ExitCode::kUsage, "an input that grows must have numbers in its last dim, got " + describe(x));
  }
  const size_t row = dtype_bytes(x.dtype(), shape[last]), item = dtype_bytes(x.dtype(), 1);
  shape[last] = checked_add(shape[last], 1);
  Tensor y(x.dtype(), shape);
  const auto* from = static_cast<const std::byte*>(x.raw());
  auto* to = static_cast<std::byte*>(y.raw());
  for (int64_t i = 0; i < x.shape().elements(0, last); ++i, from += row, to += row + item) {
    std::memcpy(to, from, row);
    std::memcpy(to + row, from + row - item, item);
  }
  return y;
}

}  // namespace

BenchStates::BenchStates(const Model& model, const std::vector<Tensor>& inputs, const Options& options) {
  if (options.state.empty()) return;
  const size_t equals = options.state.find('=');
  if (equals == std::string::npos)
    throw Failure(ExitCode::kUsage, "--state must be OUTPUT=INPUT, got " + options.state);
  const std::string from = options.state.substr(0, equals), to = options.state.substr(equals + 1);
  std::vector<Tensor> step = inputs;
  for (const ValueInfo& output : model.outputs()) {
    const auto star = star_of(from, output.name);
    if (!star) continue;
    const std::string input = filled(to, *star);
    bound_.push_back({output.name, input, take_initial(model, input, step)});
  }
  if (bound_.empty()) throw Failure(ExitCode::kUsage, "no output is like '" + from + "'");
  inputs_.push_back(step);
  for (int64_t i = 1; i < options.steps; ++i) {
    for (const std::string& name : options.grow) {
      Tensor& x = step[input_index(model, name)];
      x = with_column(x);
    }
    inputs_.push_back(step);
  }
}

void BenchStates::bind(Context& context) const {
  for (const State& state : bound_) context.bind_state(state.output, state.input, state.initial);
}

}  // namespace linnet::tool
