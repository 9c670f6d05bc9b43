#include <gtest/gtest.h>

#include "linnet/image.h"
#include "ops/image/image_files.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes from_hex(const std::string& digits) {
  Bytes bytes;
  for (size_t i = 0; i < digits.size(); i += 2) bytes.push_back(uint8_t(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

Bytes from_text(const std::string& text) { return Bytes(text.begin(), text.end()); }

Bytes decoded(const Bytes& file) { return decode_image(file).rgb; }

/// Returns false if this build lacks the format's library.
bool decodable(const char* digits) {
  try {
    decode_image(from_hex(digits));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    EXPECT_NE(error.message().find("built without lib"), std::string::npos) << error.what();
    return false;
  }
  return true;
}

const Bytes kPixels{255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 200, 100, 50, 255, 255, 255};

/// Returns a BMP of 3 x 2 pixels (top-down with a negative height) with this header, palette or masks, and rows.
Bytes bmp(int bits, int compression, const Bytes& table, const Bytes& rows, int height = 2) {
  Bytes file(54);
  const auto put = [&](size_t at, int64_t value, int count) {
    for (int i = 0; i < count; ++i) file[at + size_t(i)] = uint8_t(value >> (8 * i));
  };
  file[0] = 'B', file[1] = 'M';
  put(10, 54 + int64_t(table.size()), 4);
  put(14, 40, 4), put(18, 3, 4), put(22, height, 4), put(26, 1, 2), put(28, bits, 2), put(30, compression, 4);
  if (compression != 3) put(46, int64_t(table.size() / 4), 4);
  file.insert(file.end(), table.begin(), table.end());
  file.insert(file.end(), rows.begin(), rows.end());
  return file;
}

TEST(ImageDecoder, DecodesFilesOfEachLibrary) {
  for (const char* file : {kPng, kWebp, kTiff, kJpeg2000, kPalettePng, kAlphaPng}) {
    if (!decodable(file)) continue;
    const Image image = decode_image(from_hex(file));
    EXPECT_EQ(image.height, 2);
    EXPECT_EQ(image.width, 3);
    EXPECT_EQ(image.rgb, kPixels);
  }
  if (decodable(kJpeg)) {
    EXPECT_EQ(decoded(from_hex(kJpeg)), Bytes(18, 77));
  }
  if (!decodable(kGray16Png)) return;
  EXPECT_EQ(decoded(from_hex(kGray16Png)), (Bytes{0, 0, 0, 255, 255, 255, 128, 128, 128}));
}

TEST(ImageDecoder, DecodesACodestreamWithoutItsFile) {
  if (!decodable(kJpeg2000)) GTEST_SKIP() << "built without libopenjp2";
  const std::string file = kJpeg2000;
  const Image image = decode_image(from_hex(file.substr(file.find("ff4fff51"))));
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(image.rgb, kPixels);
}

/// Returns a TIFF of 3 x 2 grey pixels in one tile of `side` x `side`, compressed (PackBits) to 2 MB.
Bytes tiled_tiff(uint32_t side) {
  constexpr uint32_t kTileBytes = 2 << 20, kHeaderBytes = 8 + 2 + 10 * 12 + 4;
  Bytes file{'I', 'I', 42, 0, 8, 0, 0, 0};
  const auto put = [&](uint32_t value, int count) {
    for (int i = 0; i < count; ++i) file.push_back(uint8_t(value >> (8 * i)));
  };
  const uint32_t entries[][2] = {{256, 3}, {257, 2},    {258, 8},    {259, 32773},        {262, 1},
                                 {277, 1}, {322, side}, {323, side}, {324, kHeaderBytes}, {325, kTileBytes}};
  put(10, 2);
  for (const auto& [tag, value] : entries) put(tag, 2), put(4, 2), put(1, 4), put(value, 4);
  file.resize(kHeaderBytes + kTileBytes);
  return file;
}

TEST(ImageDecoder, ATiffDoesNotTakeMoreMemoryThanItsLimit) {
  if (!decodable(kTiff)) GTEST_SKIP() << "built without libtiff";
  EXPECT_EQ(decoded(tiled_tiff(16)), Bytes(18, 0));
  expect_error(ErrorKind::kIo, "No space for tile buffer", [] { decode_image(tiled_tiff(32784)); });
}

TEST(ImageDecoder, OrdersPixelsAsThePixelFormatSays) {
  const Tensor file = Tensor::of(from_text("P3 3 2 255 255 0 0 0 255 0 0 0 255 10 20 30 200 100 50 255 255 255"));
  const auto run = [&](const char* format) {
    return run_op({"ImageDecoder", 20, {{"pixel_format", std::string(format)}}}, {file})[0];
  };
  expect_close(run_op({"ImageDecoder", 20}, {file})[0], Tensor::of({2, 3, 3}, kPixels));
  expect_close(run("BGR"), Tensor::of<uint8_t>(
                               {2, 3, 3}, {0, 0, 255, 0, 255, 0, 255, 0, 0, 30, 20, 10, 50, 100, 200, 255, 255, 255}));
  expect_close(run("Grayscale"), Tensor::of<uint8_t>({2, 3, 1}, {76, 150, 29, 18, 124, 255}));
  expect_error(ErrorKind::kModel, "pixel_format", [&] { run("CMYK"); });
}

TEST(ImageDecoder, DecodesBitmaps) {
  const Bytes palette{0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 30, 20, 10, 0, 50, 100, 200, 0, 255, 255, 255, 0};
  EXPECT_EQ(decoded(bmp(24, 0, {}, {30, 20, 10,  50, 100, 200, 255, 255, 255, 0, 0, 0,  //
                                    0,  0,  255, 0,  255, 0,   255, 0,   0,   0, 0, 0})),
            kPixels);
  EXPECT_EQ(decoded(bmp(8, 0, palette, {3, 4, 5, 0, 0, 1, 2, 0})), kPixels);
  EXPECT_EQ(decoded(bmp(4, 0, palette, {0x01, 0x20, 0, 0, 0x34, 0x50, 0, 0}, -2)), kPixels);
  EXPECT_EQ(decoded(bmp(8, 1, palette, {0, 3, 3, 4, 5, 0, 0, 0, 1, 0, 1, 1, 1, 2, 0, 1})), kPixels);
  EXPECT_EQ(decoded(bmp(4, 2, palette, {0, 3, 0x34, 0x50, 0, 0, 2, 0x01, 1, 0x20, 0, 1})), kPixels);
  const Bytes two{0, 0, 0, 0, 255, 255, 255, 0};
  EXPECT_EQ(decoded(bmp(1, 0, two, {0x40, 0, 0, 0}, -1)), (Bytes{0, 0, 0, 255, 255, 255, 0, 0, 0}));
  const Bytes masks{0, 0xf8, 0, 0, 0xe0, 7, 0, 0, 0x1f, 0, 0, 0};
  EXPECT_EQ(decoded(bmp(16, 3, masks, {0, 0xf8, 0xe0, 7, 0x1f, 0, 0, 0}, 1)), (Bytes{255, 0, 0, 0, 255, 0, 0, 0, 255}));
}

TEST(ImageDecoder, DecodesPortableAnymaps) {
  EXPECT_EQ(decoded(from_text("P1 # bits\n3 1\n1 01")), (Bytes{0, 0, 0, 255, 255, 255, 0, 0, 0}));
  EXPECT_EQ(decoded(from_text("P2\n2 1\n15\n15 3\n")), (Bytes{255, 255, 255, 51, 51, 51}));
  EXPECT_EQ(decoded(from_text("P3 1 1 # a\n#b\n255 10 20 30")), (Bytes{10, 20, 30}));
  EXPECT_EQ(decoded(from_text("P4\n3 1\n\x40")), (Bytes{255, 255, 255, 0, 0, 0, 255, 255, 255}));
  EXPECT_EQ(decoded(from_text("P5 2 1 255\nA\x7f")), (Bytes{65, 65, 65, 127, 127, 127}));
  EXPECT_EQ(decoded(from_text("P6 1 1 65535\n\xff\xff\x80\x80@@")), (Bytes{255, 128, 64}));
}

// A damaged file causes an Error, or gives an image if the format tolerates the damage.
TEST(ImageDecoder, ReportsDamagedFiles) {
  for (const char* digits : {kPng, kWebp, kTiff, kJpeg2000, kPalettePng, kAlphaPng, kJpeg}) {
    if (!decodable(digits)) continue;
    const Bytes file = from_hex(digits);
    for (size_t length = 0; length < file.size(); ++length) {
      try {
        decode_image(std::span(file).first(length));
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIo) << error.what();
      }
    }
    for (size_t at = 0; at < file.size(); ++at) {
      Bytes damaged = file;
      damaged[at] ^= 0x55;
      try {
        decode_image(damaged);
      } catch (const Error& error) {
        EXPECT_TRUE(error.kind() == ErrorKind::kIo || error.kind() == ErrorKind::kLimit) << error.what();
      }
    }
  }
  expect_error(ErrorKind::kIo, "expected a JPEG", [] { decode_image({}); });
  const Bytes png = from_hex(kPng);
  if (decodable(kPng)) expect_error(ErrorKind::kIo, "PNG", [&] { decode_image(std::span(png).first(40)); });
  expect_error(ErrorKind::kIo, "PNM", [] { decode_image(from_text("P6 9 9 255\nabc")); });
  expect_error(ErrorKind::kLimit, "pixels", [] { decode_image(from_text("P6 100000 100000 255\n")); });
  expect_error(ErrorKind::kIo, "BMP", [] { decode_image(bmp(24, 0, {}, {1, 2, 3})); });
  expect_error(ErrorKind::kIo, "bits per pixel", [] { decode_image(bmp(7, 0, {}, {})); });
}

}  // namespace
}  // namespace linnet::testing
