#include <ATen/ATen.h>

bool use_torch() { return at::matmul(at::ones({64, 64}), at::ones({64, 64})).sum().item<float>() == 64 * 64 * 64; }
