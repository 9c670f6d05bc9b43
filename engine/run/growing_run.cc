#include "run/growing_run.h"

#include <algorithm>
#include <cstring>

namespace linnet {

GrowingRun::GrowingRun(std::shared_ptr<GrowingProgram> program)
    : program_(std::move(program)),
      sizes_(program_->sizes()),
      steps_(program_->steps()),
      inputs_(program_->sources().size()),
      wide_(inputs_.size()) {
  const Graph& graph = program_->steps()->graph();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (program_->sources()[i].kind == GrowingProgram::Source::Kind::kRows) {
      rows_ = Tensor(DType::kInt64, graph.fact(graph.inputs()[i]).shape());
    }
  }
}

std::span<const Tensor> GrowingRun::run(std::span<const Tensor> inputs, const StateRooms& rooms, int64_t new_rows,
                                        RunEnvironment& environment, std::span<const Tensor> given) {
  using Kind = GrowingProgram::Source::Kind;
  std::span<const Tensor> sizes;
  if (program_->has_sizes()) sizes = sizes_.run(inputs, environment);
  if (rows_) std::fill_n(rows_.data<int64_t>(), rows_.size(), rooms.rows);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const GrowingProgram::Source& source = program_->sources()[i];
    if (source.kind == Kind::kRows) {
      inputs_[i] = rows_;
      continue;
    }
    const Tensor& x = source.kind == Kind::kSize    ? sizes[source.index]
                      : rooms.tensors[source.index] ? rooms.tensors[source.index]
                                                    : inputs[source.index];
    if (source.has_columns) widen(x, rooms, new_rows, environment, wide_[i]);
    inputs_[i] = source.has_columns ? wide_[i] : x;
  }
  const std::span<const Tensor> outputs = steps_.run(inputs_, environment, given);
  std::fill(inputs_.begin(), inputs_.end(), Tensor());
  check_written(new_rows);
  return outputs;
}

void GrowingRun::check_written(int64_t new_rows) const {
  for (const Plan::State& state : steps_.plan()->states) {
    if (state.rows == new_rows) continue;
    throw Error(ErrorKind::kInternal,
                str("the plan writes ", state.rows, " rows into a state that was to get ", new_rows));
  }
}

void GrowingRun::widen(const Tensor& x, const StateRooms& rooms, int64_t new_rows, const RunEnvironment& environment,
                       Tensor& wide) {
  Shape shape = x.shape();
  int64_t& columns = shape[shape.rank() - 1];
  if (const int64_t wanted = rooms.rows + new_rows; columns != wanted) {
    throw Error(ErrorKind::kShape, str("the mask ", describe(x), " must have ", wanted, " columns, one for each row"));
  }
  columns = rooms.capacity;
  if (!wide || wide.shape() != shape) wide = environment.allocate(x.dtype(), shape);
  const auto lines = size_t(shape.elements(0, shape.rank() - 1));
  for (size_t i = 0; i < lines; ++i) {
    const size_t bytes = wide.bytes() / lines, given = x.bytes() / lines;
    std::byte* line = static_cast<std::byte*>(wide.raw()) + i * bytes;
    std::memcpy(line, static_cast<const std::byte*>(x.raw()) + i * given, given);
    std::memset(line + given, 0, bytes - given);
  }
}

}  // namespace linnet
