#pragma once

#include <memory>
#include <string>

#include "conv/conv_geometry.h"
#include "conv/winograd_tiles.h"
#include "kernels/epilogue.h"
#include "linnet/op.h"

namespace linnet {

/// Of a line of the cache.
inline constexpr int64_t kLineFloats = 16;

/// The operands of a convolution: x and y channels-last unless the algorithm takes or gives channels-first, w as in
/// ONNX, residual like y. bias, residual and slope (of a PRelu, per channel) may be null.
template <class T>
struct ConvOperands {
  const T* x = nullptr;
  const T* w = nullptr;
  const T* bias = nullptr;
  const T* residual = nullptr;
  const T* slope = nullptr;
  T* y = nullptr;

  /// An epilogue with these operands, which begins at the first pixel and channel.
  BasicEpilogue<T> bind(BasicEpilogue<T> epilogue, int64_t out_channels) const {
    epilogue.bias = bias;
    epilogue.residual = residual;
    epilogue.residual_pitch = out_channels;
    epilogue.slope = slope;
    return epilogue;
  }
};

/// One way of computing a convolution of given sizes, on channels-last data unless it says otherwise.
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

/// Any convolution, as a matrix product over its windows. Weights that are constant (input 1) are packed now.
template <class T>
ConvAlgorithmPtr<T> make_gemm_conv(const ConvGeometry& geometry, const BasicEpilogue<T>& epilogue,
                                   const CompileInput& in);
/// Groups of so few channels that all of them are computed for a tile of windows at a time.
ConvF32Ptr make_grouped_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);
/// group == in_channels == out_channels.
ConvF32Ptr make_depthwise_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);
/// The weights of a depthwise convolution as its kernels take them: [taps, channels].
Tensor packed_depthwise_weights(const Tensor& w, const ConvGeometry& geometry, const CompileInput& in);
/// A transposed convolution (see transpose_phases): weights [in channels, out channels / group, kernel...].
template <class T>
ConvAlgorithmPtr<T> make_transpose_gemm(const ConvGeometry& geometry, const CompileInput& in);
/// Why a convolution cannot be computed by Winograd's algorithm, which is for constant windows in one group; empty
/// where it can.
std::string winograd_obstacle(const ConvGeometry& geometry, const CompileInput& in);
/// Winograd's algorithm with such tiles, of several outputs along the axes along which windows have several taps.
ConvF32Ptr make_winograd_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const WinogradTile& tile,
                              const CompileInput& in);
/// The filtering and its parts, in words.
std::string describe_winograd(const WinogradTiles& tiles);

/// Whether a convolution has so few input channels, and what else it takes, that make_line_conv() is the fastest.
bool suits_line_conv(const ConvGeometry& geometry, const CompileInput& in);
/// Computes rows from lines of single channels. channels_first: how x is laid out.
ConvF32Ptr make_line_conv(const ConvGeometry& geometry, bool channels_first, const Epilogue& epilogue,
                          const CompileInput& in);

/// The longest sum whose windows cost less to copy than outputs to transpose, and the fewest pixels that pay for it.
inline constexpr int64_t kMostPlaneDepth = 64, kLeastPlanePixels = 256;
/// Whether sums are so short that make_plane_conv() is the fastest where x and y are channels-first.
bool suits_plane_conv(const ConvGeometry& geometry, const CompileInput& in);
/// Multiplies the weights by the windows of blocks of pixels; takes and gives channels-first.
ConvF32Ptr make_plane_conv(const ConvGeometry& geometry, const Epilogue& epilogue, const CompileInput& in);

template <class T>
struct ConvChoice {
  ConvAlgorithmPtr<T> algorithm;
  std::string reason;
};
/// The fastest of the ordinary ones by a cost model, and why. layout: of x and y, for which an algorithm need not be.
ConvChoice<float> choose_conv(const ConvGeometry& geometry, const ConvLayout& layout, const Epilogue& epilogue,
                              const CompileInput& in);

}  // namespace linnet
