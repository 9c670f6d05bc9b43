#include "support/guarded_floats.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <random>

#include "linnet/half.h"

namespace linnet::testing {
namespace {

/// Differences of two bytes.
struct Differences : std::uniform_int_distribution<int> {
  Differences() : std::uniform_int_distribution<int>(-255, 255) {}
};

}  // namespace

template <class T>
Guarded<T>::Guarded(int64_t count, unsigned seed) : count_(count) {
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  const size_t used = (size_t(count) * sizeof(T) + page - 1) / page * page;
  bytes_ = used + page;
  pages_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::bad_alloc();
  auto* end = static_cast<char*>(pages_) + used;
  mprotect(end, page, PROT_NONE);
  data_ = reinterpret_cast<T*>(end) - count;
  std::mt19937 engine(seed);
  using Normal = std::normal_distribution<std::conditional_t<std::is_same_v<T, BFloat16>, float, T>>;
  std::conditional_t<std::is_integral_v<T>, Differences, Normal> values;
  for (int64_t i = 0; i < count; ++i) data_[i] = T(values(engine));
}

template <class T>
Guarded<T>::~Guarded() {
  munmap(pages_, bytes_);
}

template class Guarded<float>;
template class Guarded<double>;
template class Guarded<uint8_t>;
template class Guarded<uint16_t>;
template class Guarded<uint32_t>;
template class Guarded<uint64_t>;
template class Guarded<int8_t>;
template class Guarded<int16_t>;
template class Guarded<int32_t>;
template class Guarded<int64_t>;
template class Guarded<BFloat16>;

}  // namespace linnet::testing
