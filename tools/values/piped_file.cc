#include "values/piped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "linnet/error.h"

namespace linnet::tool {
namespace {

[[noreturn]] void fail_to_read(const std::string& path) {
  throw Error(ErrorKind::kIo, str("cannot read '", path, "': ", std::strerror(errno)));
}

bool is_pipe(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return path == "-" || std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status);
}

int64_t most_bytes(const Limits& limits) {
  const int64_t memory = limits.memory_bytes, file = limits.file_bytes;
  return memory == 0 || (file > 0 && file < memory) ? file : memory;
}

void write_all(int to, const char* data, size_t size, const std::string& path) {
  while (size > 0) {
    const ssize_t written = write(to, data, size);
    if (written < 0) fail_to_read(path);
    data += written;
    size -= size_t(written);
  }
}

int copy_of(const std::string& path, int64_t most) {
  const int from = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int to = memfd_create("model", MFD_CLOEXEC);
  if (from < 0 || to < 0) fail_to_read(path);
  std::array<char, 1 << 16> piece;
  int64_t size = 0;
  while (const ssize_t count = read(from, piece.data(), piece.size())) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_read(path);
    size += count;
    if (most > 0 && size > most) {
      throw Error(ErrorKind::kLimit, str(path, ": the model has more than the limit of ", most, " bytes"));
    }
    write_all(to, piece.data(), size_t(count), path);
  }
  if (from != STDIN_FILENO) close(from);
  return to;
}

}  // namespace

int piped_file(const std::string& path, const Limits& limits) {
  static std::map<std::string, int> known;
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  if (!is_pipe(path)) return -1;
  return known[path] = copy_of(path, most_bytes(limits));
}

std::string path_to_open(const std::string& path, const Limits& limits) {
  const int piped = piped_file(path, limits);
  return piped < 0 ? path : str("/proc/self/fd/", piped);
}

}  // namespace linnet::tool
