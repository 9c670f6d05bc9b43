#include "kernels/binary.h"

#include "kernels/before_aligned.h"
#include "kernels/power.h"
#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

enum class Form { kVectorVector, kVectorScalar, kScalarVector };

template <Form kForm, F32 (*kFunction)(F32, F32)>
void map(const float* a, const float* b, float* y, int64_t n) {
  if (n == 0) return;
  // The operands are read before y is written, which may be the same memory.
  const F32 a0(*a), b0(*b);
  const auto map_part = [&](int64_t i, int64_t count) {
    const F32 u = kForm == Form::kScalarVector ? a0 : load_part(a + i, count);
    const F32 v = kForm == Form::kVectorScalar ? b0 : load_part(b + i, count);
    store_part(y + i, kFunction(u, v), count);
  };
  int64_t i = before_aligned(y, n);
  if (i > 0) map_part(0, i);
  for (; i + kLanes <= n; i += kLanes) {
    const F32 u = kForm == Form::kScalarVector ? a0 : load(a + i);
    const F32 v = kForm == Form::kVectorScalar ? b0 : load(b + i);
    store(y + i, kFunction(u, v));
  }
  if (i < n) map_part(i, n - i);
}

template <F32 (*kFunction)(F32, F32)>
constexpr BinaryForms kForms{map<Form::kVectorVector, kFunction>, map<Form::kVectorScalar, kFunction>,
                             map<Form::kScalarVector, kFunction>};

template <Form kForm>
void power(const float* a, const float* b, float* y, int64_t n) {
  if (n == 0) return;
  float repeated[kPowerBlock];
  for (float& value : repeated) value = kForm == Form::kScalarVector ? *a : *b;
  for (int64_t i = 0; i < n; i += kPowerBlock) {
    power_block(kForm == Form::kScalarVector ? repeated : a + i, kForm == Form::kVectorScalar ? repeated : b + i, y + i,
                n - i < kPowerBlock ? int(n - i) : kPowerBlock);
  }
}

inline F32 add(F32 a, F32 b) { return a + b; }
inline F32 sub(F32 a, F32 b) { return a - b; }
inline F32 mul(F32 a, F32 b) { return a * b; }
inline F32 div(F32 a, F32 b) { return a / b; }

}  // namespace

void fill(BinaryKernels& k);

void fill(BinaryKernels& k) {
  k.add = kForms<add>;
  k.sub = kForms<sub>;
  k.mul = kForms<mul>;
  k.div = kForms<div>;
  k.max = kForms<max_nan>;
  k.min = kForms<min_nan>;
  k.prelu = kForms<prelu>;
  k.pow = {power<Form::kVectorVector>, power<Form::kVectorScalar>, power<Form::kScalarVector>};
}

}  // namespace linnet::LINNET_SIMD_NS
