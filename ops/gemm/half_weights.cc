#include "gemm/half_weights.h"

#include <algorithm>

#include "elements/cast_path.h"
#include "infer/infer.h"
#include "partition/parallel.h"

namespace linnet {

void require_weights(const Fact& w, const std::string& what) { require_dtype_in(w, kWeightTypes, what); }

void require_constant_narrow(const CompileInput& in, int input, const std::string& what) {
  if (in.dtype(input) != in.dtype(0) && !in.constant(input)) {
    throw Error(ErrorKind::kUnsupported, str(what, " of ", in.dtype(input), " must be constant"));
  }
}

Tensor float_weights(const Tensor& w, const CompileInput& in) {
  if (w.dtype() == DType::kFloat32) return w;
  const auto path = cast_path(w.dtype(), DType::kFloat32, in.isa()).value();
  const int64_t bytes = dtype_bits(w.dtype()) / 8;
  Tensor result(DType::kFloat32, w.shape());
  parallel_items(in.executor(), w.size(), 1, [&](int64_t begin, int64_t end, int) {
    for (; begin < end; begin += kCastBlock) {
      const auto* from = static_cast<const std::byte*>(w.raw()) + begin * bytes;
      convert_block(path, from, result.data<float>() + begin, std::min(kCastBlock, end - begin));
    }
  });
  return result;
}

}  // namespace linnet
