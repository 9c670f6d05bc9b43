#include "decoding/row_picker.h"

#include <algorithm>
#include <numeric>

namespace linnet {

RowPicker::RowPicker(const SearchAttributes& attributes, int64_t rows)
    : end_(attributes.eos_token_id),
      padding_(attributes.pad_token_id),
      rows_(size_t(rows)),
      tokens_(size_t(rows)),
      ended_(size_t(rows)) {
  std::iota(rows_.begin(), rows_.end(), 0);
}

void RowPicker::pick(NextScores& scores, const Sequences&) {
  choose(scores, tokens_);
  for (size_t row = 0; row < tokens_.size(); ++row) {
    ended_[row] = ended_[row] || tokens_[row] == end_;
    if (ended_[row]) tokens_[row] = padding_;
  }
}

bool RowPicker::done() const {
  return std::ranges::all_of(ended_, [](uint8_t ended) { return ended != 0; });
}

void write_sequences(const Sequences& sequences, int32_t padding, Tensor& result) {
  Checkpoints checkpoints;
  const int64_t length = result.dim(1);
  for (int64_t i = 0; i < sequences.rows(); ++i) {
    int32_t* to = std::ranges::copy(sequences.row(i), result.data<int32_t>() + i * length).out;
    checkpoints.in_parts(length - sequences.length(), 1,
                         [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, padding); });
  }
}

}  // namespace linnet
