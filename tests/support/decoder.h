#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/graph_builder.h"

namespace linnet::testing {

/// The operators that implement the attention of a layer.
enum class DecoderForm { kWritten, kAttention, kAttentionWithPast, kMultiHead, kGroupQuery };

/// Additional features of a decoder.
struct DecoderExtras {
  bool mask = false;        ///< of ones and zeros for all rows; GroupQueryAttention always has one, of ones
  bool positions = false;   ///< embeddings that start at the number of past rows
  bool sum = false;         ///< the sum of all keys is an output
  bool traced = false;      ///< concatenation with empty caches, sizes read one by one, a gathered mask
  bool causal = false;      ///< no key after the query, by an attribute, or a mask made from lengths
  bool rows_first = false;  ///< caches are [B, P, H, D], unless the attention is an operator with caches
  bool recurrent = false;   ///< a state of fixed size after the growing ones
  int64_t opset = 24;
  DType dtype = DType::kFloat32;
};

/// A decoder of two layers that share their weights. Inputs: x [B, S, W]; for each layer past.k and past.v [B, H, P,
/// D]; h [B, 1, W] if it is recurrent; the mask [B, P + S]. Outputs: y; for each layer k and v with the new rows; the
/// next h; the sum.
class Decoder {
 public:
  static constexpr int64_t kHeads = 4, kSize = 8, kWidth = kHeads * kSize;
  static constexpr int64_t kOpenBatch = -1;

  explicit Decoder(DecoderForm form, const DecoderExtras& extras = {}, int64_t batch = 1);

  Model model(const ModelOptions& options = {}) const { return b_.model(options); }
  /// Returns the inputs of a run by name, except states.
  std::vector<std::pair<std::string, Tensor>> inputs(int64_t past, int64_t steps, unsigned seed) const {
    return inputs(batch_, past, steps, seed);
  }
  std::vector<std::pair<std::string, Tensor>> inputs(int64_t batch, int64_t past, int64_t steps, unsigned seed) const;
  int64_t batch() const { return batch_; }
  /// Returns the axis of the states' rows.
  int rows_axis() const { return has_rows_first(form_, extras_) ? 1 : 2; }
  static bool has_rows_first(DecoderForm form, const DecoderExtras& extras) {
    return extras.rows_first && (form == DecoderForm::kWritten || form == DecoderForm::kAttention);
  }
  /// Returns the number of inputs after x, and of outputs after y, that can be states. The first kGrowing of them have
  /// rows.
  size_t states() const { return kGrowing + (extras_.recurrent ? 1 : 0); }
  static constexpr size_t kGrowing = 4;
  Shape state_shape(size_t state, int64_t batch, int64_t rows) const;
  /// Returns random contents of a state.
  Tensor random_state(size_t state, int64_t batch, int64_t rows, unsigned seed) const;
  Shape state_shape(size_t state, int64_t rows) const { return state_shape(state, batch_, rows); }

 private:
  DecoderForm form_;
  DecoderExtras extras_;
  int64_t batch_;
  GraphBuilder b_;
};

}  // namespace linnet::testing
