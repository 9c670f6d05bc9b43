#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tensor/counted_vector.h"

namespace linnet::tool {

/// All bytes of a file. Throws Error(kIo).
CountedVector<std::byte> read_file(const std::string& path);

/// Writes a file, or stdout if path is "-". Throws Failure(kRun) if it cannot be written.
void write_file(const std::string& path, std::span<const std::byte> bytes);
/// Writes the consecutive parts of a file. path must not be "-".
void write_parts(const std::string& path, std::span<const std::span<const std::byte>> parts);
void write_text(const std::string& path, const std::string& text);

/// Throws Failure(kRun) if anything printed to stdout was not written.
void flush_stdout();

/// The paths of the files "<stem>0.pb", "<stem>1.pb", ... in a folder, up to the first that is missing.
std::vector<std::string> numbered_files(const std::string& folder, const std::string& stem);

}  // namespace linnet::tool
