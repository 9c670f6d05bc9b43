// Each line that linnet-unchecked-value finds ends in "found". check_tidy.py checks this file first.
#include <algorithm>
#include <memory>
#include <span>

#include "linnet/node_spec.h"
#include "linnet/tensor.h"

namespace linnet {

void use(int64_t n);

class MaskKernel {
 public:
  MaskKernel(int64_t block, int64_t blocks) : block_(block), blocks_(blocks) {}

  void run(std::span<const int32_t> columns, float* line) const {
    for (const int32_t column : columns) {
      const int64_t begin = std::min(blocks_, column * block_);  // found
      std::fill_n(line + begin, 1, 0.0f);
      std::fill_n(line + column * block_, 1, 0.0f);
    }
    const std::ptrdiff_t offset = blocks_ * block_;
    line[offset] = line[2 * block_];
    use(checked_mul(blocks_, block_));
    use(blocks_ * blocks_);
    use(block_ % blocks_ * blocks_);
    use(block_ / blocks_ * blocks_);  // found
    use(block_ / 8 * 8);
  }

 private:
  int64_t block_, blocks_;
};

struct Sizes {
  int64_t n, k;
};

class Mask {
 public:
  explicit Mask(const NodeSpec& node) : block_(node.attr<int64_t>("block")), pads_(node.attr_or("pads", 1)) {}

  std::unique_ptr<MaskKernel> compile(const Shape& x) const { return std::make_unique<MaskKernel>(block_, x[0]); }

  void sizes(const Shape& x, const Tensor& lengths, std::span<const int64_t> strides) const {
    use(x[0] * x[1] * strides[0]);
    const int64_t* length = lengths.data<int64_t>();
    use(length[1] * strides[1]);  // found
    const Sizes sizes{.n = pads(), .k = 3};
    use(sizes.k * 8 * sizes.n);  // found
    use(sizes.k * 8);
    int64_t most = x[0];
    for (const int64_t value : lengths.values<int64_t>()) most = std::max(most, value);
    most *= 2;                      // found
    use(checked_mul(most, 2) * 2);  // found
    use(std::min(most, x[0]) * 2);
  }

 private:
  int64_t pads() const { return pads_; }

  int64_t block_, pads_;
};

}  // namespace linnet
