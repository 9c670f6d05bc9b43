#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "compile/pack_files.h"
#include "compile/sweeper.h"
#include "environment/in_progress.h"
#include "linnet/op.h"

namespace linnet {

/// A cache of data derived from constants (packed weights), and the memory that it is made in. Each form is made once
/// and shared by every kernel that requests it. Entries live as long as a kernel holds them. Thread-safe: a caller
/// waits for other threads that make the same form, until the current deadline, and for no others.
class PackCache {
 public:
  /// Makes get() look in the files first and add what they lack. Call it before the first get().
  void use(std::shared_ptr<PackFiles> files) { files_ = std::move(files); }
  /// The source in that form; calls make() if it does not exist yet.
  Tensor get(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make);
  /// An uninitialised tensor of numbers for make() to fill. It uses memory of freed sources if there is enough, which
  /// the system need not clear, otherwise new memory.
  Tensor memory(DType dtype, const Shape& shape);
  /// Frees a source that will not be requested again. Data derived from it stays, and memory() reuses the source's
  /// memory if nothing else refers to it.
  void free(Tensor source);
  /// Call it after the kernels of a plan are compiled. Releases unused memory of freed sources and writes new data into
  /// the files. Throws Error(kIo) if writing fails.
  void finish();
  /// The bytes of all living entries.
  int64_t bytes() const;

 private:
  struct Entry {
    Tensor packed;
    Tensor source;  // kept until it is freed, so that its address stays unique
  };
  /// Views of one constant have the same address, but may have another shape, which is packed differently.
  struct Key {
    const void* address;
    DType dtype{};
    std::vector<int64_t> dims{};
    PackedForm form{};

    auto operator<=>(const Key&) const = default;
  };
  /// Memory of tensors that are no longer needed. Thread-safe.
  class SpareMemory {
   public:
    /// Takes the tensor's memory if nothing else refers to it.
    void add(Tensor tensor);
    /// A tensor in the smallest part that is large enough, otherwise in new memory.
    Tensor tensor(DType dtype, const Shape& shape);
    void release();

   private:
    struct Part {
      std::byte* data = nullptr;
      std::shared_ptr<const Tensor> owner;
    };

    std::mutex mutex_;
    std::multimap<size_t, Part> parts_;  // by bytes
  };
  static Key key(const Tensor& source, const PackedForm& form);
  std::shared_ptr<Entry> find(const Key& key) const;
  Tensor find_or_make(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make);
  void forget(const Tensor& source);
  void save();

  SpareMemory spare_;
  std::mutex files_mutex_;
  std::shared_ptr<PackFiles> files_;
  mutable std::mutex mutex_;  // held for lookups, but not while data is made
  InProgress<Key> making_;
  std::map<Key, std::weak_ptr<Entry>> entries_;
  Sweeper sweeper_;
  std::vector<std::weak_ptr<Entry>> of_freed_;  // entries whose sources are freed
};

}  // namespace linnet
