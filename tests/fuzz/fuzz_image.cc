#include "linnet/image.h"
#include "target.h"

// Bytes are read as an image, and converted to a tensor of 8 x 8 pixels.
namespace linnet {

void take(std::span<const uint8_t> bytes) {
  const Image image = decode_image(bytes);
  if (image.height > 0 && image.width > 0) image_tensor(image, Fact(DType::kFloat32, Shape{1, 1, 8, 8}));
}

}  // namespace linnet
