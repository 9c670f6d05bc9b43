#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "linnet/op.h"

namespace linnet {

/// Data derived from constants (packed weights), made once and shared by every kernel that asks for the same form.
/// Entries live as long as some kernel holds them.
class PackCache {
 public:
  /// The source in that form; calls make() where there is none yet.
  Tensor get(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make);
  /// Lets go of a source that nobody will ask for again; what was derived from it lives on.
  void forget(const Tensor& source);
  /// Bytes of all living entries.
  int64_t bytes() const;

 private:
  struct Entry {
    Tensor packed, source;  // the source is kept so that its address stays taken, until it is forgotten
  };
  using Key = std::pair<const void*, PackedForm>;
  mutable std::mutex mutex_;
  std::map<Key, std::weak_ptr<Entry>> entries_;
  std::vector<std::weak_ptr<Entry>> forgotten_;
};

}  // namespace linnet
