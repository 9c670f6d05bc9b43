#include "run_within_limits.h"
#include "target.h"

// Bytes are read as a model within limits. If it loads, it runs twice on zeros of small dims.
namespace linnet {

void take(std::span<const uint8_t> bytes) {
  const Model model = load_onnx_bytes(std::as_bytes(bytes), "", limited_options());
  Context context(model, limited_context_options());
  const std::vector<Tensor> inputs = drawn_inputs(model, 0);
  for (int i = 0; i < 2; ++i) context.run(inputs);
}

}  // namespace linnet
