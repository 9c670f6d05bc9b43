#include <algorithm>
#include <cmath>

#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"
#include "traditionalml/rows.h"

namespace linnet {
namespace {

using Divisor = double (*)(std::span<const double> row);

double largest(std::span<const double> row) { return row.empty() ? 0 : *std::max_element(row.begin(), row.end()); }

double sum_of_magnitudes(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += std::abs(x);
  return sum;
}

double euclidean_length(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x * x;
  return std::sqrt(sum);
}

Divisor divisor_of(const std::string& norm) {
  if (norm == "MAX") return largest;
  if (norm == "L1") return sum_of_magnitudes;
  if (norm == "L2") return euclidean_length;
  throw_value("norm", "'" + norm + "'", "MAX, L1 or L2");
}

class NormalizerKernel final : public Kernel {
 public:
  NormalizerKernel(const CompileInput& in, Divisor divisor)
      : read_(read_numbers_of(in.dtype(0))), rows_(rows_of(in.shape(0))), divisor_(divisor) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), rows_.count, rows_.width, [&](int64_t begin, int64_t end, int worker) {
      auto* row = reinterpret_cast<double*>(context.scratch(worker));
      for (int64_t r = begin; r < end; ++r) {
        read_(x, r * rows_.width, rows_.width, row);
        const double divisor = divisor_({row, size_t(rows_.width)});
        for (int64_t i = 0; i < rows_.width; ++i) {
          y[r * rows_.width + i] = float(divisor == 0 ? row[i] : row[i] / divisor);
        }
      }
    });
  }

  size_t scratch_bytes() const override { return dtype_bytes(DType::kFloat64, rows_.width); }

 private:
  ReadNumbers read_;
  Rows rows_;
  Divisor divisor_;
};

/// Normalizer: each row divided by its largest element (MAX), by the sum of its magnitudes (L1, as ONNX Runtime and
/// ONNX's reference implementation take "sum(X)") or by its Euclidean length (L2); rows with divisor 0 stay as they
/// are. X: float32, float64, int64 or int32 [N, C] or [C].   Y: float32. Computed in float64. Source:
/// https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
class Normalizer final : public Op {
 public:
  explicit Normalizer(const NodeSpec& node) : divisor_(divisor_of(node.attr_or("norm", "MAX"))) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rows(in[0]);
    return {Fact(DType::kFloat32, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<NormalizerKernel>(in, divisor_); }

 private:
  Divisor divisor_;
};

}  // namespace

void register_normalizer(Registry& registry) {
  registry.add<Normalizer>("Normalizer", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
