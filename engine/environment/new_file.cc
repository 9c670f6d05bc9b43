#include "environment/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "linnet/error.h"

namespace linnet {
namespace {

// The permissions of a new file. The umask could be read only by setting it, which other threads would see.
mode_t usual_mode(const std::string& folder) {
  const Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  struct stat status {};
  constexpr mode_t kOthersRead = 0644;
  return file.get() >= 0 && ::fstat(file.get(), &status) == 0 ? status.st_mode & 0777 : kOthersRead;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

NewFile::NewFile(const std::string& path)
    : path_(path), name_(path + ".XXXXXX"), file_(::mkostemp(name_.data(), O_CLOEXEC)) {
  if (file_.get() < 0) fail();
}

NewFile::~NewFile() {
  if (!kept_ && file_.get() >= 0) ::unlink(name_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail();
    bytes = bytes.subspan(size_t(written));
  }
}

void NewFile::write_at_start(std::span<const std::byte> bytes) {
  for (off_t offset = 0; !bytes.empty();) {
    const ssize_t written = ::pwrite(file_.get(), bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail();
    bytes = bytes.subspan(size_t(written));
    offset += written;
  }
}

void NewFile::share() {
  const size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  if (::fchmod(file_.get(), usual_mode(folder)) != 0) fail();
}

void NewFile::keep() {
  if (::rename(name_.c_str(), path_.c_str()) != 0) fail();
  kept_ = true;
}

void NewFile::fail() const {
  throw Error(ErrorKind::kIo, str("cannot write '", path_, "': ", std::generic_category().message(errno)));
}

}  // namespace linnet
