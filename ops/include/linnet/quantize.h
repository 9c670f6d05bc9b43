#pragma once

#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "linnet/model.h"

namespace linnet {

/// How to quantise the products of a model: Conv, MatMul and Gemm with constant float32 weights.
enum class QuantizeMode {
  /// QuantizeLinear and DequantizeLinear around each product (QDQ): uint8 activations on grids that calibration
  /// determines, int8 weights, int32 biases.
  kStatic,
  /// DynamicQuantizeLinear, MatMulInteger or ConvInteger, Cast, Mul: uint8 activations on a grid determined in each
  /// run, int8 weights.
  kDynamic,
  /// MatMulNBits of com.microsoft: MatMul and Gemm with 4-bit weights in blocks of a column, float32 activations.
  kInt4,
};

/// How calibration derives the range of a value's grid from the values that it observes. All ranges include 0; values
/// that equal 0 do not count.
enum class CalibrationMethod {
  kMinMax,      ///< from the least to the largest value
  kPercentile,  ///< without the outermost values, half of them on each side
  /// Up to the magnitude where the distribution of clipped and rounded values is closest to that of all (relative
  /// entropy). Source: S. Migacz, "8-bit Inference with TensorRT", GTC 2017.
  kEntropy,
};

/// The options of quantize().
struct QuantizeOptions {
  QuantizeMode mode = QuantizeMode::kStatic;
  CalibrationMethod method = CalibrationMethod::kMinMax;  ///< for kStatic
  double percentile = 99.99;                              ///< the share of values, in percent, that kPercentile keeps
  bool per_channel = false;  ///< one scale of int8 weights for each output channel, not one for all
  /// Restricts int8 weights to 7 bits (magnitude at most 64). This costs accuracy, but runs faster on x86 processors
  /// without VNNI, and keeps ONNX Runtime's sums from saturating there.
  bool reduce_range = false;
  int64_t block_size = 32;  ///< for kInt4: a power of two, at least 16
  /// Names of nodes that stay in floats; an unnamed node is named by its output.
  std::set<std::string> exclude{};
  /// Nodes with a signal-to-noise ratio below this, in dB, also stay in floats.
  double least_snr_db = -std::numeric_limits<double>::infinity();
};

/// A node that could be quantised.
struct QuantizedLayer {
  std::string node, op_type;  ///< its name, or that of its output if it has no name; its operator
  /// The signal-to-noise ratio of the node's output over all samples, given the inputs of the float model: 10 log10 of
  /// the sum of squares over the sum of squared errors. Infinite without errors, NaN without samples.
  double snr_db = std::numeric_limits<double>::quiet_NaN();
  bool quantized = true;  ///< false where QuantizeOptions::exclude or least_snr_db leaves it in floats
};

/// What quantize() returns.
struct QuantizedModel {
  Model model;                         ///< of standard operators, not optimised: for save_onnx()
  std::vector<QuantizedLayer> layers;  ///< in the order of the graph
  std::vector<double> output_snr_db;   ///< signal-to-noise ratio of each output, in dB; NaN if not float32
};

/// Quantises a float model, which must have been loaded with ModelOptions::optimization 0. `samples` are the inputs of
/// runs, each in the order of Model::inputs(). kStatic needs them for its ranges, all modes for the signal-to-noise
/// ratios. Folds BatchNormalization into the Conv before it, and zero padding into the Conv after it. Bodies of If,
/// Loop and Scan stay unchanged.
/// Throws
/// - Error(kModel) if nothing can be quantised, the model is quantised already, a name in `exclude` is unknown, or
///   samples are missing or make a value infinite or NaN;
/// - Error(kUnsupported) for a model that was rewritten, operators that mean something else in the opset that the mode
///   needs, and a block size that MatMulNBits does not support;
/// - whatever runs throw for the samples.
LINNET_API QuantizedModel quantize(const Model& model, std::span<const std::vector<Tensor>> samples,
                                   const QuantizeOptions& options = {});

}  // namespace linnet
