#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet::testing {

/// Numbers, the last of which is followed by an inaccessible page, so that a read or write past the end crashes. They
/// are filled with random values of N(0, 1), or for integers of [-255, 255] or the lowest bits of these. A seed
/// determines the values.
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
