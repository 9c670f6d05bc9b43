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

/// Data derived from constants (packed weights), made once and shared by every kernel that asks for the same form, and
/// the memory that it is made in. Entries live as long as some kernel holds them. Thread-safe: who asks for one waits
/// for those who make the same, no longer than the current deadline, and for nobody who makes another.
class PackCache {
 public:
  /// Looks in the files first, and adds to them what they lack. Before the first get().
  void use(std::shared_ptr<PackFiles> files) { files_ = std::move(files); }
  /// The source in that form; calls make() where there is none yet.
  Tensor get(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make);
  /// An uninitialised tensor of numbers for make() to fill: in memory of freed sources where there is enough, which the
  /// system need not clear, else in new memory.
  Tensor memory(DType dtype, const Shape& shape);
  /// Frees a source that nobody will ask for again: what was derived from it stays, and memory() uses its memory where
  /// nobody else refers to it.
  void free(Tensor source);
  /// After the kernels of a plan are compiled: releases the memory of freed sources that is left, and writes what was
  /// made into the files. Throws Error(kIo) where that fails.
  void finish();
  /// Bytes of all living entries.
  int64_t bytes() const;

 private:
  struct Entry {
    Tensor packed;
    Tensor source;  // kept so that its address stays taken, until it is freed
  };
  /// Views of one constant have its address, but may have another shape, which packs otherwise.
  struct Key {
    const void* address;
    DType dtype{};
    std::vector<int64_t> dims{};
    PackedForm form{};

    auto operator<=>(const Key&) const = default;
  };
  /// Memory of tensors that are not needed any more. Thread-safe.
  class SpareMemory {
   public:
    /// Takes the tensor's memory where nobody else refers to it.
    void add(Tensor tensor);
    /// In the smallest part that is large enough, else in new memory.
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
  mutable std::mutex mutex_;  // held to look things up, not while they are made
  InProgress<Key> making_;
  std::map<Key, std::weak_ptr<Entry>> entries_;
  Sweeper sweeper_;
  std::vector<std::weak_ptr<Entry>> of_freed_;  // those whose sources are freed
};

}  // namespace linnet
