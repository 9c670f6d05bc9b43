#include "rnn/input_product.h"

namespace linnet {

template <class C>
InputProduct<C>::InputProduct(const GemmKernels<Type>& kernels, int64_t m, int64_t n, int64_t k)
    : n_(n),
      k_(k),
      plan_(kernels, {.rows = m, .columns = n, .depth = k, .row_scratch_bytes = MatrixRows<C>::scratch_bytes(k, k)}) {}

template <class C>
void InputProduct<C>::pack(const C* w, C* packed) const {
  const GemmWeights<C> weights{.data = w, .depth = k_, .columns = n_, .depth_stride = 1, .column_stride = k_};
  pack_weights(weights, plan_.panels(), packed);
}

template <class C>
void InputProduct<C>::run(KernelContext& context, const C* x, const C* packed, const C* bias, C* y,
                          int64_t y_pitch) const {
  const MatrixRows<C> rows(x, k_);
  plan_.run({.a = &rows, .b = packed, .y = y, .y_pitch = y_pitch, .epilogue = {.bias = bias}}, context);
}

template <class C>
void InputProduct<C>::run_alone(std::byte* scratch, const C* x, const C* packed, const C* bias, C* y,
                                int64_t y_pitch) const {
  const MatrixRows<C> rows(x, k_);
  const GemmOperands<Type> operands{.a = &rows, .b = packed, .y = y, .y_pitch = y_pitch, .epilogue = {.bias = bias}};
  for (int64_t chunk = 0; chunk < plan_.chunks(); ++chunk) plan_.run_chunk(operands, chunk, scratch);
}

template class InputProduct<float>;
template class InputProduct<double>;

}  // namespace linnet
