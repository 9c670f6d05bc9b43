#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet::testing {

/// Floats whose last one is followed by a page that cannot be accessed: a read or write past the end crashes.
/// Filled with values of N(0, 1), the same for the same seed.
class GuardedFloats {
 public:
  explicit GuardedFloats(int64_t count, unsigned seed = 0);
  ~GuardedFloats();
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;

  float* data() { return data_; }
  const float* data() const { return data_; }
  float& operator[](int64_t i) { return data_[i]; }
  float operator[](int64_t i) const { return data_[i]; }
  int64_t size() const { return count_; }

 private:
  int64_t count_;
  size_t bytes_;
  void* pages_;
  float* data_;
};

}  // namespace linnet::testing
