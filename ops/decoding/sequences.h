#pragma once

#include <cstdint>
#include <span>

#include "partition/checkpoints.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The tokens of a batch's sequences so far: `beams` rows for each prompt, all of equal length.
class Sequences {
 public:
  /// `prompts`: [batch, length].
  Sequences(std::span<const int32_t> prompts, int64_t batch, int64_t length, int64_t beams);

  int64_t batch() const { return batch_; }
  int64_t beams() const { return beams_; }
  int64_t rows() const { return rows_; }
  int64_t length() const { return length_; }
  std::span<const int32_t> row(int64_t i) const { return {tokens_.data() + i * length_, size_t(length_)}; }
  /// The tokens of all rows: [rows, length].
  std::span<const int32_t> all() const { return tokens_; }

  /// Makes row i a copy of row rows[i], followed by tokens[i].
  void append(std::span<const int64_t> rows, std::span<const int32_t> tokens);

 private:
  int64_t batch_, beams_, rows_, length_;
  CountedVector<int32_t> tokens_;
};

}  // namespace linnet
