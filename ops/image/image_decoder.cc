#include <algorithm>

#include "infer/infer.h"
#include "linnet/image.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "tensor/counted_memory.h"

namespace linnet {
namespace {

/// The luma of an RGB pixel with the weights of ITU-R BT.601, in 16-bit fixed point.
uint8_t luma(const uint8_t* rgb) { return uint8_t((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16); }

enum class PixelFormat { kRgb, kBgr, kGrayscale };

PixelFormat pixel_format(const std::string& name) {
  if (name == "RGB") return PixelFormat::kRgb;
  if (name == "BGR") return PixelFormat::kBgr;
  if (name == "Grayscale") return PixelFormat::kGrayscale;
  throw Error(ErrorKind::kModel, str("pixel_format must be RGB, BGR or Grayscale, got ", name));
}

class ImageDecoderKernel final : public Kernel {
 public:
  explicit ImageDecoderKernel(PixelFormat format) : format_(format) {}

  void run(KernelContext& context) const override {
    const Image image = decode_image(context.input(0).values<uint8_t>());
    context.check();
    CountedMemory counted;
    counted.add(image.rgb.size());
    const int64_t channels = format_ == PixelFormat::kGrayscale ? 1 : 3;
    uint8_t* y = context.allocate_output(0, Shape{image.height, image.width, channels}).data<uint8_t>();
    const uint8_t* rgb = image.rgb.data();
    Checkpoints checkpoints;
    for (int64_t i = 0; i < image.height * image.width; ++i, rgb += 3, y += channels) {
      checkpoints.add(1);
      if (format_ == PixelFormat::kGrayscale) {
        *y = luma(rgb);
      } else {
        std::copy_n(rgb, 3, y);
        if (format_ == PixelFormat::kBgr) std::swap(y[0], y[2]);
      }
    }
  }

 private:
  PixelFormat format_;
};

/// ImageDecoder: the pixels of an encoded image (see decode_image()).
/// encoded_stream: uint8 [bytes].
/// image: uint8 [H, W, 3], or [H, W, 1] (luma, ITU-R BT.601) with pixel_format Grayscale.
/// pixel_format: RGB (default), BGR or Grayscale.
/// Source: https://onnx.ai/onnx/operators/onnx__ImageDecoder.html
class ImageDecoder final : public Op {
 public:
  explicit ImageDecoder(const NodeSpec& node) : format_(pixel_format(node.attr_or("pixel_format", "RGB"))) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype(in[0], DType::kUint8, "encoded_stream");
    require_rank(in[0], 1, "encoded_stream");
    return {Fact(DType::kUint8, Dims{Dim(), Dim(), format_ == PixelFormat::kGrayscale ? 1 : 3})};
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<ImageDecoderKernel>(format_); }

 private:
  PixelFormat format_;
};

}  // namespace

LINNET_REGISTER(image_decoder)(Registry& registry) { registry.add<ImageDecoder>("ImageDecoder", {.since = 20}); }

}  // namespace linnet
