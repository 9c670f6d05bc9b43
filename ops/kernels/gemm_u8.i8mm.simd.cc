#include "kernels/gemm_u8_fours.h"
