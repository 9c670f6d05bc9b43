#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet::testing {

/// Numbers whose last one is followed by a page that cannot be accessed: a read or write past the end crashes. Filled
/// with values of N(0, 1), integers with ones of [-255, 255] or their lowest bits, the same for the same seed.
template <class T>
class Guarded {
 public:
  explicit Guarded(int64_t count, unsigned seed = 0);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](int64_t i) { return data_[i]; }
  T operator[](int64_t i) const { return data_[i]; }
  int64_t size() const { return count_; }

 private:
  int64_t count_;
  size_t bytes_;
  void* pages_;
  T* data_;
};

using GuardedFloats = Guarded<float>;

}  // namespace linnet::testing
