#pragma once

#include <memory>
#include <string>

#include "conv/conv_geometry.h"
#include "kernels/epilogue.h"
#include "linnet/op.h"

namespace linnet {

/// The operands of a float32 convolution: y channels-last, x as well unless the algorithm takes channels-first, w as in
/// ONNX, residual like y. bias, residual and slope (of a PRelu, per channel) may be null.
struct ConvOperands {
  const float* x = nullptr;
  const float* w = nullptr;
  const float* bias = nullptr;
  const float* residual = nullptr;
  const float* slope = nullptr;
  float* y = nullptr;
};

/// One way of computing a float32 convolution of given sizes on channels-last data.
class ConvAlgorithm {
 public:
  virtual ~ConvAlgorithm() = default;
  /// Uses scratch_bytes() of the context's scratch, from its beginning.
  virtual void run(const ConvOperands& operands, KernelContext& context) const = 0;
  virtual size_t scratch_bytes() const = 0;
  virtual bool takes_channels_first() const { return false; }
  virtual std::string describe() const = 0;
};

using ConvAlgorithmPtr = std::unique_ptr<const ConvAlgorithm>;

/// Any convolution, as a matrix product over its windows. Weights that are constant (input 1) are packed now.
ConvAlgorithmPtr make_gemm_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);
/// Groups of so few channels that all of them are computed for a tile of windows at a time.
ConvAlgorithmPtr make_grouped_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);
/// group == in_channels == out_channels.
ConvAlgorithmPtr make_depthwise_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);
/// The weights of a depthwise convolution as its kernels take them: [taps, channels].
Tensor packed_depthwise_weights(const Tensor& w, const ConvGeometry& geometry, const CompileInput& in);
/// A transposed convolution (see transpose_phases): weights [in channels, out channels / group, kernel...].
ConvAlgorithmPtr make_transpose_gemm(const ConvGeometry& geometry, const CompileInput& in);
/// Why a convolution cannot be computed by Winograd's algorithm, which is for constant 3x3 windows of stride 1 in one
/// group; empty where it can.
std::string winograd_obstacle(const ConvGeometry& geometry, const CompileInput& in);
/// Winograd's algorithm with tiles of `outputs` (2, 3 or 4) a side.
ConvAlgorithmPtr make_winograd_conv(const ConvGeometry& geometry, const Epilogue& epilogue, int outputs,
                                    const CompileInput& in);

/// Whether a convolution has so few input channels, and what else it takes, that make_line_conv() is the fastest.
bool suits_line_conv(const ConvGeometry& geometry, const CompileInput& in);
/// Computes rows from lines of single channels. channels_first: how x is laid out.
ConvAlgorithmPtr make_line_conv(const ConvGeometry& geometry, bool channels_first, const Epilogue& epilogue,
                                const CompileInput& in);

struct ConvChoice {
  ConvAlgorithmPtr algorithm;
  std::string reason;
};
/// The fastest of the ordinary ones by a cost model, and why. x_channels_first: how x is laid out; the algorithm need
/// not take it so.
ConvChoice choose_conv(const ConvGeometry& geometry, bool x_channels_first, const Epilogue& epilogue,
                       const CompileInput& in);

}  // namespace linnet
