#include "image/codecs.h"
#include "image/decode_jpeg2000_memory.h"
#include "partition/checkpoints.h"

#ifdef LINNET_HAS_OPENJPEG
#include <openjpeg.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#endif

namespace linnet {

#ifdef LINNET_HAS_OPENJPEG
namespace {

/// The file in memory, as the library's callbacks see it.
struct Source {
  std::span<const uint8_t> bytes;
  size_t position = 0;
};

OPJ_SIZE_T read_source(void* to, OPJ_SIZE_T n, void* user) {
  auto& source = *static_cast<Source*>(user);
  const size_t count = std::min(n, source.bytes.size() - source.position);
  if (count == 0) return OPJ_SIZE_T(-1);
  std::memcpy(to, source.bytes.data() + source.position, count);
  source.position += count;
  return count;
}

OPJ_BOOL seek_source(OPJ_OFF_T offset, void* user) {
  auto& source = *static_cast<Source*>(user);
  if (offset < 0 || size_t(offset) > source.bytes.size()) return OPJ_FALSE;
  source.position = size_t(offset);
  return OPJ_TRUE;
}

OPJ_OFF_T skip_source(OPJ_OFF_T n, void* user) {
  return seek_source(OPJ_OFF_T(static_cast<Source*>(user)->position) + n, user) ? n : -1;
}

using Stream = std::unique_ptr<opj_stream_t, void (*)(opj_stream_t*)>;
using Codec = std::unique_ptr<opj_codec_t, void (*)(opj_codec_t*)>;
using Decoded = std::unique_ptr<opj_image_t, void (*)(opj_image_t*)>;

Stream open_source(Source& source) {
  Stream stream(opj_stream_default_create(OPJ_TRUE), opj_stream_destroy);
  if (!stream) throw Error(ErrorKind::kLimit, "no memory for decoding a JPEG 2000 image");
  opj_stream_set_read_function(stream.get(), read_source);
  opj_stream_set_seek_function(stream.get(), seek_source);
  opj_stream_set_skip_function(stream.get(), skip_source);
  opj_stream_set_user_data(stream.get(), &source, nullptr);
  opj_stream_set_user_data_length(stream.get(), source.bytes.size());
  return stream;
}

/// The sample of a component that covers pixel (x, y), scaled to [0, 255].
uint8_t sample(const opj_image_comp_t& component, int64_t y, int64_t x) {
  const int64_t row = std::min<int64_t>(y / component.dy, component.h - 1);
  const int64_t column = std::min<int64_t>(x / component.dx, component.w - 1);
  const int64_t value = component.data[row * component.w + column];
  const int64_t levels = int64_t{1} << component.prec;
  const int64_t shifted = value + (component.sgnd ? levels / 2 : 0);
  return scaled_sample(uint32_t(std::clamp<int64_t>(shifted, 0, levels - 1)), uint32_t(levels - 1));
}

void convert_ycc(uint8_t* pixel) {
  const double y = pixel[0], cb = pixel[1] - 128.0, cr = pixel[2] - 128.0;
  const auto stored = [](double value) { return uint8_t(std::clamp(std::nearbyint(value), 0.0, 255.0)); };
  pixel[0] = stored(y + 1.402 * cr);
  pixel[1] = stored(y - 0.344136 * cb - 0.714136 * cr);
  pixel[2] = stored(y + 1.772 * cb);
}

void check_components(const opj_image_t& image) {
  const uint32_t used = image.numcomps >= 3 ? 3 : 1;
  for (uint32_t c = 0; c < used; ++c) {
    const opj_image_comp_t& component = image.comps[c];
    const bool complete = component.data && component.w > 0 && component.h > 0 && component.dx > 0 && component.dy > 0;
    if (!complete || component.prec < 1 || component.prec > 31)
      throw_undecodable("JPEG 2000", "a component is missing");
  }
}

void copy_pixels(const opj_image_t& decoded, Image& image) {
  const bool colour = decoded.numcomps >= 3;
  uint8_t* to = image.rgb.data();
  Checkpoints checkpoints;
  for (int64_t y = 0; y < image.height; ++y) {
    checkpoints.add(image.width * 8);
    for (int64_t x = 0; x < image.width; ++x, to += 3) {
      for (int c = 0; c < 3; ++c) to[c] = sample(decoded.comps[colour ? c : 0], y, x);
      if (colour && decoded.color_space == OPJ_CLRSPC_SYCC) convert_ycc(to);
    }
  }
}

}  // namespace

Image decode_jpeg2000(std::span<const uint8_t> bytes) {
  CountedMemory counted;
  counted.add(size_t(jpeg2000_memory(bytes)));
  Source source{bytes};
  const Stream stream = open_source(source);
  const bool bare = bytes[0] == 0xff;
  const Codec codec(opj_create_decompress(bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2), opj_destroy_codec);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* header = nullptr;
  const bool ok =
      codec && opj_setup_decoder(codec.get(), &parameters) && opj_read_header(stream.get(), codec.get(), &header);
  const Decoded decoded(header, opj_image_destroy);
  if (!ok || !decoded || decoded->numcomps == 0) throw_undecodable("JPEG 2000", "its header is damaged");
  Image image =
      blank_image("JPEG 2000", int64_t{decoded->y1} - decoded->y0, int64_t{decoded->x1} - decoded->x0, counted);
  if (!opj_decode(codec.get(), stream.get(), decoded.get())) throw_undecodable("JPEG 2000", "its data is damaged");
  check_components(*decoded);
  copy_pixels(*decoded, image);
  return image;
}
#else
Image decode_jpeg2000(std::span<const uint8_t>) { throw_missing_library("JPEG 2000", "libopenjp2"); }
#endif

}  // namespace linnet
