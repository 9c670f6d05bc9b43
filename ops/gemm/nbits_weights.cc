#include "gemm/nbits_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "elements/bit_stream.h"
#include "infer/infer.h"
#include "partition/parts.h"

namespace linnet {
namespace {

void require_elements(const Fact& fact, int64_t count, const char* name) {
  if (!fact.present() || !fact.concrete() || fact.shape().elements() == count) return;
  throw Error(ErrorKind::kShape,
              str(name, " must have ", count, " elements for K, N, bits and block_size, got ", fact));
}

/// Reads all scales without an early exit, which is faster.
bool all_finite(std::span<const float> scales) {
  bool finite = true;
  for (const float scale : scales) finite &= bool(std::isfinite(scale));
  return finite;
}

int64_t panel_bytes(const NBitsForm& form) { return checked_mul(form.blocks, form.block_bytes()); }

/// Packs one panel after another.
class NBitsPacker {
 public:
  NBitsPacker(const NBitsMatrix& matrix, const NBitsParts& parts, const NBitsRows& rows, const NBitsForm& form)
      : m_(matrix),
        rows_(rows),
        form_(form),
        codes_(parts.codes.data<uint8_t>()),
        scales_(parts.scales.data<float>()),
        zeros_(parts.zeros.raw()) {}

  void pack(int64_t panel, std::byte* to) const {
    const int64_t first = panel * form_.lanes, columns = std::min<int64_t>(form_.lanes, m_.n - first);
    std::memset(to, 0, size_t(panel_bytes(form_)));
    for (int64_t block = 0; block < form_.blocks; ++block, to += form_.block_bytes()) {
      for (int64_t j = 0; j < columns; ++j) {
        pack_codes(first + j, block, to + 4 * j);
        pack_parameters(first + j, j, block, to + form_.code_bytes());
      }
    }
  }

 private:
  void pack_codes(int64_t column, int64_t block, std::byte* to) const {
    const int groups = 8 / form_.bits;
    const uint8_t* codes = codes_ + column * m_.code_bytes();
    uint8_t values[kLongestNBitsBlock];
    read_block(codes, block * form_.block, values);
    for (int k = 0; k < form_.block; k += 4 * groups, to += 4 * form_.lanes) {
      for (int j = 0; j < 4; ++j) {
        int byte = 0;
        for (int g = 0; g < groups; ++g) byte |= values[k + 4 * g + j] << (g * form_.bits);
        to[j] = std::byte(byte);
      }
    }
  }

  void read_block(const uint8_t* codes, int64_t first, uint8_t* values) const {
    if (rows_.in_order()) {
      const int64_t n = std::min<int64_t>(form_.block, m_.k - first);
      const auto read = form_.bits == 2 ? read_codes<2> : form_.bits == 4 ? read_codes<4> : read_codes<8>;
      read(codes, first, n, values);
      std::fill(values + n, values + form_.block, uint8_t{0});
      return;
    }
    for (int i = 0; i < form_.block; ++i) {
      const int64_t row = rows_.row(first + i);
      values[i] = row < 0 ? uint8_t{0} : uint8_t(code_at(codes, row, form_.bits));
    }
  }

  void pack_parameters(int64_t column, int64_t j, int64_t block, std::byte* to) const {
    const int64_t group = rows_.group(block), from = column * m_.blocks() + group;
    const Half half(scales_[from]);
    if (form_.half_scales) {
      std::memcpy(to + 2 * j, &half, sizeof half);
    } else {
      std::memcpy(to + 4 * j, scales_ + from, sizeof(float));
    }
    to += form_.scale_bytes();
    if (form_.zeros == NBitsZeros::kBytes) {
      const auto* zeros = static_cast<const uint8_t*>(zeros_) + column * m_.zero_bytes();
      to[j] = std::byte(code_at(zeros, group, m_.bits));
    } else if (form_.zeros == NBitsZeros::kFloats) {
      std::memcpy(to + 4 * j, static_cast<const float*>(zeros_) + from, sizeof(float));
    }
  }

  const NBitsMatrix& m_;
  const NBitsRows& rows_;
  const NBitsForm& form_;
  const uint8_t* codes_;
  const float* scales_;
  const void* zeros_;
};

}  // namespace

int64_t NBitsMatrix::blocks() const { return ceil_div(k, block_size); }
int64_t NBitsMatrix::code_bytes() const { return checked_mul(checked_mul(blocks(), block_size / 8), bits); }
int64_t NBitsMatrix::zero_bytes() const { return ceil_div(checked_mul(blocks(), bits), 8); }

void check_nbits_parts(const NBitsMatrix& m, const Fact& codes, const Fact& scales, const Fact& zeros,
                       const Fact& order) {
  require_elements(codes, checked_mul(m.n, m.code_bytes()), "input B");
  require_elements(scales, checked_mul(m.n, m.blocks()), "input scales");
  const bool bytes = zeros.dtype == DType::kUint8;
  require_elements(zeros, checked_mul(m.n, bytes ? m.zero_bytes() : m.blocks()), "input zero_points");
  // Some exporters pad the order to whole blocks.
  if (!order.present() || !order.concrete() || order.shape().elements() != checked_mul(m.blocks(), m.block_size)) {
    require_elements(order, m.k, "input g_idx");
  }
  if (order.present() && order.constant) check_nbits_order(m, order.constant);
}

void check_nbits_scales(const Tensor& scales) {
  if (scales.dtype() != DType::kFloat32) return;
  const std::span<const float> values = scales.values<float>();
  if (all_finite(values)) return;
  const auto bad = std::find_if(values.begin(), values.end(), [](float scale) { return !std::isfinite(scale); });
  throw Error(ErrorKind::kModel, str("input scales must be finite, got ", *bad, " at element ", bad - values.begin()));
}

void check_nbits_order(const NBitsMatrix& m, const Tensor& order) {
  const int64_t blocks = m.blocks();
  for (int64_t i = 0; i < m.k; ++i) {
    const int64_t group = order.data<int32_t>()[i];
    if (group >= 0 && group < blocks) continue;
    throw Error(ErrorKind::kModel,
                str("input g_idx must name one of ", blocks, " blocks, got ", group, " at element ", i));
  }
}

NBitsRows::NBitsRows(const NBitsMatrix& m, const Tensor& order)
    : k_(m.k),
      block_(int(std::min<int64_t>(
          {m.block_size, kLongestNBitsBlock, std::max<int64_t>(16, int64_t(std::bit_ceil(uint64_t(m.k))))}))) {
  if (!order) {
    for (int64_t i = 0; i < ceil_div(m.k, block_); ++i) groups_.push_back(checked_mul(i, block_) / m.block_size);
    return;
  }
  CountedVector<CountedVector<int64_t>> rows(static_cast<size_t>(m.blocks()));
  const int32_t* groups = order.data<int32_t>();
  for (int64_t i = 0; i < m.k; ++i) rows[size_t(groups[i])].push_back(i);
  for (size_t group = 0; group < rows.size(); ++group) {
    const int64_t blocks = ceil_div(int64_t(rows[group].size()), block_);
    rows[group].resize(size_t(checked_mul(blocks, block_)), -1);
    rows_.insert(rows_.end(), rows[group].begin(), rows[group].end());
    groups_.insert(groups_.end(), size_t(blocks), int64_t(group));
  }
}

bool are_halves(const Tensor& scales) {
  const float* x = scales.data<float>();
  return std::all_of(x, x + scales.size(), [](float scale) { return float(Half(scale)) == scale; });
}

int64_t packed_bytes(const NBitsMatrix& m, const NBitsForm& form) {
  return checked_mul(ceil_div(m.n, form.lanes), panel_bytes(form));
}

void pack_nbits(const NBitsMatrix& m, const NBitsParts& parts, const NBitsRows& rows, const NBitsForm& form,
                Executor& executor, std::byte* packed) {
  check_nbits_scales(parts.scales);
  const NBitsPacker packer(m, parts, rows, form);
  const std::ptrdiff_t pitch = panel_bytes(form);
  executor.parallel_for(ceil_div(m.n, form.lanes), [&](int64_t i, int) { packer.pack(i, packed + i * pitch); });
}

}  // namespace linnet
