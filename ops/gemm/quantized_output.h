#pragma once

#include "gemm/fused_activation.h"
#include "kernels/requantize.h"
#include "linnet/op.h"
#include "partition/parts.h"

namespace linnet {

/// The inputs of products of quantised tensors in the internal domain:
/// - Scales and zero points have one element; w_scale may have one for each output channel.
/// - Without y_scale and y_zero the output is float32.
/// - B is int32 in units of x_scale * w_scale, or float32.
/// - A residual of the output's shape is added. If grid_scale and grid_zero are given, the product is first rounded to
///   a value that uint8 with that scale and zero point can represent.
/// - w_zero, the zero points of w in its dtype, may be given: one, or one for each output channel.
struct QuantizedInputs {
  enum {
    kX,
    kXScale,
    kXZero,
    kW,
    kWScale,
    kYScale,
    kYZero,
    kBias,
    kResidual,
    kResidualScale,
    kResidualZero,
    kGridScale,
    kGridZero,
    kWZero,
    kCount
  };
};

/// Checks all inputs but the shapes of x and w. channels: of the output. weights: the dtypes that w may have. Throws
/// Error(kType) or Error(kShape).
void check_quantized_inputs(std::span<const Fact> in, const Dim& channels, std::span<const DType> weights);
/// Checks that a residual is compatible with y.
void check_quantized_residual(std::span<const Fact> in, const Fact& y);
/// Returns uint8, or float32 without y_scale.
DType quantized_output_dtype(std::span<const Fact> in);

/// Returns the job for these rows and columns of `job`, a job for all of y. sums: row by row without gaps. The caller
/// sets residual and y.
RequantizeJob job_of_block(RequantizeJob job, const Span& rows, const Span& columns, const int32_t* sums);

/// The transformation of the sums of such a product into its output, as the node's inputs specify it.
class QuantizedOutput {
 public:
  /// The activation must be a clamp or none.
  QuantizedOutput(const CompileInput& in, int64_t channels, const Activation& activation);

  /// The scratch bytes of the first worker that bind() needs; all workers share them.
  size_t scratch_bytes() const;

  /// The output of one run.
  class Bound {
   public:
    /// Stores the sums of these rows and columns. Rows of the output hold all channels.
    void store(const Span& rows, const Span& columns, const int32_t* sums) const;
    /// Sets `to` to their transformation in a kernel that stores bytes. Returns false where such a kernel cannot do it.
    bool to_bytes(const Span& rows, const Span& columns, ByteBlock& to) const;

   private:
    friend class QuantizedOutput;
    RequantizeJob job_;
    const RequantizeKernels* kernels_;
    int64_t channels_;
    std::byte* y_;
    bool bytes_;
  };
  /// row_sums: the sums of the rows of x less its zero point, needed where has_w_zero().
  Bound bind(KernelContext& context, std::byte* scratch, const int32_t* row_sums = nullptr) const;
  bool has_w_zero() const { return has_w_zero_; }

  /// Returns the bias in units of the sums, one for each channel, or null where it is absent or float32.
  const int32_t* sum_bias(KernelContext& context) const;

 private:
  void fill_scale(KernelContext& context, float y_scale, float* scale) const;
  void add_residual(KernelContext& context, float y_scale, RequantizeJob& job) const;
  void bound_bytes(int32_t zero, RequantizeJob& job) const;
  bool stays_small(const RequantizeJob& job) const;

  const RequantizeKernels& kernels_;
  int64_t channels_;
  float low_, high_;
  bool bytes_, has_residual_, has_grid_, has_w_zero_, scale_per_channel_;
  DType bias_;
};

/// Stores the products of a QuantizedGemm, each at its rows and columns of the same output.
class QuantizedProducts {
 public:
  /// Product i begins at row i * rows and column i * columns.
  QuantizedProducts(const QuantizedOutput::Bound& output, int64_t rows, int64_t columns)
      : output_(output), rows_(rows), columns_(columns) {}
  void operator()(int64_t product, const Span& rows, const Span& columns, const int32_t* sums) const {
    output_.store(shifted(rows, product * rows_), shifted(columns, product * columns_), sums);
  }
  bool to_bytes(int64_t product, const Span& rows, const Span& columns, ByteBlock& to) const {
    return output_.to_bytes(shifted(rows, product * rows_), shifted(columns, product * columns_), to);
  }

 private:
  static Span shifted(const Span& span, int64_t by) { return {span.begin + by, span.end + by}; }

  const QuantizedOutput::Bound& output_;
  int64_t rows_, columns_;
};

}  // namespace linnet
