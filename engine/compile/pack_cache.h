#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "compile/pack_store.h"
#include "linnet/op.h"

namespace linnet {

/// Data derived from constants (packed weights), made once and shared by every kernel that asks for the same form.
/// Entries live as long as some kernel holds them. Thread-safe: who asks for one waits for nobody who makes another.
class PackCache {
 public:
  /// Looks in the store first, and gives it what it lacks. Before the first get().
  void use(std::shared_ptr<PackStore> store) { store_ = std::move(store); }
  /// The source in that form; calls make() where there is none yet.
  Tensor get(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make);
  /// Lets go of a source that nobody will ask for again; what was derived from it lives on.
  void forget(const Tensor& source);
  /// Writes what the store was given. Throws Error(kIo).
  void save();
  /// Bytes of all living entries.
  int64_t bytes() const;

 private:
  struct Entry {
    std::mutex making;  // held while it is made
    Tensor packed;      // none yet where making it failed
    Tensor source;      // kept so that its address stays taken, until it is forgotten
  };
  /// Views of one constant have its address, but may have another shape, which packs otherwise.
  struct Key {
    const void* address;
    DType dtype{};
    std::vector<int64_t> dims{};
    PackedForm form{};

    auto operator<=>(const Key&) const = default;
  };
  std::shared_ptr<Entry> entry(const Tensor& source, const PackedForm& form);
  Tensor find_or_make(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make);

  std::mutex store_mutex_;
  std::shared_ptr<PackStore> store_;
  mutable std::mutex mutex_;  // of entries, not of what is made
  std::map<Key, std::weak_ptr<Entry>> entries_;
  std::vector<std::weak_ptr<Entry>> forgotten_;
};

}  // namespace linnet
