#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "byte_source.h"
#include "linnet/error.h"
#include "linnet/options.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// A file that the program provides (ModelOptions::files). All errors name it.
class ProgramFile final : public ByteSource {
 public:
  ProgramFile(std::shared_ptr<ModelFiles> files, std::string name);

  int64_t size() const override { return size_; }
  std::string name() const override { return str('\'', name_, '\''); }
  size_t read_some(std::byte* to, size_t wanted, int64_t offset) const override;
  void read(std::span<std::byte> to, int64_t offset) const override;

 private:
  /// Returns what f() returns. Converts exceptions other than std::bad_alloc to Error, with the name of the file.
  template <class F>
  auto asked(F&& f) const;
  /// Fills `to` from the range at `offset`, which must be within the file.
  void fill(std::span<std::byte> to, int64_t offset) const;
  /// Does the same for a few bytes, with a read-ahead buffer for consecutive reads.
  void fill_ahead(std::span<std::byte> to, int64_t offset) const;

  std::shared_ptr<ModelFiles> files_;
  std::string name_;
  int64_t size_ = 0;
  mutable std::mutex mutex_;
  mutable CountedVector<std::byte> ahead_;  // read last by fill_ahead(), starts at ahead_begin_
  mutable int64_t ahead_begin_ = 0;
};

}  // namespace linnet
