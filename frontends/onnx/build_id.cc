#include "build_id.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace linnet {

namespace {

using Header = ElfW(Phdr);
using Note = ElfW(Nhdr);

constexpr std::string_view kOwner{"GNU\0", 4};

bool holds(const dl_phdr_info& object, const Header& part, uintptr_t address) {
  const uintptr_t begin = object.dlpi_addr + part.p_vaddr;
  return part.p_type == PT_LOAD && address >= begin && address - begin < part.p_memsz;
}

std::string hex(const unsigned char* bytes, size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

size_t padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

// Returns the build ID among the notes of a segment in hexadecimal digits, or "" if it is missing.
// Source: https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.pheader.html#note_section
std::string find_id(const unsigned char* notes, size_t bytes) {
  while (bytes >= sizeof(Note)) {
    Note note{};
    std::memcpy(&note, notes, sizeof note);
    const size_t all = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (all > bytes) break;
    const std::string_view owner(reinterpret_cast<const char*>(notes + sizeof note), note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && owner == kOwner) {
      return hex(notes + sizeof note + padded(note.n_namesz), note.n_descsz);
    }
    notes += all;
    bytes -= all;
  }
  return {};
}

struct Search {
  uintptr_t address;
  std::string id;
};

int visit(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::span parts(object->dlpi_phdr, object->dlpi_phnum);
  if (std::none_of(parts.begin(), parts.end(), [&](const Header& p) { return holds(*object, p, search.address); })) {
    return 0;
  }
  for (const Header& part : parts) {
    const auto* const notes = reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr);
    if (part.p_type == PT_NOTE && search.id.empty()) search.id = find_id(notes, part.p_memsz);
  }
  return 1;
}

}  // namespace

std::string build_id() {
  Search search{reinterpret_cast<uintptr_t>(&build_id), {}};
  ::dl_iterate_phdr(visit, &search);
  return search.id;
}

}  // namespace linnet
