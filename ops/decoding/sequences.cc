#include "decoding/sequences.h"

#include <algorithm>

#include "linnet/shape.h"

namespace linnet {

Sequences::Sequences(std::span<const int32_t> prompts, int64_t batch, int64_t length, int64_t beams)
    : batch_(batch), beams_(beams), rows_(checked_mul(batch, beams)), length_(length) {
  Checkpoints checkpoints;
  tokens_.resize(size_t(checked_mul(rows_, length)));
  for (int64_t i = 0; i < rows_; ++i) {
    const auto prompt = prompts.subspan(size_t(checked_mul(i / beams, length)), size_t(length));
    std::ranges::copy(prompt, tokens_.data() + i * length);
    checkpoints.add(length);
  }
}

void Sequences::append(std::span<const int64_t> rows, std::span<const int32_t> tokens) {
  Checkpoints checkpoints;
  CountedVector<int32_t> longer(size_t(checked_mul(int64_t(rows.size()), checked_add(length_, 1))));
  int32_t* to = longer.data();
  for (size_t i = 0; i < rows.size(); ++i) {
    to = std::ranges::copy(row(rows[i]), to).out;
    *to++ = tokens[i];
    checkpoints.add(length_);
  }
  tokens_ = std::move(longer);
  ++length_;
}

}  // namespace linnet
