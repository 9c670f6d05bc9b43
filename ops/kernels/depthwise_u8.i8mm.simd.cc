#include "kernels/depthwise_u8_fours.h"
