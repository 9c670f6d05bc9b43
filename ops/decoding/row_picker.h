#pragma once

#include "decoding/search.h"

namespace linnet {

/// Continues each row by one token. Continues a row that ended with eos_token_id by padding.
class RowPicker : public Picker {
 public:
  RowPicker(const SearchAttributes& attributes, int64_t rows);

  void pick(NextScores& scores, const Sequences& sequences) final;
  std::span<const int64_t> rows() const final { return rows_; }
  std::span<const int32_t> tokens() const final { return tokens_; }
  bool done() const final;

 private:
  virtual void choose(NextScores& scores, std::span<int32_t> tokens) = 0;

  int32_t end_, padding_;
  CountedVector<int64_t> rows_;
  CountedVector<int32_t> tokens_;
  CountedVector<uint8_t> ended_;
};

/// Writes the sequences with padding: int32 [rows, length].
void write_sequences(const Sequences& sequences, int32_t padding, Tensor& result);

}  // namespace linnet
