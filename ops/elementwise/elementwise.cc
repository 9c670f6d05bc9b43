#include "elementwise/elementwise.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "elementwise/broadcast_blocks.h"
#include "elementwise/broadcast_plan.h"
#include "infer/infer.h"
#include "partition/lines.h"
#include "partition/parallel.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

size_t element_bytes(DType dtype) {
  if (dtype_bits(dtype) < 8) throw_dtype(dtype);
  return dtype_bytes(dtype, 1);
}

std::vector<Shape> shapes_of(const std::vector<Source>& sources) {
  std::vector<Shape> shapes;
  for (const Source& source : sources) shapes.push_back(source.shape);
  return shapes;
}

/// The operands of a worker: on its stack, or in scratch memory if there are many.
class OperandTable {
 public:
  /// The scratch memory of a worker for the operands of this number of sources.
  static size_t bytes(size_t sources) {
    if (sources <= kFew) return 0;
    return aligned(size_t(checked_mul(int64_t(sources), int64_t(sizeof(Operand) + sizeof(const std::byte*)))));
  }

  OperandTable(size_t sources, std::byte* scratch) {
    if (sources <= kFew) return;
    operands_ = reinterpret_cast<Operand*>(scratch);
    x_ = reinterpret_cast<const std::byte**>(operands_ + sources);
  }
  OperandTable(const OperandTable&) = delete;
  OperandTable& operator=(const OperandTable&) = delete;

  Operand* operands() { return operands_; }
  /// The first element of each source.
  const std::byte** x() { return x_; }

 private:
  static constexpr size_t kFew = 16;

  std::array<Operand, kFew> few_;
  std::array<const std::byte*, kFew> few_x_;
  Operand* operands_ = few_.data();
  const std::byte** x_ = few_x_.data();
};

class ElementwiseKernel final : public Kernel {
 public:
  ElementwiseKernel(const CompileInput& in, const std::vector<Source>& sources, InnerLoop loop)
      : plan_(in.output_shape(0), shapes_of(sources)),
        loop_(std::move(loop)),
        y_bytes_(element_bytes(in.output_dtype(0))) {
    bool numbers = true;
    for (const Source& source : sources) {
      x_.push_back({source.input, element_bytes(in.dtype(source.input))});
      numbers &= !is_object(in.dtype(source.input));
    }
    if (!numbers || !BroadcastBlocks::suit(plan_)) return;
    std::vector<size_t> widths;
    for (const Input& input : x_) widths.push_back(input.element_bytes);
    blocks_.emplace(plan_, std::move(widths));
  }

  void run(KernelContext& context) const override {
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int64_t items = blocks_ ? blocks_->periods() : plan_.elements;
    const int64_t work = blocks_ ? blocks_->period_elements() : 1;
    parallel_items(context.executor(), items, work, [&](int64_t first, int64_t last, int worker) {
      std::byte* const scratch = context.scratch(worker);
      OperandTable table(x_.size(), scratch);
      for (size_t k = 0; k < x_.size(); ++k) {
        table.x()[k] = static_cast<const std::byte*>(context.input(x_[k].input).raw());
      }
      if (!blocks_) return run_range(table, y, first, last);
      run_blocks(table, scratch + OperandTable::bytes(x_.size()), y, first, last);
    });
  }

  size_t scratch_bytes() const override {
    return OperandTable::bytes(x_.size()) + (blocks_ ? blocks_->scratch_bytes() : 0);
  }

  int in_place(int) const override {
    for (size_t k = 0; k < x_.size(); ++k) {
      if (plan_.inputs[k].dense && x_[k].element_bytes == y_bytes_) return x_[k].input;
    }
    return -1;
  }

 private:
  struct Input {
    int input;
    size_t element_bytes;
  };

  void run_range(OperandTable& table, std::byte* y, int64_t first, int64_t last) const {
    RowCursor cursor(plan_, first / plan_.row);
    for (int64_t column = first % plan_.row; first < last;) {
      const int64_t n =
          elements_to_line(y + size_t(first) * y_bytes_, y_bytes_, std::min(plan_.row - column, last - first));
      for (size_t k = 0; k < x_.size(); ++k) {
        const bool scalar = plan_.inputs[k].scalar;
        const int64_t element = cursor.offset(int(k)) + (scalar ? 0 : column);
        table.operands()[k] = {table.x()[k] + size_t(element) * x_[k].element_bytes, scalar};
      }
      loop_(table.operands(), y + size_t(first) * y_bytes_, n);
      first += n;
      column += n;
      if (column < plan_.row) continue;
      column = 0;
      cursor.advance();
    }
  }

  void run_blocks(OperandTable& table, std::byte* scratch, std::byte* y, int64_t first, int64_t last) const {
    BroadcastBlocks::Reader reader(*blocks_, table.x(), scratch, first, last, table.operands());
    std::byte* to = y + size_t(first * blocks_->period_elements()) * y_bytes_;
    while (const int64_t n = reader.next()) {
      loop_(table.operands(), to, n);
      to += size_t(n) * y_bytes_;
    }
  }

  BroadcastPlan plan_;
  InnerLoop loop_;
  std::vector<Input> x_;
  size_t y_bytes_;
  std::optional<BroadcastBlocks> blocks_;
};

}  // namespace

KernelPtr elementwise(const CompileInput& in, const std::vector<Source>& sources, InnerLoop loop) {
  return std::make_unique<ElementwiseKernel>(in, sources, std::move(loop));
}

KernelPtr elementwise(const CompileInput& in, InnerLoop loop) {
  std::vector<Source> sources;
  for (int k = 0; k < in.num_inputs(); ++k) sources.push_back({k, in.shape(k)});
  return elementwise(in, sources, std::move(loop));
}

InnerLoop kernel_loop(DType dtype, UnaryForm kernel, float alpha, float beta) {
  if (dtype != DType::kFloat32) throw_dtype(dtype);
  return [kernel, alpha, beta](const Operand* x, void* y, int64_t n) {
    kernel(static_cast<const float*>(x[0].data), static_cast<float*>(y), n, alpha, beta);
  };
}

InnerLoop kernel_loop(DType dtype, const BinaryForms& forms) {
  if (dtype != DType::kFloat32) throw_dtype(dtype);
  return [forms](const Operand* x, void* y, int64_t n) {
    const auto kernel = x[0].scalar ? forms.scalar_vector : x[1].scalar ? forms.vector_scalar : forms.vector_vector;
    kernel(static_cast<const float*>(x[0].data), static_cast<const float*>(x[1].data), static_cast<float*>(y), n);
  };
}

namespace {

/// The number of elements of the buffer in which a scalar is repeated.
constexpr int64_t kSpread = 1024;
constexpr size_t kMostOperands = 3, kMostElementBytes = 8;

void spread(const void* value, size_t bytes, int64_t n, std::byte* to) {
  const auto fill = [&]<class T>(T) {
    T element;
    std::memcpy(&element, value, sizeof element);
    std::fill_n(reinterpret_cast<T*>(to), n, element);
  };
  if (bytes == 1) return fill(uint8_t{});
  if (bytes == 2) return fill(uint16_t{});
  if (bytes == 4) return fill(uint32_t{});
  fill(uint64_t{});
}

}  // namespace

InnerLoop number_loop(NumberFunction kernel, std::vector<size_t> x_bytes, size_t y_bytes) {
  return [kernel, x_bytes = std::move(x_bytes), y_bytes](const Operand* x, void* y, int64_t n) {
    alignas(64) std::byte repeated[kMostOperands][size_t(kSpread) * kMostElementBytes];
    std::array<const void*, kMostOperands> from{};
    bool any = false;
    for (size_t k = 0; k < x_bytes.size(); ++k) {
      any |= x[k].scalar;
      from[k] = x[k].scalar ? repeated[k] : x[k].data;
      if (x[k].scalar) spread(x[k].data, x_bytes[k], std::min(n, kSpread), repeated[k]);
    }
    if (!any) return kernel(from.data(), y, n);
    for (int64_t i = 0; i < n; i += kSpread) {
      for (size_t k = 0; k < x_bytes.size(); ++k) {
        if (!x[k].scalar) from[k] = static_cast<const std::byte*>(x[k].data) + size_t(i) * x_bytes[k];
      }
      kernel(from.data(), static_cast<std::byte*>(y) + size_t(i) * y_bytes, std::min(kSpread, n - i));
    }
  };
}

InnerLoop number_loop(NumberFunction kernel, const CompileInput& in) {
  std::vector<size_t> x_bytes;
  for (int k = 0; k < in.num_inputs(); ++k) x_bytes.push_back(element_bytes(in.dtype(k)));
  return number_loop(kernel, std::move(x_bytes), element_bytes(in.output_dtype(0)));
}

BinaryBroadcast::BinaryBroadcast(const NodeSpec& node) : legacy_(node.opset < 7) {
  if (!legacy_) return;
  broadcast_ = node.attr_or("broadcast", false);
  if (node.has("axis")) axis_ = node.attr<int64_t>("axis");
}

std::optional<Dims> BinaryBroadcast::aligned(const Fact& a, const Fact& b) const {
  if (!legacy_ || !broadcast_ || !axis_ || !a.has_rank() || !b.has_rank()) return b.dims;
  const int axis = normalize_axis(*axis_, a.rank());
  if (axis + b.rank() > a.rank()) {
    throw Error(ErrorKind::kShape, str("second input must fit into ", a, " from axis ", axis, " on, got ", b));
  }
  Dims dims = *b.dims;
  dims.resize(size_t(a.rank() - axis), Dim(1));
  return dims;
}

std::optional<Dims> BinaryBroadcast::dims(const Fact& a, const Fact& b) const {
  if (!legacy_) return broadcast_dims(a.dims, b.dims);
  if (broadcast_) return broadcast_dims(a.dims, aligned(a, b));
  if (!compatible(Fact(a.dtype, a.dims), Fact(a.dtype, b.dims))) {
    throw Error(ErrorKind::kShape,
                str("inputs must have one shape without the attribute broadcast, got ", a, " and ", b));
  }
  return a.dims;
}

std::vector<Fact> BinaryBroadcast::infer(std::span<const Fact> in, DType output) const {
  require_inputs(in, 2, 2);
  require_same_dtype(in[0], in[1], "second input");
  return {Fact(output == DType::kUndefined ? in[0].dtype : output, dims(in[0], in[1]))};
}

std::optional<Dims> BinaryBroadcast::aligned_second(std::span<const Fact> in) const {
  if (!in[0].has_rank() || !in[1].has_rank()) return std::nullopt;
  if (legacy_ && !broadcast_ && !certainly_equal(*in[0].dims, *in[1].dims)) return std::nullopt;
  return aligned(in[0], in[1]);
}

std::vector<Source> BinaryBroadcast::sources(const CompileInput& in) const {
  const Fact b(in.dtype(1), aligned(in.fact(0), in.fact(1)));
  return {{0, in.shape(0)}, {1, b.shape()}};
}

}  // namespace linnet
