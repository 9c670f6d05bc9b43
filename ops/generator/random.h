#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "linnet/op.h"

// Random numbers that depend only on a seed, the number of the run in its context and the element, not on threads or
// platform (normal ones up to the log and cos of the instruction set).
namespace linnet {

/// The numbers of one run.
struct RandomStream {
  uint64_t seed = 0;
  uint64_t run = 0;

  /// Two independent numbers in [0, 1) for element i, of 53 bits each: Philox4x32-10 with the seed as key and (i, run)
  /// as counter.
  /// Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011),
  /// https://doi.org/10.1145/2063384.2063405
  std::array<double, 2> uniform_pair(uint64_t i) const;
  double uniform(uint64_t i) const { return uniform_pair(i)[0]; }
};

/// A random operator's `seed` attribute; without it, the context provides the seed (ContextOptions::seed).
std::optional<float> seed_attribute(const NodeSpec& node);

/// A kernel that uses a new stream in every run.
class RandomKernel : public Kernel {
 public:
  explicit RandomKernel(std::optional<float> seed) : seed_(seed) {}

  void run(KernelContext& context) const final;
  std::unique_ptr<KernelState> make_state() const final;

 private:
  virtual void fill(KernelContext& context, const RandomStream& stream) const = 0;

  std::optional<float> seed_;
};

}  // namespace linnet
