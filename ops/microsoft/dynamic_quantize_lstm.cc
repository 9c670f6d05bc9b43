#include <array>

#include "gemm/quantized_gemm.h"
#include "microsoft/quantized_tensor.h"
#include "quantization/parameter.h"
#include "registration.h"
#include "rnn/lstm.h"
#include "rnn/quantized_weights.h"

namespace linnet {
namespace {

/// DynamicQuantizeLSTM: LSTM of ONNX with quantised weights. X, and the hidden state of a batch in every step, are
/// quantised to uint8 as by DynamicQuantizeLinear, and multiplied with the weights in exact integer sums.
/// - W: int8/uint8 [directions, input, 4 * hidden], R: int8/uint8 [directions, hidden, 4 * hidden]. Each has a float32
///   scale and a zero point of its dtype, [directions] or [directions, 4 * hidden].
/// - X, B, sequence_lens, initial_h, initial_c, P, Y, Y_h, Y_c and attributes: as for LSTM, in float32
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeLSTM
class DynamicQuantizeLstm final : public LstmOp {
 public:
  using LstmOp::LstmOp;

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, QuantizedLstm::kCount);
    require_dtype(in[kX], DType::kFloat32, "X");
    check_weights(in, kW, QuantizedLstm::kWScale, "W");
    check_weights(in, kR, QuantizedLstm::kRScale, "R");
    std::vector<Fact> floats(in.begin(), in.begin() + QuantizedLstm::kWScale);
    floats[kW] = as_lstm_takes_it(in[kW]);
    floats[kR] = as_lstm_takes_it(in[kR]);
    return LstmOp::infer(floats);
  }

  KernelPtr compile(const CompileInput& in) const override {
    RecurrentSizes s = sizes(in);
    s.hidden = in.shape(kR)[1];
    if (multiplies_bytes(in, kW) && multiplies_bytes(in, kR)) return make<float, QuantizedWeights<GemmU8>>(in, s);
    return make<float, QuantizedWeights<GemmS16>>(in, s);
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }

 private:
  static void check_weights(std::span<const Fact> in, int input, int scale, const std::string& name) {
    const Fact& w = in[size_t(input)];
    require_dtype_in(w, kByteTypes, name);
    require_rank(w, 3, name);
    for (const int i : {scale, scale + 1}) {
      const std::string parameter = name + (i == scale ? "_scale" : "_zero_point");
      if (!has_input(in, i)) throw Error(ErrorKind::kModel, parameter + " is required");
      check_parameter(in[size_t(i)], w, parameter, i == scale ? DType::kFloat32 : w.dtype);
    }
    require_positive(in[size_t(scale)], name + "_scale");
  }

  static void check_parameter(const Fact& parameter, const Fact& w, const std::string& name, DType dtype) {
    require_dtype(parameter, dtype, name);
    if (!parameter.has_rank() || !w.has_rank()) return;
    const Fact each(dtype, Dims{w.dim(0)}), columns(dtype, Dims{w.dim(0), w.dim(2)});
    if (!compatible(each, parameter) && !compatible(columns, parameter)) {
      throw Error(ErrorKind::kShape, str(name, " must be ", each, " or ", columns, ", got ", parameter));
    }
  }

  static Fact as_lstm_takes_it(const Fact& w) {
    if (!w.has_rank()) return {DType::kFloat32, std::nullopt};
    return {DType::kFloat32, Dims{w.dim(0), w.dim(2), w.dim(1)}};
  }
};

}  // namespace

LINNET_REGISTER(dynamic_quantize_lstm)(Registry& registry) {
  registry.add<DynamicQuantizeLstm>("DynamicQuantizeLSTM", {.domain = kMicrosoft});
}

}  // namespace linnet
