#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "linnet/tensor.h"
#include "tensor/checksum.h"

namespace linnet {

/// Constants that plans make from weights (converted, transposed, folded): plans of a model that make the same have one
/// together, so that what is packed of it is shared, too. Each lives as long as somebody holds it. Thread-safe.
class SharedConstants {
 public:
  /// A tensor of the same contents that was given before and still lives, else the one given. Small ones, strings,
  /// containers and what lies in a file are not shared.
  Tensor share(const Tensor& constant);

 private:
  std::mutex mutex_;
  std::multimap<Checksum, std::weak_ptr<Tensor>> constants_;
};

}  // namespace linnet
