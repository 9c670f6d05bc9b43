#include <algorithm>
#include <bit>

#include "gemm/matrix_product.h"
#include "gemm/packed_gemm.h"
#include "kernels/kernel_table.h"
#include "partition/parts.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

size_t float_bytes(int64_t count) { return aligned(dtype_bytes(DType::kFloat32, count)); }

/// Scratch: the plan's; packed B where it is not constant; addends that cannot be used as they lie.
class FloatProduct final : public Kernel {
 public:
  FloatProduct(const MatrixProduct& product, const std::vector<Addend>& addends, const Epilogue& activation,
               const CompileInput& in)
      : product_(product), addends_(addends), activation_(activation), kernels_(kernel_table(in.isa()).gemm) {
    GemmPlan::Sizes sizes;
    sizes.rows = product.m;
    sizes.columns = product.n;
    sizes.depth = product.k;
    sizes.source_scratch_bytes = MatrixRows::scratch_bytes(kernels_, product.k, row_stride(), depth_stride());
    sizes.workers = in.executor().workers();
    plan_ = GemmPlan(kernels_, sizes);
    packed_floats_ = packed_floats(weights(nullptr, 0), kernels_.panel_columns);
    scratch_bytes_ = plan_.scratch_bytes();
    if (const Tensor* b = in.constant(1)) {
      packed_ = in.packed(*b, form(), [&] { return packed(*b, in); });
    } else {
      packed_offset_ = scratch_bytes_;
      scratch_bytes_ += float_bytes(checked_mul(product.b_count, packed_floats_));
    }
    for (const Addend& addend : addends_) {
      addend_offset_ = scratch_bytes_;
      if (!direct(addend)) scratch_bytes_ += float_bytes(checked_mul(addend.rows, product.n));
    }
  }

  void run(KernelContext& context) const override {
    const float* a = context.input(0).data<float>();
    const float* b = packed_ ? packed_.data<float>() : pack_in_scratch(context);
    float* y = context.output(0).data<float>();
    const Epilogue epilogue = bind_addends(context);
    const int64_t a_size = product_.m * product_.k;
    context.executor().parallel_for(product_.batch() * plan_.chunks(), [&](int64_t chunk, int worker) {
      const int64_t i = chunk / plan_.chunks();
      const MatrixRows rows(a + product_.a_index[size_t(i)] * a_size, row_stride(), depth_stride());
      GemmOperands operands;
      operands.a = &rows;
      operands.b = b + product_.b_index[size_t(i)] * packed_floats_;
      operands.y = y + i * product_.m * product_.n;
      operands.y_pitch = product_.n;
      operands.epilogue = epilogue.at(i * product_.m, 0);
      plan_.run_chunk(operands, chunk % plan_.chunks(), context.scratch(worker));
    });
  }

  size_t scratch_bytes() const override { return scratch_bytes_; }
  bool reads(int input) const override { return input != 1 || !packed_; }
  std::string describe() const override {
    return str("GEMM ", kernels_.tile_rows, "x", kernels_.panel_columns, packed_ ? "" : ", packing B");
  }

 private:
  int64_t row_stride() const { return product_.transpose_a ? 1 : product_.k; }
  int64_t depth_stride() const { return product_.transpose_a ? product_.m : 1; }
  /// The addend is used as it lies.
  bool direct(const Addend& addend) const { return addend.columns == product_.n && addend.beta == 1; }

  GemmWeights weights(const float* b, int64_t matrix) const {
    GemmWeights result;
    result.data = b + matrix * product_.k * product_.n;
    result.depth = product_.k;
    result.columns = product_.n;
    result.depth_stride = product_.transpose_b ? 1 : product_.n;
    result.column_stride = product_.transpose_b ? product_.k : 1;
    result.scale = product_.alpha;
    return result;
  }

  PackedForm form() const {
    return {"gemm", {kernels_.panel_columns, product_.transpose_b, std::bit_cast<int32_t>(product_.alpha)}};
  }

  Tensor packed(const Tensor& b, const CompileInput& in) const {
    Tensor result = in.packed_memory(DType::kFloat32, Shape{product_.b_count, packed_floats_});
    for (int64_t i = 0; i < product_.b_count; ++i) {
      pack_weights(weights(b.data<float>(), i), kernels_.panel_columns, result.data<float>() + i * packed_floats_,
                   &in.executor());
    }
    return result;
  }

  const float* pack_in_scratch(KernelContext& context) const {
    const float* b = context.input(1).data<float>();
    auto* packed = reinterpret_cast<float*>(context.scratch() + packed_offset_);
    const int64_t panels = ceil_div(product_.n, kernels_.panel_columns);
    const int64_t panel_size = product_.k * kernels_.panel_columns;
    context.executor().parallel_for(product_.b_count * panels, [&](int64_t chunk, int) {
      const int64_t i = chunk / panels;
      pack_panel(weights(b, i), kernels_.panel_columns, chunk % panels, packed + chunk * panel_size);
    });
    return packed;
  }

  Epilogue bind_addends(KernelContext& context) const {
    Epilogue epilogue = activation_;
    for (const Addend& addend : addends_) {
      const float* values = context.input(addend.input).data<float>();
      if (!direct(addend)) values = expand(addend, values, context);
      if (addend.rows == 1) {
        epilogue.bias = values;
      } else {
        epilogue.residual = values;
        epilogue.residual_pitch = product_.n;
      }
    }
    return epilogue;
  }

  const float* expand(const Addend& addend, const float* values, KernelContext& context) const {
    auto* expanded = reinterpret_cast<float*>(context.scratch() + addend_offset_);
    for (int64_t i = 0; i < addend.rows; ++i) {
      for (int64_t j = 0; j < product_.n; ++j) {
        expanded[i * product_.n + j] = addend.beta * values[i * addend.columns + (addend.columns == 1 ? 0 : j)];
      }
    }
    return expanded;
  }

  MatrixProduct product_;
  std::vector<Addend> addends_;
  Epilogue activation_;
  GemmKernels kernels_;
  GemmPlan plan_;
  int64_t packed_floats_ = 0;  // of one matrix
  Tensor packed_;
  size_t packed_offset_ = 0;
  size_t addend_offset_ = 0;
  size_t scratch_bytes_ = 0;
};

}  // namespace

KernelPtr make_float_product(const MatrixProduct& product, const std::vector<Addend>& addends,
                             const Epilogue& activation, const CompileInput& in) {
  return std::make_unique<FloatProduct>(product, addends, activation, in);
}

}  // namespace linnet
