#include "pt2/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

using pt2::JsonDocument;
using pt2::JsonRef;

void expect_json_refused(ErrorKind kind, const std::string& text, const std::string& json) {
  expect_error(kind, text, [&] { JsonDocument("f.json", json); });
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Pt2Json, ReadsValuesOfEachKind) {
  const JsonDocument document("f.json", R"({"a": [1, -2.5, true, null, "t\u00e9"], "b": 9223372036854775807})");
  const JsonRef root = document.root(), a = root.at("a");
  EXPECT_EQ(a.size(), 5U);
  EXPECT_EQ(a[0].integer(), 1);
  EXPECT_EQ(a[1].number(), -2.5);
  EXPECT_TRUE(a[2].boolean());
  EXPECT_TRUE(a[3].is_null());
  EXPECT_EQ(a[4].text(), "t\xc3\xa9");
  EXPECT_EQ(root.at("b").integer(), INT64_MAX);
}

TEST(Pt2Json, TakesTextsForNumbersThatAreNotFinite) {
  const JsonDocument document("f.json", R"(["Infinity", "-Infinity", "NaN", 3])");
  const JsonRef root = document.root();
  EXPECT_EQ(root[0].number(), HUGE_VAL);
  EXPECT_EQ(root[1].number(), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(root[2].number()));
  EXPECT_EQ(root[3].number(), 3);
}

TEST(Pt2Json, NamesThePlaceOfWhatIsWrong) {
  const JsonDocument document("f.json", R"({"a": {"b": [0, {"c": "x"}]}, "n": null})");
  const JsonRef b = document.root().at("a").at("b");
  expect_error(ErrorKind::kModel, "f.json: a.b[1].c: expected an integer of 64 bits, got a text",
               [&] { b[1].at("c").integer(); });
  expect_error(ErrorKind::kModel, "f.json: a.b[1]: 'd' is missing", [&] { b[1].at("d"); });
  expect_error(ErrorKind::kModel, "f.json: a.b: expected at least 3 elements, got 2", [&] { b[2]; });
  expect_error(ErrorKind::kModel, "f.json: expected a list, got an object", [&] { document.root().size(); });
  expect_error(ErrorKind::kModel, "f.json: expected an object with one member, got 2",
               [&] { document.root().only_member(); });
  expect_error(ErrorKind::kUnsupported, "f.json: n: no",
               [&] { document.root().at("n").fail("no", ErrorKind::kUnsupported); });
}

TEST(Pt2Json, AnAbsentMemberIsAsNull) {
  const JsonDocument document("f.json", R"({"n": null, "a": 1})");
  EXPECT_FALSE(document.root().find("n"));
  EXPECT_FALSE(document.root().find("m"));
  EXPECT_TRUE(document.root().find("a"));
}

TEST(Pt2Json, IntegersBeyond64BitsAreNone) {
  const JsonDocument document("f.json", "[9223372036854775808, 100000000000000000000, -9223372036854775808, 1e2]");
  const JsonRef root = document.root();
  for (const size_t i : {0, 1, 3}) {
    expect_error(ErrorKind::kModel, "expected an integer of 64 bits, got a number", [&] { root[i].integer(); });
  }
  EXPECT_EQ(root[2].integer(), INT64_MIN);
  EXPECT_EQ(root[1].number(), 1e20);
}

TEST(Pt2Json, RefusesWhatIsNoJson) {
  for (const char* const text : {"", "{", "[1,]", "{\"a\" 1}", "[1] 2", "nul", "[NaN]", "\"\xff\"", "[1e999]", "'a'"}) {
    expect_json_refused(ErrorKind::kModel, "f.json: no valid JSON", text);
  }
  expect_json_refused(ErrorKind::kModel, "the key 'a' twice", R"([{"a": 1, "b": 2, "a": 3}])");
}

TEST(Pt2Json, BoundsNesting) {
  EXPECT_NO_THROW(JsonDocument("f.json", nested(200)));
  expect_json_refused(ErrorKind::kLimit, "f.json: lists and objects are nested in more than 200 levels", nested(201));
  expect_json_refused(ErrorKind::kLimit, "200 levels", std::string(1'000'000, '['));
}

}  // namespace
}  // namespace linnet::testing
