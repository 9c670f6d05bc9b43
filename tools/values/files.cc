#include "values/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "command/failure.h"
#include "linnet/error.h"

namespace linnet::tool {
namespace {

[[noreturn]] void fail_to_write(const std::string& where) {
  throw Failure(ExitCode::kRun, where + ": cannot be written" + (errno == 0 ? "" : str(": ", std::strerror(errno))));
}

}  // namespace

CountedVector<std::byte> read_file(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  std::ifstream in(path, std::ios::binary);
  if (code || !in) throw Error(ErrorKind::kIo, path + ": cannot be read");
  CountedVector<std::byte> bytes(size);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(size))) {
    throw Error(ErrorKind::kIo, path + ": ends early");
  }
  return bytes;
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  if (path != "-") return write_parts(path, {&bytes, 1});
  errno = 0;
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  flush_stdout();
}

void write_parts(const std::string& path, std::span<const std::span<const std::byte>> parts) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  for (const auto part : parts) out.write(reinterpret_cast<const char*>(part.data()), std::streamsize(part.size()));
  out.flush();
  if (!out) fail_to_write(path);
}

void flush_stdout() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) fail_to_write("stdout");
}

void write_text(const std::string& path, const std::string& text) { write_file(path, std::as_bytes(std::span(text))); }

std::vector<std::string> numbered_files(const std::string& folder, const std::string& stem) {
  std::vector<std::string> paths;
  for (;;) {
    const auto path = std::filesystem::path(folder) / (stem + std::to_string(paths.size()) + ".pb");
    if (!std::filesystem::exists(path)) return paths;
    paths.push_back(path.string());
  }
}

}  // namespace linnet::tool
