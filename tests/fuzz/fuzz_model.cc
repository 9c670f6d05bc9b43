#include <algorithm>

#include "linnet/onnx.h"
#include "target.h"

// Bytes become a model within limits; what loads runs twice on inputs of small dims, on the calling thread.
namespace linnet {
namespace {

constexpr int64_t kMemory = int64_t{64} << 20, kDeadline = 1000;

const ModelOptions& options() {
  static const ModelOptions options{.limits = {.file_bytes = 1 << 20,
                                               .nodes = 10'000,
                                               .depth = 16,
                                               .memory_bytes = kMemory,
                                               .deadline_ms = kDeadline},
                                    .executor = make_serial_executor()};
  return options;
}

/// Zeros and empty texts; a number of the declared dims where it is small, else 2.
Tensor input_of(const Fact& fact) {
  Shape shape;
  bool empty = false;
  if (fact.has_rank()) {
    for (const Dim& dim : *fact.dims) empty = empty || (dim.known() && dim.value() == 0);
    for (const Dim& dim : *fact.dims) shape.push_back(dim.known() ? dim.value() : 2);
  }
  Tensor input(fact.dtype, empty || !fact.has_rank() || shape.elements() <= 1 << 16 ? shape : Shape{});
  if (fact.dtype != DType::kString && input.bytes() > 0) {
    std::fill_n(static_cast<char*>(input.raw()), input.bytes(), char(0));
  }
  return input;
}

void run(const Model& model) {
  std::vector<Tensor> inputs;
  for (const ValueInfo& info : model.inputs()) inputs.push_back(input_of(info.fact));
  Context context(
      model,
      {.executor = make_serial_executor(), .limits = {.memory_bytes = kMemory, .deadline_ms = kDeadline}, .seed = 1});
  for (int i = 0; i < 2; ++i) context.run(inputs);
}

}  // namespace

void take(std::span<const uint8_t> bytes) { run(load_onnx_bytes(std::as_bytes(bytes), "", options())); }

}  // namespace linnet
