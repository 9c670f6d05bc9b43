#include "values/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include "report/utf.h"
#include "tensor/bool_bytes.h"
#include "tensor/counted_memory.h"
#include "tensor/held_bytes.h"

namespace linnet::tool {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran = false;
  Shape shape;
  size_t data_offset = 0;
};

[[noreturn]] void malformed(const std::string& what) { throw Error(ErrorKind::kIo, "malformed .npy: " + what); }

struct Type {
  std::string_view descr;
  DType dtype;
};
constexpr std::array kTypes{
    Type{"|b1", DType::kBool},      Type{"|i1", DType::kInt8},       Type{"|u1", DType::kUint8},
    Type{"<i2", DType::kInt16},     Type{"<u2", DType::kUint16},     Type{"<i4", DType::kInt32},
    Type{"<u4", DType::kUint32},    Type{"<i8", DType::kInt64},      Type{"<u8", DType::kUint64},
    Type{"<f2", DType::kFloat16},   Type{"<f4", DType::kFloat32},    Type{"<f8", DType::kFloat64},
    Type{"<c8", DType::kComplex64}, Type{"<c16", DType::kComplex128}};

uint32_t read_le(std::span<const std::byte> bytes, size_t offset, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= uint32_t(bytes[offset + i]) << (8 * i);
  return value;
}

/// The text after "'key':" in the header's dictionary.
std::string_view field(std::string_view dictionary, const std::string& key) {
  const size_t at = dictionary.find("'" + key + "'");
  if (at == std::string_view::npos) malformed("no '" + key + "' in its header");
  std::string_view rest = dictionary.substr(at + key.size() + 2);
  rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
  return rest;
}

std::string parse_descr(std::string_view text) {
  const size_t end = text.size() < 2 ? std::string_view::npos : text.find(text[0], 1);
  if (end == std::string_view::npos || (text[0] != '\'' && text[0] != '"'))
    malformed("a structured or unreadable dtype");
  return std::string(text.substr(1, end - 1));
}

Shape parse_shape(std::string_view text) {
  const size_t end = text.find(')');
  if (end == std::string_view::npos || text[0] != '(') malformed("an unreadable shape");
  Shape shape;
  const char* at = text.data() + 1;
  const char* const last = text.data() + end;
  while (at < last) {
    int64_t dim = 0;
    const auto [next, code] = std::from_chars(at, last, dim);
    if (code == std::errc() && dim >= 0) {
      shape.push_back(dim);
      at = next;
    } else if (code == std::errc::invalid_argument && (*at == ' ' || *at == ',')) {
      ++at;
    } else {
      malformed("an unreadable shape");
    }
  }
  return shape;
}

Header parse_header(std::span<const std::byte> bytes) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) malformed("not a .npy file");
  const size_t length_bytes = uint8_t(bytes[6]) == 1 ? 2 : 4;
  const size_t begin = 8 + length_bytes;
  const size_t length = read_le(bytes, 8, length_bytes);
  if (length > bytes.size() - begin) malformed("it ends early");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + begin, length);
  return {parse_descr(field(text, "descr")), field(text, "fortran_order").starts_with("True"),
          parse_shape(field(text, "shape")), begin + length};
}

/// Calls copy() for each element in row-major order with its index in the data, which may be column-major.
template <class Copy>
void for_each_element(const Header& header, Copy&& copy) {
  const int64_t count = header.shape.elements();
  Shape index = header.shape;
  for (int axis = 0; axis < index.rank(); ++axis) index[axis] = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t source = i;
    if (header.fortran) {
      source = 0;
      for (int axis = index.rank() - 1; axis >= 0; --axis) source = source * header.shape[axis] + index[axis];
    }
    copy(i, source);
    for (int axis = index.rank() - 1; axis >= 0 && ++index[axis] == header.shape[axis]; --axis) index[axis] = 0;
  }
}

/// The length of every text: 5 for "<U5".
int64_t text_length(const std::string& descr) {
  const char* const last = descr.data() + descr.size();
  int64_t length = 0;
  const auto [end, code] = std::from_chars(descr.data() + 2, last, length);
  if (code != std::errc() || end != last || length < 0) malformed("an unreadable dtype '" + descr + "'");
  return length;
}

/// The text without the zeros at its end. `width`: bytes of a character.
std::span<const std::byte> without_padding(std::span<const std::byte> text, size_t width) {
  size_t used = text.size();
  while (used > 0 && text[used - 1] == std::byte{0}) --used;
  used += (width - used % width) % width;  // whole characters
  return text.first(std::min(text.size(), used));
}

Tensor parse_text(const Header& header, std::span<const std::byte> data) {
  const bool wide = header.descr[1] == 'U';
  const int64_t length = text_length(header.descr);
  const int64_t item = checked_mul(length, wide ? 4 : 1);
  // Otherwise a header could declare any number of texts without data.
  if (item == 0 && header.shape.elements() > 0) malformed("texts of no bytes: '" + header.descr + "'");
  if (int64_t(data.size()) < checked_mul(item, header.shape.elements())) malformed("it ends early");
  Tensor result(DType::kString, header.shape);
  CountedMemory counted;
  for_each_element(header, [&](int64_t to, int64_t from) {
    const auto bytes = data.subspan(size_t(from * item), size_t(item));
    std::string& text = result.data<std::string>()[to];
    const std::span<const std::byte> used = without_padding(bytes, wide ? 4 : 1);
    counted.add(used.size());  // until the whole tensor is counted; no text is longer than this
    if (wide) {
      text = utf8_from_utf32(used);
    } else {
      text.assign(reinterpret_cast<const char*>(used.data()), used.size());
    }
  });
  count_held(result);
  return result;
}

Tensor parse_numbers(const Header& header, DType dtype, std::span<const std::byte> data) {
  if (data.size() < dtype_bytes(dtype, header.shape.elements())) malformed("it ends early");
  Tensor result(dtype, header.shape);
  const auto item = size_t(dtype_bits(dtype)) / 8;
  auto* to = static_cast<std::byte*>(result.raw());
  if (header.fortran) {
    for_each_element(header, [&](int64_t i, int64_t source) {
      std::memcpy(to + size_t(i) * item, data.data() + size_t(source) * item, item);
    });
  } else if (result.bytes() > 0) {
    std::memcpy(to, data.data(), result.bytes());
  }
  normalize_bools(result);
  return result;
}

std::string descr_of(DType dtype) {
  for (const Type& type : kTypes) {
    if (type.dtype == dtype) return std::string(type.descr);
  }
  const int bits = dtype_bits(dtype);
  if (bits % 8 != 0) throw Error(ErrorKind::kUnsupported, str(dtype_name(dtype), " cannot be written as .npy"));
  return str("|V", bits / 8);
}

CountedVector<std::byte> with_header(const std::string& descr, const Shape& shape) {
  std::string dims;
  for (const int64_t dim : shape) dims += str(dim, ",");
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  constexpr size_t kPrefix = 10;
  text.append(63 - (kPrefix + text.size()) % 64, ' ').push_back('\n');
  std::string header(kMagic);
  for (const size_t byte : {size_t{1}, size_t{0}, text.size() % 256, text.size() / 256}) header.push_back(char(byte));
  header += text;
  const auto bytes = std::as_bytes(std::span(header));
  return {bytes.begin(), bytes.end()};
}

/// Pads texts to the length of the longest.
NpyFile text_to_npy(const Tensor& tensor) {
  size_t length = 1;
  for (const std::string& text : tensor.values<std::string>()) length = std::max(length, utf32_length(text));
  NpyFile file{with_header(str("<U", length), tensor.shape()), {}};
  const int64_t begin = std::ssize(file.own), item = checked_mul(int64_t(length), sizeof(char32_t));
  file.own.resize(size_t(checked_add(begin, checked_mul(tensor.size(), item))));
  std::byte* to = file.own.data() + begin;
  for (const std::string& text : tensor.values<std::string>()) {
    for_each_code(text, [at = to](char32_t code) mutable {
      std::memcpy(at, &code, sizeof(code));
      at += sizeof(code);
    });
    to += item;
  }
  return file;
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes) {
  const Header header = parse_header(bytes);
  const auto data = bytes.subspan(header.data_offset);
  for (const Type& type : kTypes) {
    if (type.descr == header.descr) return parse_numbers(header, type.dtype, data);
  }
  if (header.descr.starts_with("<U") || header.descr.starts_with("|S")) return parse_text(header, data);
  throw Error(ErrorKind::kUnsupported, "a .npy of dtype '" + header.descr + "' cannot be read");
}

NpyFile to_npy(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return text_to_npy(tensor);
  return {with_header(descr_of(tensor.dtype()), tensor.shape()),
          {static_cast<const std::byte*>(tensor.raw()), tensor.bytes()}};
}

}  // namespace linnet::tool
