#include "kernels/number_reduce.h"

#include "kernels/by_number.h"

namespace linnet {

const NumberExtremes* NumberReduceKernels::extremes(DType dtype) const { return by_number(*this, dtype); }

}  // namespace linnet
