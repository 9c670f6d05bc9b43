#include "support/guarded_floats.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <random>

namespace linnet::testing {

GuardedFloats::GuardedFloats(int64_t count, unsigned seed) : count_(count) {
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  const size_t used = (size_t(count) * sizeof(float) + page - 1) / page * page;
  bytes_ = used + page;
  pages_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages_ == MAP_FAILED) throw std::bad_alloc();
  auto* end = static_cast<char*>(pages_) + used;
  mprotect(end, page, PROT_NONE);
  data_ = reinterpret_cast<float*>(end) - count;
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::generate_n(data_, count, [&] { return normal(engine); });
}

GuardedFloats::~GuardedFloats() { munmap(pages_, bytes_); }

}  // namespace linnet::testing
