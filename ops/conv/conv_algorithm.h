#pragma once

#include <memory>
#include <string>

#include "conv/conv_geometry.h"
#include "conv/winograd_tiles.h"
#include "kernels/epilogue.h"
#include "linnet/op.h"

namespace linnet {

/// The number of floats in a cache line.
inline constexpr int64_t kLineFloats = 16;

/// The operands of a convolution. x and y are channels-last, unless the algorithm takes or gives channels-first data. w
/// is laid out as in ONNX, residual like y. bias, residual and slope (of a PRelu, one per channel) may be null.
template <class T>
struct ConvOperands {
  const T* x = nullptr;
  const T* w = nullptr;
  const T* bias = nullptr;
  const T* residual = nullptr;
  const T* slope = nullptr;
  T* y = nullptr;

  /// Returns the epilogue bound to these operands; it begins at the first pixel and channel.
  BasicEpilogue<T> bind(BasicEpilogue<T> epilogue, int64_t out_channels) const {
    epilogue.bias = bias;
    epilogue.residual = residual;
    epilogue.residual_pitch = out_channels;
    epilogue.slope = slope;
    return epilogue;
  }
};

/// One way of computing a convolution of given sizes. Data is channels-last unless the algorithm specifies otherwise.
template <class T>
class ConvAlgorithm {
 public:
  virtual ~ConvAlgorithm() = default;
  /// Uses scratch_bytes() of the context's scratch, from its beginning.
  virtual void run(const ConvOperands<T>& operands, KernelContext& context) const = 0;
  virtual size_t scratch_bytes() const = 0;
  virtual bool takes_channels_first() const { return false; }
  virtual bool gives_channels_first() const { return false; }
  /// Whether y may be written over the residual.
  virtual bool writes_over_residual() const { return false; }
  virtual std::string describe() const = 0;
};

template <class T>
using ConvAlgorithmPtr = std::unique_ptr<const ConvAlgorithm<T>>;
using ConvF32Ptr = ConvAlgorithmPtr<float>;

/// Any convolution, as a matrix product over its windows. Constant weights (input 1) are packed now.
template <class T>
ConvAlgorithmPtr<T> make_gemm_conv(const ConvGeometry& geometry, const BasicEpilogue<T>& epilogue,
                                   const CompileInput& in);
/// A convolution whose groups have so few channels that all of them are computed for one tile of windows at a time.
ConvF32Ptr make_grouped_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);
/// A convolution with group == in_channels == out_channels.
ConvF32Ptr make_depthwise_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);
/// Returns the weights of a depthwise convolution in the layout that its kernels read: [taps, channels].
Tensor packed_depthwise_weights(const Tensor& w, const ConvGeometry& geometry, const CompileInput& in);
/// A transposed convolution (see transpose_phases). Its weights are [in channels, out channels / group, kernel...].
template <class T>
ConvAlgorithmPtr<T> make_transpose_gemm(const ConvGeometry& geometry, const CompileInput& in);
/// Returns the reason why Winograd's algorithm cannot compute a convolution, or an empty string where it can. The
/// algorithm needs constant weights.
std::string winograd_obstacle(const ConvGeometry& geometry, const CompileInput& in);
/// Winograd's algorithm with the given tile, which has several outputs along each axis on which windows have several
/// taps.
ConvF32Ptr make_winograd_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const WinogradTile& tile,
                              const CompileInput& in);
/// Describes the tile and the number of parts in words.
std::string describe_winograd(const WinogradTiles& tiles);

/// Whether make_line_conv() is the fastest: the convolution has few input channels and meets its other conditions.
bool suits_line_conv(const ConvGeometry& geometry, const CompileInput& in);
/// Computes rows of outputs from lines of single channels. channels_first: whether x is channels-first.
ConvF32Ptr make_line_conv(const ConvGeometry& geometry, bool channels_first, const Epilogue& epilogue,
                          const CompileInput& in);

/// The longest sum for which copying windows costs less than transposing outputs, and the fewest pixels that pay for
/// it.
inline constexpr int64_t kMostPlaneDepth = 64, kLeastPlanePixels = 256;
/// The fewest pixels that fill vectors, where windows are single pixels, which are not copied.
inline constexpr int64_t kLeastPointwisePixels = 160;
/// Whether the weights [columns, depth] of single pixels are float32, or so few that it pays to widen them: fewer than
/// the elements of an image of x and y, which would be transposed otherwise.
inline bool pays_to_widen(DType weights, int64_t depth, int64_t columns, int64_t pixels) {
  return weights == DType::kFloat32 || double(depth) * double(columns) <= double(depth + columns) * double(pixels);
}
/// Whether make_plane_conv() is the fastest where x and y are channels-first: sums are short, or windows are single
/// pixels.
bool suits_plane_conv(const ConvGeometry& geometry, const CompileInput& in);
/// Multiplies the weights by the windows of blocks of pixels. x and y are channels-first.
ConvF32Ptr make_plane_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);

/// The fewest pixels of an output row for which computing planes costs less than transposing them.
inline constexpr int64_t kLeastPlaneWidth = 24;
/// Whether make_plane_depthwise() is the fastest where x and y are channels-first: groups have one input channel, and
/// rows fill vectors.
bool suits_plane_depthwise(const ConvGeometry& geometry, const CompileInput& in);
/// Computes each output channel from the plane of one input channel. x and y are channels-first.
ConvF32Ptr make_plane_depthwise(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);

template <class T>
struct ConvChoice {
  ConvAlgorithmPtr<T> algorithm;
  std::string reason;
};
/// Chooses the fastest ordinary algorithm by a cost model and returns it with the reason. layout: of x and y, which the
/// algorithm itself need not support.
ConvChoice<float> choose_conv(const ConvGeometry& geometry, const ConvLayout& layout, const Epilogue& epilogue,
                              const CompileInput& in);

}  // namespace linnet
