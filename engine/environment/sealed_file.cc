#include "environment/sealed_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "environment/new_file.h"
#include "linnet/error.h"
#include "tensor/alignment.h"
#include "tensor/checksum.h"

namespace linnet {
namespace {

// The file consists of this header, the text and, from the next page on, the bytes.
struct Header {
  std::array<char, 8> magic;
  uint64_t text_bytes, bytes;
  Checksum checksum;  // of all that follows
};
static_assert(sizeof(Header) == 40, "no padding, whose contents would be anything");

constexpr std::array<char, 8> kMagic{'L', 'i', 'n', 'n', 'e', 't', '0', '1'};
constexpr size_t kPage = 4096;
constexpr std::array<std::byte, kPage> kZeros{};

size_t padding(size_t bytes, size_t alignment) { return (alignment - bytes % alignment) % alignment; }

size_t bytes_offset(uint64_t text_bytes) {
  return sizeof(Header) + text_bytes + padding(sizeof(Header) + text_bytes, kPage);
}

// A time between 2001 and 2009 that is derived from the checksum.
timespec seal_of(const Checksum& checksum) {
  constexpr time_t kBegin = 1'000'000'000;
  return {kBegin + time_t(checksum.low % (uint64_t{1} << 28)), long(checksum.high % 1'000'000'000)};
}

bool sealed(const struct stat& status, const Checksum& checksum) {
  const timespec seal = seal_of(checksum);
  return status.st_mtim.tv_sec == seal.tv_sec && status.st_mtim.tv_nsec == seal.tv_nsec;
}

bool seal(int fd, const Checksum& checksum) {
  const std::array<timespec, 2> times{timespec{0, UTIME_OMIT}, seal_of(checksum)};
  return ::fdatasync(fd) == 0 && ::futimens(fd, times.data()) == 0;
}

Checksum checksum_of(Header header, std::span<const std::byte> rest) {
  header.checksum = {};
  Checksummer sum;
  sum.add(std::as_bytes(std::span(&header, 1)));
  sum.add(rest);
  return sum.result();
}

// The header, if the file is as long as it specifies.
std::optional<Header> read_header(int fd, size_t size) {
  Header header{};
  if (::pread(fd, &header, sizeof header, 0) != ssize_t(sizeof header) || header.magic != kMagic) return {};
  if (header.text_bytes > size || header.bytes > size) return {};
  if (bytes_offset(header.text_bytes) + header.bytes != size) return {};
  return header;
}

std::shared_ptr<const std::byte> map(int fd, size_t size) {
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(data),
          [size](const std::byte* p) { ::munmap(const_cast<std::byte*>(p), size); }};
}

}  // namespace

void write_sealed(const std::string& path, const std::string& text,
                  const std::vector<std::span<const std::byte>>& parts) {
  NewFile file(path);
  Header header{kMagic, text.size(), 0, {}};
  for (const auto& part : parts) header.bytes += padding(header.bytes, kAlignment) + part.size();
  Checksummer sum;
  const auto add = [&](std::span<const std::byte> bytes) {
    sum.add(bytes);
    file.write(bytes);
  };
  const auto add_zeros = [&](size_t bytes) { add(std::span(kZeros).first(bytes)); };
  add(std::as_bytes(std::span(&header, 1)));
  add(std::as_bytes(std::span(text)));
  add_zeros(padding(sizeof(Header) + text.size(), kPage));
  size_t offset = 0;
  for (const auto& part : parts) {
    add_zeros(padding(offset, kAlignment));
    add(part);
    offset += padding(offset, kAlignment) + part.size();
  }
  header.checksum = sum.result();
  file.write_at_start(std::as_bytes(std::span(&header, 1)));
  if (!seal(file.descriptor(), header.checksum)) file.fail();
  file.keep();
}

std::optional<SealedFile> map_sealed(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto size = size_t(status.st_size);
  const std::optional<Header> header = read_header(file.get(), size);
  const auto mapped = header ? map(file.get(), size) : nullptr;
  if (!mapped) return {};
  const std::span<const std::byte> all(mapped.get(), size);
  if (!sealed(status, header->checksum)) {
    if (checksum_of(*header, all.subspan(sizeof(Header))) != header->checksum) return {};
    seal(file.get(), header->checksum);  // has no effect on a file of another user
  }
  const auto* const text = reinterpret_cast<const char*>(mapped.get() + sizeof(Header));
  return SealedFile{{text, header->text_bytes}, all.subspan(bytes_offset(header->text_bytes)), mapped};
}

}  // namespace linnet
