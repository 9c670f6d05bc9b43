#include "image/codecs.h"
#include "tensor/counted_vector.h"

#ifdef LINNET_HAS_TIFF
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#endif

namespace linnet {

#ifdef LINNET_HAS_TIFF
namespace {

/// The largest allocation that the library may make.
tmsize_t most_at_once() {
  constexpr size_t kMost = size_t{1} << 30;
  const auto& account = MemoryAccount::current();
  return tmsize_t(std::max<size_t>(1, account ? std::min(account->left(), kMost) : kMost));
}

/// The file in memory, as the library's callbacks see it.
struct Source {
  std::span<const uint8_t> bytes;
  uint64_t position = 0;
  char message[256] = "its data is damaged";
};

tmsize_t read_source(thandle_t handle, void* to, tmsize_t n) {
  auto& source = *static_cast<Source*>(handle);
  if (source.position >= source.bytes.size()) return 0;
  const size_t count = std::min(size_t(n), source.bytes.size() - size_t(source.position));
  std::memcpy(to, source.bytes.data() + source.position, count);
  source.position += count;
  return tmsize_t(count);
}

toff_t seek_source(thandle_t handle, toff_t offset, int whence) {
  auto& source = *static_cast<Source*>(handle);
  const uint64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? source.position : source.bytes.size();
  return source.position = base + offset;
}

int keep_message(TIFF*, void* user, const char*, const char* format, va_list arguments) {
  auto& source = *static_cast<Source*>(user);
  std::vsnprintf(source.message, sizeof(source.message), format, arguments);
  return 1;
}

using TiffPtr = std::unique_ptr<TIFF, void (*)(TIFF*)>;

TiffPtr open_source(Source& source) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             TIFFOpenOptionsFree);
  if (!options) throw Error(ErrorKind::kLimit, "no memory for decoding a TIFF image");
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_at_once());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_message, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(
      options.get(), [](TIFF*, void*, const char*, const char*, va_list) { return 1; }, nullptr);
  return {TIFFClientOpenExt(
              "memory", "rm", &source, read_source, [](thandle_t, void*, tmsize_t) { return tmsize_t{0}; }, seek_source,
              [](thandle_t) { return 0; },
              [](thandle_t handle) { return toff_t(static_cast<Source*>(handle)->bytes.size()); },
              [](thandle_t, void**, toff_t*) { return 0; }, [](thandle_t, void*, toff_t) {}, options.get()),
          TIFFClose};
}

/// The bytes that the library reads at once: a strip or a tile, of each sample if the samples are in separate planes.
size_t buffer_bytes(TIFF* tiff) {
  uint16_t planes = PLANARCONFIG_CONTIG, samples = 1;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planes);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  const tmsize_t one = std::max<tmsize_t>(0, TIFFIsTiled(tiff) ? TIFFTileSize(tiff) : TIFFStripSize(tiff));
  return size_t(checked_mul(one, planes == PLANARCONFIG_SEPARATE ? samples : 1));
}

}  // namespace

Image decode_tiff(std::span<const uint8_t> bytes) {
  Source source{bytes};
  const TiffPtr tiff = open_source(source);
  if (!tiff) throw_undecodable("TIFF", source.message);
  uint32_t height = 0, width = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  CountedMemory counted;
  counted.add(buffer_bytes(tiff.get()));
  Image image = blank_image("TIFF", height, width, counted);
  CountedVector<uint32_t> pixels(image.rgb.size() / 3);
  if (!TIFFReadRGBAImageOriented(tiff.get(), width, height, pixels.data(), ORIENTATION_TOPLEFT, 1)) {
    throw_undecodable("TIFF", source.message);
  }
  for (size_t i = 0; i < pixels.size(); ++i) {
    image.rgb[3 * i] = uint8_t(TIFFGetR(pixels[i]));
    image.rgb[3 * i + 1] = uint8_t(TIFFGetG(pixels[i]));
    image.rgb[3 * i + 2] = uint8_t(TIFFGetB(pixels[i]));
  }
  return image;
}
#else
Image decode_tiff(std::span<const uint8_t>) { throw_missing_library("TIFF", "libtiff 4.5 or newer"); }
#endif

}  // namespace linnet
