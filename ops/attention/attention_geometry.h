#pragma once

#include <array>
#include <cstdint>

#include "linnet/tensor.h"

namespace linnet {

/// The sizes of an attention; kv_length includes past keys.
struct AttentionSizes {
  int64_t batch = 0;
  int64_t q_heads = 0;
  int64_t kv_heads = 0;  ///< query head h reads key and value head h / (q_heads / kv_heads)
  int64_t q_length = 0;
  int64_t kv_length = 0;
  int64_t past_length = 0;
  int64_t head_size = 0;
  int64_t v_head_size = 0;
  bool joined_heads = false;  ///< Q and Y are [batch, length, heads * size], else [batch, heads, length, size]
  bool joined_kv = false;     ///< K and V are [batch, length, heads * size]

  int64_t group() const { return q_heads / kv_heads; }
};

/// The layout of a tensor's rows: row i of head h of sample b begins at element at(b, h, i).
struct HeadLayout {
  int64_t batch, head, row;

  HeadLayout() = default;
  HeadLayout(bool joined_heads, int64_t heads, int64_t length, int64_t size)
      : batch(checked_mul(checked_mul(heads, length), size)),
        head(joined_heads ? size : checked_mul(length, size)),
        row(joined_heads ? checked_mul(heads, size) : size) {}
  std::ptrdiff_t at(int64_t b, int64_t h, int64_t i) const { return b * batch + h * head + i * row; }
};

/// The keys [begin, end).
struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
  bool operator==(const KeyRange&) const = default;
};

/// The keys that a query may attend, apart from attn_mask. Query i is at position offset + i.
struct AttentionWindow {
  static constexpr int64_t kUnbounded = -1;

  int64_t left = kUnbounded;   ///< number of positions to the left
  int64_t right = kUnbounded;  ///< number of positions to the right; 0 for causal attention

  /// The keys of query i if only the first `keys` are valid.
  KeyRange keys_of(int64_t i, int64_t offset, int64_t keys) const;
};

/// attn_mask, broadcast to [batch, q_heads, q_length, kv_length].
class AttentionMask {
 public:
  AttentionMask() = default;
  /// `padded`: a last dim that is shorter than kv_length is not broadcast; the keys beyond it are disallowed instead.
  AttentionMask(const Shape& mask, const AttentionSizes& sizes, bool padded);

  explicit operator bool() const { return given_; }
  /// The number of keys that the mask covers.
  int64_t columns() const { return columns_; }
  bool same_for_all_queries() const { return strides_[2] == 0; }
  /// The bias of keys [begin, end) for query i of head h: a pointer into the mask if its dtype is C, else into
  /// `buffer`.
  template <class C>
  const C* bias(const Tensor& mask, int64_t b, int64_t h, int64_t i, const KeyRange& keys, C* buffer) const;

 private:
  bool given_ = false;
  std::array<int64_t, 3> strides_{};  // of batch, head and query; 0 where broadcast
  int64_t columns_ = 0;
  bool one_column_ = false;  // which is broadcast to all keys
};

}  // namespace linnet
