#include "quantizer/signal_to_noise.h"

#include <cmath>
#include <limits>

namespace linnet {

void SignalToNoise::add(const Tensor& wanted, const Tensor& got) {
  const float* x = wanted.data<float>();
  const float* y = got.data<float>();
  for (int64_t i = 0; i < wanted.size(); ++i) {
    const double difference = double(y[i]) - double(x[i]);
    signal_ += double(x[i]) * double(x[i]);
    noise_ += difference * difference;
  }
  empty_ = false;
}

double SignalToNoise::db() const {
  if (empty_) return std::numeric_limits<double>::quiet_NaN();
  return noise_ == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal_ / noise_);
}

}  // namespace linnet
