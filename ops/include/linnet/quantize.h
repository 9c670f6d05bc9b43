#pragma once

#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "linnet/model.h"

namespace linnet {

/// What becomes of the products of a model: Conv, MatMul and Gemm with constant float32 weights.
enum class QuantizeMode {
  /// QuantizeLinear and DequantizeLinear around them (QDQ): uint8 activations on grids that calibration finds, int8
  /// weights, int32 biases.
  kStatic,
  /// DynamicQuantizeLinear, MatMulInteger or ConvInteger, Cast, Mul: uint8 activations on a grid of each run's own,
  /// int8 weights.
  kDynamic,
  /// MatMulNBits of com.microsoft: MatMul and Gemm with 4-bit weights in blocks of a column, float32 activations.
  kInt4,
};

/// How the range of a value's grid follows from what calibration saw of it. All ranges hold 0, and values that are 0
/// do not count.
enum class CalibrationMethod {
  kMinMax,      ///< from the least to the largest value
  kPercentile,  ///< without the outermost values, half of them on each side
  /// Up to the magnitude where the distribution of clipped and rounded values is closest to that of all (relative
  /// entropy). Source: S. Migacz, "8-bit Inference with TensorRT", GTC 2017.
  kEntropy,
};

struct QuantizeOptions {
  QuantizeMode mode = QuantizeMode::kStatic;
  CalibrationMethod method = CalibrationMethod::kMinMax;
  double percentile = 99.99;  ///< the share of values, in percent, that kPercentile keeps
  bool per_channel = false;   ///< one scale of int8 weights for each output channel, not one for all
  /// int8 weights of 7 bits, at most 64: they cost accuracy, and run faster on x86 processors without VNNI, where ONNX
  /// Runtime's sums saturate otherwise.
  bool reduce_range = false;
  int64_t block_size = 32;  ///< of kInt4: a power of two from 16 on
  /// Nodes that stay in floats, by name; a node without one goes by the name of its output.
  std::set<std::string> exclude{};
  /// Nodes with a lower signal-to-noise ratio than this, in dB, stay in floats, too.
  double least_snr_db = -std::numeric_limits<double>::infinity();
};

/// A node that could be quantised.
struct QuantizedLayer {
  std::string node, op_type;
  /// Of the node's output over the samples, its inputs being those of the float model: 10 log10 of the sum of squares
  /// over that of the errors. Infinite without errors, NaN without samples.
  double snr_db = std::numeric_limits<double>::quiet_NaN();
  bool quantized = true;  ///< false where QuantizeOptions::exclude or least_snr_db leaves it in floats
};

struct QuantizedModel {
  Model model;  ///< of standard operators, as written: for save_onnx()
  std::vector<QuantizedLayer> layers;
  std::vector<double> output_snr_db;  ///< of each output against the float model's; NaN where it is no float32
};

/// A quantised form of a float model, which must have been loaded with ModelOptions::optimization 0. `samples`: inputs
/// of runs, each in the order of Model::inputs(), which kStatic needs for its ranges and all modes for the ratios of
/// signal to noise. BatchNormalization is folded into the Conv before it, zero padding into the Conv behind; bodies of
/// If, Loop and Scan stay as they are. Throws Error(kModel) where nothing can be quantised, the model is quantised
/// already, a name of `exclude` is unknown, samples are missing or make a value infinite or NaN; Error(kUnsupported)
/// for a model that was rewritten, operators that mean something else in the opset that the mode needs, and a block
/// size that MatMulNBits does not take; what runs throw for the samples.
LINNET_API QuantizedModel quantize(const Model& model, std::span<const std::vector<Tensor>> samples,
                                   const QuantizeOptions& options = {});

}  // namespace linnet
