#include "pt2/weights.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "archive_writer.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using pt2::Archive;

std::string list(const std::vector<int64_t>& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += str(text.empty() ? "" : ", ", R"({"as_int": )", size, "}");
  return text;
}

/// A stored tensor.
struct Stored {
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  int scalar_type = 7;
  bool pickle = false;
  std::string path = "weight_0";

  std::string meta() const { return ProgramText::meta(str(scalar_type), list(sizes), list(strides), str(offset)); }
  std::string payload() const {
    return str(R"({"path_name": ")", path, R"(", "is_param": true, "use_pickle": )", pickle ? "true" : "false",
               R"(, "tensor_meta": )", meta(), "}");
  }
};

/// Returns a program with parameters w0, w1, ..., which are stored as `tensors` describe in these storages.
template <class T>
std::string archive_of(const std::vector<Stored>& tensors, const std::vector<std::vector<T>>& storages) {
  ProgramText text;
  std::string config;
  for (size_t i = 0; i < tensors.size(); ++i) {
    text.inputs += str(R"(, {"as_tensor": {"name": "p)", i, R"("}})");
    text.values += str(R"(, "p)", i, R"(": )", tensors[i].meta());
    text.input_specs += str(R"(, {"parameter": {"arg": {"name": "p)", i, R"("}, "parameter_name": "w)", i, R"("}})");
    config += str(config.empty() ? "" : ", ", "\"w", i, "\": ", tensors[i].payload());
  }
  ArchiveWriter writer = program_archive(text.text());
  for (size_t i = 0; i < storages.size(); ++i) writer.add(str("m/data/weights/weight_", i), storages[i]);
  return writer.add("m/data/weights/model_weights_config.json", R"({"config": {)" + config + "}}").finish();
}

std::map<std::string, Tensor> read(const Archive& archive) { return read_weights(archive, read_program(archive)); }

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};

/// Returns the only weight of an archive in memory.
Tensor weight(const Stored& stored, const std::vector<float>& storage = kSix) {
  return read(open_archive(archive_of<float>({stored}, {storage}))).at("w0");
}

void expect_weights_refused(ErrorKind kind, const std::string& text, const Stored& stored,
                            const std::vector<float>& storage = kSix) {
  expect_error(kind, text, [&] { weight(stored, storage); });
}

TEST(Pt2Weights, DenseOnesShareTheBytesOfMemory) {
  const Archive archive = open_archive(archive_of<float>({{{2, 3}, {3, 1}}, {{2}, {1}, 4}}, {kSix}));
  const auto weights = read(archive);
  const std::byte* const stored = archive.member("data/weights/weight_0").bytes.data();
  EXPECT_EQ(weights.at("w0").address(), stored);
  EXPECT_EQ(weights.at("w1").address(), stored + 16);
  EXPECT_TRUE(identical(weights.at("w0"), Tensor::of(Shape{2, 3}, kSix)));
  EXPECT_TRUE(identical(weights.at("w1"), Tensor::of<float>({5, 6})));
}

TEST(Pt2Weights, OutliveTheArchive) {
  const auto weights = read(open_archive(archive_of<float>({{{6}, {1}}}, {kSix})));
  EXPECT_TRUE(identical(weights.at("w0"), Tensor::of(kSix)));
}

TEST(Pt2Weights, AreCopiedWhereMemoryIsNotAligned) {
  for (const size_t aside : {1, 2, 3, 4}) {
    const Archive archive = open_archive(archive_of<float>({{{6}, {1}}}, {kSix}), aside);
    const Tensor tensor = read(archive).at("w0");
    EXPECT_TRUE(identical(tensor, Tensor::of(kSix)));
    const bool shared = tensor.address() == archive.member("data/weights/weight_0").bytes.data();
    EXPECT_EQ(shared, aside == 4) << aside;
  }
}

TEST(Pt2Weights, AreCopiedWhereMemoryHasNoOwner) {
  const std::string bytes = archive_of<float>({{{6}, {1}}}, {kSix});
  const auto archive = Archive::from_bytes(std::as_bytes(std::span(bytes)));
  const Tensor tensor = read(archive).at("w0");
  EXPECT_NE(tensor.address(), archive.member("data/weights/weight_0").bytes.data());
  EXPECT_TRUE(identical(tensor, Tensor::of(kSix)));
}

TEST(Pt2Weights, AreReadFromFiles) {
  std::vector<float> large(40'000);
  for (size_t i = 0; i < large.size(); ++i) large[i] = float(i);
  const auto path = std::filesystem::path(::testing::TempDir()) / "linnet_pt2_weights_test.pt2";
  const std::vector<Stored> tensors = {
      {{6}, {1}}, {{200, 200}, {200, 1}, 0, 7, false, "weight_1"}, {{200, 200}, {1, 200}, 0, 7, false, "weight_1"}};
  std::ofstream(path, std::ios::binary) << archive_of<float>(tensors, {kSix, large});
  const auto weights = read(Archive::open(path.string()));
  std::filesystem::remove(path);
  EXPECT_TRUE(identical(weights.at("w0"), Tensor::of(kSix)));
  EXPECT_TRUE(identical(weights.at("w1"), Tensor::of(Shape{200, 200}, large)));
  EXPECT_EQ(weights.at("w2").data<float>()[1], 200);
}

TEST(Pt2Weights, ViewsBecomeDense) {
  EXPECT_TRUE(identical(weight({{3, 2}, {1, 3}}), Tensor::of<float>(Shape{3, 2}, {1, 4, 2, 5, 3, 6})));
  EXPECT_TRUE(identical(weight({{2}, {2}, 1}), Tensor::of<float>({2, 4})));
  EXPECT_TRUE(identical(weight({{2, 2}, {0, 1}, 4}), Tensor::of<float>(Shape{2, 2}, {5, 6, 5, 6})));
  EXPECT_TRUE(identical(weight({{}, {}, 2}), Tensor::scalar(3.f)));
  EXPECT_TRUE(identical(weight({{1, 6}, {99, 1}}), Tensor::of(Shape{1, 6}, kSix)));
}

TEST(Pt2Weights, ViewsOfEachSizeOfElements) {
  const auto second = [](int scalar_type, auto values) {
    using T = typename decltype(values)::value_type;
    const auto weights = read(open_archive(archive_of<T>({{{2}, {2}, 1, scalar_type}}, {values})));
    return *(static_cast<const T*>(weights.at("w0").raw()) + 1) == values[3];
  };
  EXPECT_TRUE(second(1, std::vector<uint8_t>{1, 2, 3, 4}));
  EXPECT_TRUE(second(3, std::vector<int16_t>{1, 2, 3, 4}));
  EXPECT_TRUE(second(7, std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(second(5, std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(Pt2Weights, MayBeEmpty) {
  EXPECT_TRUE(identical(weight({{0, 3}, {3, 1}}, {}), Tensor(DType::kFloat32, {0, 3})));
  EXPECT_EQ(weight({{3, 0}, {1, 7}}, {}).size(), 0);
}

TEST(Pt2Weights, NamesOfTheSameDataShareOneTensor) {
  const Stored view{{3, 2}, {1, 3}};
  const auto weights = read(open_archive(archive_of<float>({view, view}, {kSix})));
  EXPECT_EQ(weights.at("w0").address(), weights.at("w1").address());
}

TEST(Pt2Weights, BoolsAreZeroOrOne) {
  const Stored stored{{3}, {1}, 0, 12};
  const auto weights = read(open_archive(archive_of<uint8_t>({stored}, {{0, 1, 7}})));
  EXPECT_EQ(static_cast<const uint8_t*>(weights.at("w0").raw())[2], 1);
}

TEST(Pt2Weights, RefusesViewsBeyondTheirStorage) {
  const std::string text = "'w0': data/weights/weight_0 has 24 bytes, float32";
  expect_weights_refused(ErrorKind::kModel, text, {{7}, {1}});
  expect_weights_refused(ErrorKind::kModel, text, {{6}, {1}, 1});
  expect_weights_refused(ErrorKind::kModel, text, {{2, 3}, {4, 1}});
  expect_weights_refused(ErrorKind::kModel, "strides[0]: is -1, less than 0", {{2}, {-1}, 1});
  const int64_t most = std::numeric_limits<int64_t>::max();
  expect_weights_refused(ErrorKind::kLimit, "", {{2, 3}, {most, 1}});
  expect_weights_refused(ErrorKind::kLimit, "", {{2, 3}, {3, 1}, most});
  expect_weights_refused(ErrorKind::kLimit, "", {{most, most}, {0, 0}});
}

TEST(Pt2Weights, BoundsWhatIsRepeated) {
  expect_weights_refused(ErrorKind::kLimit, "'w0': weights that are views of others", {{int64_t{1} << 40}, {0}});
}

TEST(Pt2Weights, SaysWhatToDoWithoutData) {
  expect_weights_refused(ErrorKind::kUnsupported, "fake tensors", {{6}, {1}}, {});
  expect_weights_refused(ErrorKind::kUnsupported, "config.w0: is a pickle", {{6}, {1}, 0, 7, true});
  expect_weights_refused(ErrorKind::kModel, "'w0': the archive has no member 'data/weights/../x'",
                         {{6}, {1}, 0, 7, false, "../x"});
}

TEST(Pt2Weights, AreThoseOfTheGraph) {
  ProgramText text;
  text.inputs += R"(, {"as_tensor": {"name": "p"}})";
  text.input_specs += R"(, {"buffer": {"arg": {"name": "p"}, "buffer_name": "w", "persistent": false}})";
  text.values += R"(, "p": )" + Stored{{6}, {1}}.meta();
  const auto archive_with = [&](const std::string& folder, const Stored& stored) {
    return program_archive(text.text())
        .add("m/data/" + folder + "/weight_0", kSix)
        .add("m/data/" + folder + "/model_" + folder + "_config.json", R"({"config": {"w": )" + stored.payload() + "}}")
        .finish();
  };
  EXPECT_TRUE(identical(read(open_archive(archive_with("constants", {{6}, {1}}))).at("w"), Tensor::of(kSix)));
  expect_error(ErrorKind::kModel, "'w' is not among the files of data/constants/", [&] {
    read(open_archive(archive_with("weights", {{6}, {1}})));
  });
  expect_error(ErrorKind::kModel, "'w' is stored as float32[5]", [&] {
    read(open_archive(archive_with("constants", {{5}, {1}})));
  });
}

}  // namespace
}  // namespace linnet::testing
