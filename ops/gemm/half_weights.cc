#include "gemm/half_weights.h"

#include <algorithm>
#include <array>

#include "infer/infer.h"
#include "kernels/convert.h"
#include "partition/parallel.h"

namespace linnet {

void require_weights(const Fact& w, const std::string& what) {
  static constexpr std::array kTypes{DType::kFloat32, DType::kFloat16, DType::kBFloat16};
  require_dtype_in(w, kTypes, what);
}

void require_constant_halves(const CompileInput& in, int input, const std::string& what) {
  if (is_half(in.dtype(input)) && !in.constant(input)) {
    throw Error(ErrorKind::kUnsupported, what + " of 16 bits must be constant");
  }
}

Tensor float_weights(const Tensor& w, const CompileInput& in) {
  if (w.dtype() == DType::kFloat32) return w;
  const ConvertKernels& kernels = kernels_for<ConvertKernels>(in.isa());
  Tensor result(DType::kFloat32, w.shape());
  parallel_items(in.executor(), w.size(), 1, [&](int64_t begin, int64_t end, int) {
    float* to = result.data<float>() + begin;
    if (w.dtype() == DType::kFloat16) {
      kernels.float_of_half(w.data<Half>() + begin, to, end - begin);
    } else {
      kernels.float_of_bfloat16(w.data<BFloat16>() + begin, to, end - begin);
    }
  });
  return result;
}

}  // namespace linnet
