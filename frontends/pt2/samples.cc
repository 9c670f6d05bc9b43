#include "samples.h"

#include <array>
#include <span>

#include "json.h"
#include "linnet/error.h"
#include "tensor/bool_bytes.h"

namespace linnet::pt2 {
namespace {

constexpr std::string_view kMember = "extra/linnet/samples.json";
constexpr uint8_t kNoDigit = 64;

constexpr std::array<uint8_t, 256> kDigits = [] {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) digits[static_cast<unsigned char>(kAlphabet[i])] = uint8_t(i);
  return digits;
}();

/// Fills `to` from base64.
/// Source: RFC 4648, section 4
void decode(JsonRef json, std::span<std::byte> to) {
  std::string_view text = json.text();
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() / 4 * 3 + (text.size() % 4 * 6) / 8 != to.size()) {
    json.fail(str("expected base64 of ", to.size(), " bytes"));
  }
  uint32_t bits = 0;
  size_t written = 0;
  int count = 0;
  for (const char c : text) {
    const uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) json.fail(str("'", c, "' is not a digit of base64"));
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    to[written++] = std::byte(bits >> count & 0xff);
  }
}

Tensor read_tensor(JsonRef json) {
  const JsonRef name = json.at("dtype"), sizes = json.at("shape"), contents = json.at("base64");
  const DType dtype = dtype_from_name(name.text());
  if (dtype == DType::kUndefined || is_object(dtype)) name.fail(str("'", name.text(), "' is not a dtype of a sample"));
  if (sizes.size() > size_t(kMaxRank)) sizes.fail(str("more than ", kMaxRank, " dims"));
  Shape shape;
  for (const int64_t size : sizes.list([](JsonRef size) { return size.integer(); })) {
    if (size < 0) sizes.fail(str(size, " is not a size"));
    shape.push_back(size);
  }
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  if (bytes > contents.text().size()) contents.fail(str("expected base64 of ", bytes, " bytes"));
  Tensor tensor(dtype, shape);
  decode(contents, {static_cast<std::byte*>(tensor.raw()), bytes});
  normalize_bools(tensor);
  return tensor;
}

}  // namespace

std::vector<Sample> read_samples(const Archive& archive) {
  if (!archive.contains(kMember)) return {};
  const MemberBytes text = archive.member(kMember);
  const JsonDocument document(std::string(kMember), text.bytes);
  return document.root().list([](JsonRef json) {
    Sample sample;
    json.at("inputs").for_members(
        [&](std::string_view name, JsonRef tensor) { sample.inputs.emplace_back(name, read_tensor(tensor)); });
    sample.outputs = json.at("outputs").list(read_tensor);
    return sample;
  });
}

}  // namespace linnet::pt2
