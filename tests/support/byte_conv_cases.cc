#include "support/byte_conv_cases.h"

namespace linnet::testing {

const std::vector<ByteConvCase>& byte_conv_cases() {
  static const std::vector<ByteConvCase> cases{
      {{2, 3, 9, 8}, {5, 3, 3, 3}, {{2, 2}, {1, 1, 1, 1}, {1, 1}, 1}},
      {{1, 3, 17, 17}, {8, 3, 7, 7}, {{2, 2}, {3, 3, 3, 3}, {1, 1}, 1}},
      {{3, 6, 5, 4}, {9, 2, 3, 2}, {{1, 1}, {1, 0, 1, 1}, {1, 2}, 3}},
      {{2, 9, 6, 5}, {6, 3, 1, 1}, {{1, 1}, {0, 0, 0, 0}, {1, 1}, 3}},
      {{1, 7, 6, 6}, {7, 1, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}, 7}},
      {{40, 5, 3, 3}, {70, 5, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}},
      {{1, 20, 12, 13}, {33, 20, 3, 3}, {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}},
      {{1, 2, 2, 2}, {3, 2, 3, 3}, {{1, 1}, {4, 4, 4, 4}, {2, 2}, 1}},
  };
  return cases;
}

Attributes conv_attributes(const ConvSettings& s) {
  return {{"strides", s.strides}, {"pads", s.pads}, {"dilations", s.dilations}, {"group", s.group}};
}

}  // namespace linnet::testing
