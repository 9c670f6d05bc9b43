#include "program_file.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "environment/run_environment.h"

namespace linnet {

namespace {

// The bytes of one call of ModelFiles::read(). The deadline is checked between calls.
constexpr size_t kMostBytes = size_t{16} << 20;
constexpr size_t kAheadBytes = size_t{256} << 10;

}  // namespace

template <class F>
auto ProgramFile::asked(F&& f) const {
  try {
    return f();
  } catch (const Error& error) {
    throw error.with_context("cannot read " + name());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kIo, str("cannot read ", name(), ": ", error.what()));
  }
}

ProgramFile::ProgramFile(std::shared_ptr<ModelFiles> files, std::string name)
    : files_(std::move(files)), name_(std::move(name)) {
  size_ = asked([&] { return files_->size(name_); });
  if (size_ < 0) throw Error(ErrorKind::kIo, str("cannot read ", this->name(), ": its size is given as ", size_));
}

size_t ProgramFile::read_some(std::byte* to, size_t wanted, int64_t offset) const {
  const size_t count = std::min(wanted, size_t(size_ - std::min(offset, size_)));
  const std::span<std::byte> part(to, count);
  if (count < kAheadBytes) {
    fill_ahead(part, offset);
  } else {
    fill(part, offset);
  }
  return count;
}

void ProgramFile::read(std::span<std::byte> to, int64_t offset) const {
  if (read_some(to.data(), to.size(), offset) == to.size()) return;
  throw Error(ErrorKind::kIo,
              str(name(), " ends at byte ", size_, ", expected ", to.size(), " bytes from byte ", offset));
}

void ProgramFile::fill(std::span<std::byte> to, int64_t offset) const {
  while (!to.empty()) {
    check_current();
    const std::span<std::byte> part = to.first(std::min(to.size(), kMostBytes));
    const size_t got = asked([&] { return files_->read(name_, offset, part); });
    if (got == 0) throw Error(ErrorKind::kIo, str(name(), " ends at byte ", offset, ", its size is given as ", size_));
    if (got > part.size()) {
      throw Error(ErrorKind::kIo, str("cannot read ", name(), ": got ", got, " of ", part.size(), " bytes"));
    }
    to = to.subspan(got);
    offset += int64_t(got);
  }
}

void ProgramFile::fill_ahead(std::span<std::byte> to, int64_t offset) const {
  if (to.empty()) return;
  const std::lock_guard lock(mutex_);
  const int64_t skipped = offset - ahead_begin_;
  if (skipped < 0 || skipped + int64_t(to.size()) > int64_t(ahead_.size())) {
    CountedVector<std::byte> next(std::min(kAheadBytes, size_t(size_ - offset)));
    fill(next, offset);
    ahead_ = std::move(next);
    ahead_begin_ = offset;
  }
  std::memcpy(to.data(), ahead_.data() + (offset - ahead_begin_), to.size());
}

}  // namespace linnet
