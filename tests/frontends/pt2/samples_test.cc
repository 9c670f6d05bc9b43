#include "pt2/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive_writer.h"
#include "linnet/error.h"

namespace linnet::testing {
namespace {

using ::testing::HasSubstr;

std::vector<pt2::Sample> samples_of(const std::string& json) {
  ArchiveWriter writer = program_archive(ProgramText().text());
  return read_samples(open_archive(writer.add("m/extra/linnet/samples.json", json).finish()));
}

/// Returns one sample with this tensor as input x.
std::string with_input(const std::string& tensor) { return R"([{"inputs": {"x": )" + tensor + R"(}, "outputs": []}])"; }

std::string tensor(const std::string& dtype, const std::string& shape, const std::string& base64) {
  return R"({"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "base64": ")" + base64 + R"("})";
}

std::string message_of(const std::string& tensor) {
  try {
    samples_of(with_input(tensor));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

TEST(Pt2Samples, AreNoneWithoutAMember) {
  EXPECT_TRUE(read_samples(open_archive(program_archive(ProgramText().text()).finish())).empty());
}

TEST(Pt2Samples, HoldInputsAndOutputs) {
  const std::string json = R"([{"inputs": {"x": )" + tensor("float32", "[2]", "AACAPwAAAEA=") + R"(}, "outputs": [)" +
                           tensor("int16", "[1, 3]", "AQACAAMA") + ", " + tensor("bool", "[]", "Ag==") + "]}]";
  const std::vector<pt2::Sample> samples = samples_of(json);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].inputs.at(0).first, "x");
  EXPECT_THAT(samples[0].inputs[0].second.data<float>(), ::testing::Pointee(1.0f));
  EXPECT_EQ(samples[0].inputs[0].second.data<float>()[1], 2.0f);
  EXPECT_EQ(samples[0].outputs.at(0).shape(), Shape({1, 3}));
  EXPECT_EQ(samples[0].outputs[0].data<int16_t>()[2], 3);
  EXPECT_EQ(*static_cast<const uint8_t*>(samples[0].outputs.at(1).raw()), 1) << "any byte but 0 is true";
}

TEST(Pt2Samples, MayBeEmptyTensors) {
  EXPECT_EQ(samples_of(with_input(tensor("float32", "[0, 7]", ""))).at(0).inputs[0].second.shape(), Shape({0, 7}));
}

TEST(Pt2Samples, RefuseWhatDoesNotFit) {
  EXPECT_THAT(message_of(tensor("float32", "[3]", "AACAPwAAAEA=")), HasSubstr("[0].inputs.x.base64"));
  EXPECT_THAT(message_of(tensor("float32", "[2]", "AACAPwAAAEA=AAAA")), HasSubstr("expected base64 of 8 bytes"));
  EXPECT_THAT(message_of(tensor("float32", "[2]", "AACAPwAA*EA=")), HasSubstr("'*' is not a digit of base64"));
  EXPECT_THAT(message_of(tensor("string", "[1]", "AA==")), HasSubstr("not a dtype of a sample"));
  EXPECT_THAT(message_of(tensor("float32", "[-1]", "")), HasSubstr("-1 is not a size"));
  EXPECT_THAT(message_of(tensor("int8", "[4611686018427387904]", "")), HasSubstr("expected base64"));
  EXPECT_THAT(message_of(R"("AAAA")"), HasSubstr("[0].inputs.x"));
}

}  // namespace
}  // namespace linnet::testing
