#include "elements/cast_kernel.h"

#include "elements/cast_path.h"
#include "elements/number_text.h"
#include "elements/wide.h"
#include "environment/run_environment.h"
#include "movement/view.h"
#include "partition/lines.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

/// The number of elements in an intermediate buffer. It divides kChunkElements, and is a multiple of 4, because the
/// smallest dtypes have 4 elements in a byte.
constexpr int64_t kBlock = 256;

/// The cost of a number as text, in elements that are moved; chunks are whole blocks.
constexpr int64_t kTextWork = 32;

class NumberCast final : public Kernel {
 public:
  NumberCast(const CompileInput& in, const SmallFloatRounding& rounding)
      : elements_(in.shape(0).elements()),
        read_(wide_reader(in.dtype(0))),
        write_(wide_writer(wide_kind(in.dtype(0)), in.output_dtype(0), rounding)) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    void* y = context.output(0).raw();
    parallel_items(context.executor(), elements_, 1, [&](int64_t begin, int64_t end, int) {
      Wide block[kBlock];
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        read_(x, first, n, block);
        write_(block, y, first, n);
      }
    });
  }

 private:
  int64_t elements_;
  WideReader read_;
  WideWriter write_;
};

class CastFromString final : public Kernel {
 public:
  CastFromString(const CompileInput& in, const SmallFloatRounding& rounding)
      : kind_(wide_kind(in.output_dtype(0))), write_(wide_writer(kind_, in.output_dtype(0), rounding)) {}

  void run(KernelContext& context) const override {
    const std::span<const std::string> x = context.input(0).values<std::string>();
    void* y = context.output(0).raw();
    parallel_items(context.executor(), int64_t(x.size()), kTextWork, [&](int64_t begin, int64_t end, int) {
      Wide block[kBlock];
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        for (int64_t i = 0; i < n; ++i) block[i] = number_from_text(x[size_t(first + i)], kind_);
        write_(block, y, first, n);
      }
    });
  }

 private:
  WideKind kind_;
  WideWriter write_;
};

class CastToString final : public Kernel {
 public:
  explicit CastToString(const CompileInput& in) : dtype_(in.dtype(0)), read_(wide_reader(dtype_)) {}

  void run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    std::string* y = context.output(0).data<std::string>();
    parallel_items(context.executor(), x.size(), kTextWork, [&](int64_t begin, int64_t end, int) {
      Wide block[kBlock];
      NumberText memory;
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        read_(x.raw(), first, n, block);
        for (int64_t i = 0; i < n; ++i) {
          const std::string_view text = text_of_number(block[i], dtype_, memory);
          count_text(text.size());
          y[first + i].assign(text);
        }
      }
    });
  }

 private:
  DType dtype_;
  WideReader read_;
};

/// Whether elements have the same bits in both dtypes.
bool keeps_bits(DType from, DType to) {
  return is_integer(from) && is_integer(to) && dtype_bits(from) == dtype_bits(to) && dtype_bits(from) >= 8;
}

class BitsCast final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    Tensor& y = context.output(0);
    if (y.raw() != context.input(0).raw()) copy_tensor(context.input(0), y, context.executor());
  }
  int in_place(int) const override { return 0; }
};

/// Converts by kernels, block by block if there are several.
class PathCast final : public Kernel {
 public:
  PathCast(const CompileInput& in, std::vector<Conversion> path)
      : elements_(in.shape(0).elements()), x_bytes_(element_bytes(in.dtype(0))), path_(std::move(path)) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int64_t block = path_.size() == 1 ? kChunkElements : kCastBlock;
    const int64_t y_bytes = path_.back().y_bytes;
    parallel_items(context.executor(), elements_, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t n, i = begin; i < end; i += n) {
        n = std::min(block, elements_to_line(y + i * y_bytes, size_t(y_bytes), end - i));
        convert_block(path_, x + i * x_bytes_, y + i * y_bytes, n);
      }
    });
  }

 private:
  int64_t elements_, x_bytes_;
  std::vector<Conversion> path_;  ///< one to four conversions
};

}  // namespace

SmallFloatRounding rounding_of(const NodeSpec& node) {
  using Mode = SmallFloatRounding::Mode;
  const std::string mode = node.attr_or("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest") {
    throw Error(ErrorKind::kModel, str("round_mode must be 'up', 'down' or 'nearest', got '", mode, "'"));
  }
  return {.saturate = node.attr_or("saturate", true),
          .mode = mode == "up"     ? Mode::kUp
                  : mode == "down" ? Mode::kDown
                                   : Mode::kNearest};
}

KernelPtr cast_kernel(const CompileInput& in, const SmallFloatRounding& rounding) {
  const DType from = in.dtype(0), to = in.output_dtype(0);
  if (from == to) return make_view();
  if (keeps_bits(from, to)) return std::make_unique<BitsCast>();
  if (auto path = cast_path(from, to, in.isa())) return std::make_unique<PathCast>(in, std::move(*path));
  if (from == DType::kString) return std::make_unique<CastFromString>(in, rounding);
  if (to == DType::kString) return std::make_unique<CastToString>(in);
  return std::make_unique<NumberCast>(in, rounding);
}

}  // namespace linnet
