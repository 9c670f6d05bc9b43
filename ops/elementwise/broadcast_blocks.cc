#include "elementwise/broadcast_blocks.h"

#include <algorithm>
#include <complex>
#include <cstdint>

#include "linnet/dtype.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

constexpr int64_t kBroadcastBlock = 512;  // elements
constexpr int64_t kLongestRow = 256;      // longer rows are computed individually

bool stands_still(const BroadcastPlan::Input& input) {
  return input.scalar && std::ranges::all_of(input.strides, [](int64_t stride) { return stride == 0; });
}

/// Writes `count` contiguous rows of `row` elements: copies of x[r * stride] if `scalar`, else the elements from there
/// on.
template <class T>
void write_rows(const std::byte* from, int64_t stride, int64_t count, int64_t row, bool scalar, std::byte* to) {
  const T* x = reinterpret_cast<const T*>(from);
  T* __restrict y = reinterpret_cast<T*>(to);
  for (int64_t r = 0; r < count; ++r, x += stride, y += row) {
    if (scalar) {
      std::fill_n(y, row, *x);
    } else {
      for (int64_t i = 0; i < row; ++i) y[i] = x[i];
    }
  }
}

decltype(&write_rows<uint8_t>) writer(size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return write_rows<uint8_t>;
    case 2:
      return write_rows<uint16_t>;
    case 4:
      return write_rows<uint32_t>;
    case 8:
      return write_rows<uint64_t>;
    default:
      return write_rows<std::complex<double>>;
  }
}

}  // namespace

bool BroadcastBlocks::suit(const BroadcastPlan& plan) {
  return plan.elements > 0 && !plan.outer_dims.empty() && plan.row <= kLongestRow;
}

BroadcastBlocks::BroadcastBlocks(const BroadcastPlan& plan, const std::vector<size_t>& element_bytes) : plan_(plan) {
  size_t outer = plan.outer_dims.size();
  while (outer > 0 && plan.outer_dims[outer - 1] <= kBroadcastBlock / plan.row / period_rows_) {
    period_rows_ *= plan.outer_dims[--outer];
  }
  block_rows_ = std::max<int64_t>(1, kBroadcastBlock / plan.row / period_rows_) * period_rows_;
  for (size_t k = 0; k < plan.inputs.size(); ++k) {
    const BroadcastPlan::Input& own = plan.inputs[k];
    const auto repeats = std::all_of(own.strides.begin(), own.strides.begin() + std::ptrdiff_t(outer),
                                     [](int64_t stride) { return stride == 0; });
    Input input{Kind::kRows, element_bytes[k], scratch_bytes_, writer(element_bytes[k])};
    if (own.dense) input.kind = Kind::kDense;
    if (!own.dense && repeats) input.kind = stands_still(own) ? Kind::kScalar : Kind::kRepeated;
    inputs_.push_back(input);
    if (input.kind >= Kind::kRepeated) scratch_bytes_ += aligned(size_t(kBroadcastBlock) * element_bytes[k]);
  }
}

int64_t BroadcastBlocks::periods() const { return plan_.elements / plan_.row / period_rows_; }

BroadcastBlocks::Reader::Reader(const BroadcastBlocks& rows, const std::byte* const* x, std::byte* scratch,
                                int64_t first_period, int64_t last_period, Operand* operands)
    : rows_(rows),
      x_(x),
      cursor_(rows.plan_, first_period * rows.period_rows_),
      row_(first_period * rows.period_rows_),
      end_(last_period * rows.period_rows_),
      operands_(operands) {
  for (size_t k = 0; k < rows.inputs_.size(); ++k) {
    const Input& input = rows.inputs_[k];
    const bool in_place = input.kind <= Kind::kScalar;
    operands[k] = {in_place ? x[k] : scratch + input.room, input.kind == Kind::kScalar};
  }
}

int64_t BroadcastBlocks::Reader::next() {
  const int64_t count = std::min(rows_.block_rows_, end_ - row_);
  if (count == 0) return 0;
  const int64_t width = rows_.plan_.row;
  for (size_t k = 0; k < rows_.inputs_.size(); ++k) {
    const Input& input = rows_.inputs_[k];
    if (input.kind == Kind::kDense) operands_[k].data = x_[k] + size_t(row_ * width) * input.element_bytes;
    if (input.kind == Kind::kRows || (input.kind == Kind::kRepeated && !begun_)) write(k, count);
  }
  begun_ = true;
  row_ += count;
  for (int64_t rest = count; rest > 0;) {
    const int64_t rows = std::min(rest, cursor_.rows_left());
    cursor_.advance(rows);
    rest -= rows;
  }
  return count * width;
}

void BroadcastBlocks::Reader::write(size_t k, int64_t count) const {
  const Input& input = rows_.inputs_[k];
  const BroadcastPlan::Input& own = rows_.plan_.inputs[k];
  const int64_t width = rows_.plan_.row;
  auto* to = static_cast<std::byte*>(const_cast<void*>(operands_[k].data));
  RowCursor cursor = cursor_;
  while (count > 0) {
    const int64_t rows = std::min(count, cursor.rows_left());
    const std::byte* from = x_[k] + size_t(cursor.offset(int(k))) * input.element_bytes;
    input.write(from, own.strides.back(), rows, width, own.scalar, to);
    to += size_t(rows * width) * input.element_bytes;
    count -= rows;
    cursor.advance(rows);
  }
}

}  // namespace linnet
