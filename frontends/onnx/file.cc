#include "file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <system_error>

#include "linnet/error.h"

namespace linnet {

namespace {

[[noreturn]] void throw_io(const std::string& path, int error) {
  throw Error(ErrorKind::kIo, str("cannot read '", path, "': ", std::generic_category().message(error)));
}

std::string text_of(const struct stat& status) {
  return str(status.st_dev, ' ', status.st_ino, ' ', status.st_size, ' ', status.st_mtim.tv_sec, ' ',
             status.st_mtim.tv_nsec, ' ', status.st_ctim.tv_sec, ' ', status.st_ctim.tv_nsec);
}

/// Returns the system's status of a file. Returns nothing if a change at this moment could go unnoticed: a change sets
/// `time` to the current time, which advances in ticks of some milliseconds.
std::optional<struct stat> settled_status(int fd, timespec stat::*time) {
  struct stat status {};
  timespec now{};
  if (::fstat(fd, &status) != 0 || ::clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0) return std::nullopt;
  const timespec& changed = status.*time;
  if (std::pair(changed.tv_sec, changed.tv_nsec) >= std::pair(now.tv_sec, now.tv_nsec)) return std::nullopt;
  return status;
}

}  // namespace

File::File(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  check_regular();
}

File::File(int fd) : path_(str("file descriptor ", fd)), fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)) { check_regular(); }

void File::check_regular() {
  if (fd_ < 0) throw_io(path_, errno);
  struct stat status {};
  const bool regular = ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  if (!regular) {
    const bool saved_model = S_ISDIR(status.st_mode) && ::faccessat(fd_, "saved_model.pb", F_OK, 0) == 0;
    ::close(fd_);
    if (saved_model) {
      throw Error(ErrorKind::kIo,
                  str("cannot read '", path_, "': a TensorFlow SavedModel; convert it to ONNX with tf2onnx"));
    }
    if (S_ISDIR(status.st_mode)) throw_io(path_, EISDIR);
    throw Error(ErrorKind::kIo, str("cannot read '", path_, "': not a regular file"));
  }
  size_ = status.st_size;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

std::string File::identity() const {
  const auto status = settled_status(fd_, &stat::st_ctim);
  return status ? text_of(*status) : std::string();
}

std::string File::state() const {
  struct stat status {};
  return ::fstat(fd_, &status) == 0 ? text_of(status) : std::string();
}

// Renaming or unlinking a file changes its ctime but not its contents, so only size and mtime count.
std::string File::version() const {
  const auto status = settled_status(fd_, &stat::st_mtim);
  if (!status) return {};
  return str(status->st_size, ' ', status->st_mtim.tv_sec, ' ', status->st_mtim.tv_nsec);
}

size_t File::read_some(std::byte* to, size_t wanted, int64_t offset) const {
  size_t done = 0;
  while (done < wanted) {
    const ssize_t got = ::pread(fd_, to + done, wanted - done, off_t(offset + int64_t(done)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_io(path_, errno);
    if (got == 0) break;
    done += size_t(got);
  }
  return done;
}

void File::read(std::span<std::byte> to, int64_t offset) const {
  const size_t got = read_some(to.data(), to.size(), offset);
  if (got == to.size()) return;
  throw Error(ErrorKind::kIo, str("'", path_, "' ends at byte ", offset + int64_t(got), ", expected ", to.size(),
                                  " bytes from byte ", offset));
}

}  // namespace linnet
