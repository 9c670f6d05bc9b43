#include "decoding/whisper_timestamps.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

// Text tokens are 0 to 3, tasks 5 to 9, timestamps from 10 on.
const Attributes kTokens{{"eos_token_id", int64_t{4}},
                         {"decoder_start_token_id", int64_t{5}},
                         {"translate_token_id", int64_t{6}},
                         {"transcribe_token_id", int64_t{7}},
                         {"start_of_lm_token_id", int64_t{8}},
                         {"no_timestamps_token_id", int64_t{9}},
                         {"beginning_timestamp_token_id", int64_t{10}}};

NodeSpec spec(Attributes attributes) {
  NodeSpec node;
  node.attributes = std::move(attributes);
  return node;
}

/// Returns the allowed next tokens among 70 that are equally probable, or of which text and its end are more probable.
std::vector<int32_t> allowed_after(const std::vector<int32_t>& tokens, bool probable_text = true) {
  std::vector<float> scores(70, -9);
  if (probable_text) std::fill_n(scores.begin(), 5, -0.1F);
  apply_timestamp_rules(WhisperTokens(spec(kTokens)), tokens, scores);
  std::vector<int32_t> allowed;
  for (int32_t i = 0; i < 70; ++i) {
    if (scores[size_t(i)] > std::numeric_limits<float>::lowest()) allowed.push_back(i);
  }
  return allowed;
}

/// Returns the numbers from `begin` to `end` after those in `before`.
std::vector<int32_t> range(int32_t begin, int32_t end, std::vector<int32_t> before = {}) {
  for (int32_t i = begin; i < end; ++i) before.push_back(i);
  return before;
}

TEST(WhisperTimestamps, TheFirstOneIsAmongTheFirst51) {
  EXPECT_EQ(allowed_after({5, 7}), range(10, 61, range(0, 8)));
  EXPECT_EQ(allowed_after({5, 7}, false), range(10, 61));  // Together they are more probable than any text.
}

TEST(WhisperTimestamps, TextFollowsTheFirstOne) { EXPECT_EQ(allowed_after({5, 12}), range(0, 8)); }

TEST(WhisperTimestamps, OneThatEndsTextIsRepeatedOrLater) {
  EXPECT_EQ(allowed_after({5, 12, 1, 20}), range(20, 70, {4}));
  EXPECT_EQ(allowed_after({5, 12, 1, 20, 20}), range(0, 5));
}

TEST(WhisperTimestamps, LaterOnesFollowText) {
  EXPECT_EQ(allowed_after({5, 12, 1}), range(13, 70, range(0, 5)));
  EXPECT_EQ(allowed_after({5, 12, 1, 20, 20, 2}), range(21, 70, range(0, 5)));
}

TEST(WhisperTimestamps, AllTokensMustBeNamed) {
  Attributes attributes = kTokens;
  attributes.erase("translate_token_id");
  expect_error(ErrorKind::kModel, "translate_token_id must be given", [&] { WhisperTokens{spec(attributes)}; });
}

}  // namespace
}  // namespace linnet::testing
