#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "linnet/load.h"
#include "model_builder.h"
#include "support/run_op.h"
#include "support/temporary_folder.h"

// Tests ModelOptions::files: models and external data that a program reads for the loader.
namespace linnet::testing {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

constexpr int64_t kSide = 192;  // of weights that are read separately from the model's message

std::string raw_floats(int64_t count, int seed) {
  std::string bytes(size_t(count) * sizeof(float), '\0');
  for (int64_t i = 0; i < count; ++i) {
    const float value = std::sin(float(i * 7 + seed));
    std::memcpy(bytes.data() + size_t(i) * sizeof value, &value, sizeof value);
  }
  return bytes;
}

pb::TensorProto& add_weight(pb::ModelProto& model, const std::string& name, int64_t rows) {
  pb::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(pb::TensorProto::FLOAT);
  tensor.add_dims(rows);
  tensor.add_dims(kSide);
  return tensor;
}

void add_external(pb::ModelProto& model, const std::string& name, int64_t rows, const std::string& location,
                  int64_t offset = 0) {
  pb::TensorProto& tensor = add_weight(model, name, rows);
  tensor.set_data_location(pb::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair("location", location), std::pair("offset", std::to_string(offset))}) {
    pb::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
}

/// Returns y = x a b + c. a is in the model file; b and c are consecutive in another file.
pb::ModelProto model_at(const std::string& location = "w.bin") {
  pb::ModelProto model = empty_model();
  pb::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {1, kSide});
  add_weight(model, "a", kSide).set_raw_data(raw_floats(kSide * kSide, 1));
  add_external(model, "b", kSide, location);
  add_external(model, "c", 1, location, kSide * kSide * int64_t{sizeof(float)});
  add_node(graph, "MatMul", {"x", "a"}, {"xa"});
  add_node(graph, "MatMul", {"xa", "b"}, {"xab"});
  add_node(graph, "Add", {"xab", "c"}, {"y"});
  add_output(graph, "y");
  return model;
}

std::string weight_file() { return raw_floats(kSide * kSide, 2) + raw_floats(kSide, 3); }

/// Files in memory that are read `most` bytes at a time.
class Stored : public ModelFiles {
 public:
  explicit Stored(std::map<std::string, std::string> files, size_t most = SIZE_MAX)
      : files_(std::move(files)), most_(most) {}

  int64_t size(const std::string& name) override { return int64_t(found(name).size()); }
  size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) override {
    const std::string& bytes = found(name);
    const size_t count = std::min({to.size(), most_, bytes.size() - std::min(bytes.size(), size_t(offset))});
    std::memcpy(to.data(), bytes.data() + offset, count);
    return count;
  }
  /// Returns the names that were requested.
  Names asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  const std::string& found(const std::string& name) {
    const std::lock_guard lock(mutex_);
    asked_.insert(name);
    const auto file = files_.find(name);
    if (file == files_.end()) throw std::runtime_error("there is no such entry");
    return file->second;
  }

  std::map<std::string, std::string> files_;
  size_t most_;
  std::mutex mutex_;
  Names asked_;
};

std::shared_ptr<Stored> stored(size_t most = SIZE_MAX) {
  return std::make_shared<Stored>(std::map<std::string, std::string>{{"models/m.onnx", model_at().SerializeAsString()},
                                                                     {"models/w.bin", weight_file()}},
                                  most);
}

ModelOptions reading(std::shared_ptr<ModelFiles> files, const ModelOptions& others = {}) {
  ModelOptions options = others;
  options.files = std::move(files);
  return options;
}

std::vector<float> answer(const Model& model) {
  std::vector<float> x(size_t{kSide});
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::cos(float(i));
  return floats(Context(model).run(std::vector{Tensor::of(Shape{1, kSide}, x)})[0]);
}

/// Returns the results of the same files in a folder.
std::vector<float> answer_of_files() {
  const TemporaryFolder folder;
  std::ofstream(folder.path("m.onnx"), std::ios::binary) << model_at().SerializeAsString();
  std::ofstream(folder.path("w.bin"), std::ios::binary) << weight_file();
  return answer(load_onnx(folder.path("m.onnx")));
}

class ShortReads : public ::testing::TestWithParam<size_t> {};

TEST_P(ShortReads, GiveTheWholeModel) {
  const auto files = stored(GetParam());
  EXPECT_EQ(answer(load_onnx("models/m.onnx", reading(files))), answer_of_files());
  EXPECT_EQ(files->asked(), (Names{"models/m.onnx", "models/w.bin"}));
}

INSTANTIATE_TEST_SUITE_P(Bytes, ShortReads, ::testing::Values(7, 1000, 65537, SIZE_MAX));

TEST(ProgramFiles, HaveTheExternalDataOfModelsInMemory) {
  const std::string bytes = model_at().SerializeAsString();
  EXPECT_EQ(answer(load_bytes(bytes, reading(stored()), "models")), answer_of_files());
  const auto files = std::make_shared<Stored>(std::map<std::string, std::string>{{"w.bin", weight_file()}});
  EXPECT_EQ(answer(load_bytes(bytes, reading(files))), answer_of_files());
}

TEST(ProgramFiles, AreNamedFromTheModelsFolder) {
  for (const auto& [model, location, name] :
       {std::tuple("m.onnx", "w.bin", "w.bin"), std::tuple("a/m.onnx", "./b//w.bin", "a/b/w.bin"),
        std::tuple("/a/m.onnx", "w.bin", "/a/w.bin")}) {
    const auto files = std::make_shared<Stored>(
        std::map<std::string, std::string>{{model, model_at(location).SerializeAsString()}, {name, weight_file()}});
    EXPECT_EQ(answer(linnet::load(model, reading(files))), answer_of_files()) << model;
  }
}

TEST(ProgramFiles, AreNotAskedForWhatIsOutsideTheFolder) {
  for (const std::string location : {"../w.bin", "b/../../w.bin", "b/../w.bin", "/w.bin"}) {
    const auto files = std::make_shared<Stored>(
        std::map<std::string, std::string>{{"a/m.onnx", model_at(location).SerializeAsString()}});
    expect_error(ErrorKind::kModel, "leads out of the model's folder", [&] { load_onnx("a/m.onnx", reading(files)); });
    EXPECT_EQ(files->asked(), (Names{"a/m.onnx"})) << location;
  }
}

TEST(ProgramFiles, MayBeOutsideTheFolderWhereThatIsAllowed) {
  ModelOptions options;
  options.allow_external_paths = true;
  for (const auto& [location, name] : {std::pair("../w.bin", "a/../w.bin"), std::pair("/b/w.bin", "/b/w.bin")}) {
    const auto files = std::make_shared<Stored>(std::map<std::string, std::string>{
        {"a/m.onnx", model_at(location).SerializeAsString()}, {name, weight_file()}});
    EXPECT_EQ(answer(load_onnx("a/m.onnx", reading(files, options))), answer_of_files());
  }
}

TEST(ProgramFiles, ComeAfterAFunctionForExternalData) {
  const std::string given = weight_file();
  ModelOptions options = reading(stored());
  options.external_data = [&](const std::string&) { return std::as_bytes(std::span(given)); };
  EXPECT_EQ(answer(load_onnx("models/m.onnx", options)), answer_of_files());
  EXPECT_EQ(static_cast<Stored&>(*options.files).asked(), (Names{"models/m.onnx"}));
}

/// Files of which one fails.
class Failing final : public Stored {
 public:
  using Size = std::function<int64_t(int64_t)>;
  using Read = std::function<size_t(std::span<std::byte>)>;
  Failing(std::string name, Size size, Read read)
      : Stored({{"m.onnx", model_at().SerializeAsString()}, {"w.bin", weight_file()}}),
        name_(std::move(name)),
        size_(std::move(size)),
        read_(std::move(read)) {}

  int64_t size(const std::string& name) override {
    const int64_t size = Stored::size(name);
    return name == name_ && size_ ? size_(size) : size;
  }
  size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) override {
    return name == name_ && read_ ? read_(to) : Stored::read(name, offset, to);
  }

 private:
  std::string name_;
  Size size_;
  Read read_;
};

class OfBothFiles : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_refused(ErrorKind kind, const std::string& text, const Failing::Size& size, const Failing::Read& read,
                      const ModelOptions& options = {}) const {
    const auto files = std::make_shared<Failing>(GetParam(), size, read);
    expect_error(kind, text, [&] { load_onnx("m.onnx", reading(files, options)); });
  }
};

TEST_P(OfBothFiles, WhatTheProgramThrowsNamesTheFile) {
  const std::string text = str("cannot read '", GetParam(), "': it is locked");
  expect_refused(ErrorKind::kIo, text, {}, [](auto) -> size_t { throw std::runtime_error("it is locked"); });
  expect_refused(ErrorKind::kIo, text, [](auto) -> int64_t { throw std::runtime_error("it is locked"); }, {});
  expect_refused(ErrorKind::kLimit, text, {}, [](auto) -> size_t { throw Error(ErrorKind::kLimit, "it is locked"); });
  expect_refused(ErrorKind::kLimit, "not enough memory", {}, [](auto) -> size_t { throw std::bad_alloc(); });
}

TEST_P(OfBothFiles, SizesThatLie) {
  const std::string name = str('\'', GetParam(), '\'');
  expect_refused(ErrorKind::kIo, str("cannot read ", name, ": its size is given as -1"), [](auto) { return -1; }, {});
  expect_refused(
      ErrorKind::kIo, name, [](int64_t size) { return size + 1; }, [](auto) { return 0; });
  expect_refused(ErrorKind::kIo, str("cannot read ", name, ": got "), {}, [](auto to) { return to.size() + 1; });
  expect_refused(ErrorKind::kModel, "", [](int64_t size) { return size / 2; }, {});
}

TEST_P(OfBothFiles, LimitsHold) {
  ModelOptions options;
  options.limits.file_bytes = 10'000'000;
  expect_refused(
      ErrorKind::kLimit, "the limit is 10000000", [](auto) { return 10'000'001; }, {}, options);
  options = {};
  options.limits.deadline_ms = 50;
  expect_refused(
      ErrorKind::kLimit, "50 ms", {},
      [](std::span<std::byte> to) {
        to[0] = {};
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return 1;
      },
      options);
}

INSTANTIATE_TEST_SUITE_P(Files, OfBothFiles, ::testing::Values("m.onnx", "w.bin"));

TEST(ProgramFiles, ThatAreShorterThanTheyClaimEndWithAnError) {
  const auto files = std::make_shared<Failing>(
      "m.onnx", [](int64_t size) { return size + 100; }, nullptr);
  expect_error(ErrorKind::kIo, "'m.onnx' ends at byte ", [&] { load_onnx("m.onnx", reading(files)); });
}

TEST(ProgramFiles, CountAsMemoryOfTheModel) {
  ModelOptions options = reading(stored());
  options.limits.memory_bytes = kSide * kSide * int64_t{sizeof(float)};
  expect_error(ErrorKind::kLimit, "", [&] { load_onnx("models/m.onnx", options); });
}

TEST(ProgramFiles, ThatAreMissingAreNamed) {
  expect_error(ErrorKind::kIo, "cannot read 'none.onnx': there is no such entry",
               [&] { load_onnx("none.onnx", reading(stored())); });
}

TEST(ProgramFiles, AreNotWrittenToACache) {
  const TemporaryFolder folder;
  std::string said;
  ModelOptions options = reading(stored());
  options.cache_dir = folder.path();
  options.log = [&](LogLevel, std::string_view message) { said += message; };
  EXPECT_EQ(answer(load_onnx("models/m.onnx", options)), answer_of_files());
  EXPECT_THAT(said, ::testing::HasSubstr("not used with files that the program reads"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ProgramFiles, AreNotKept) {
  auto files = stored();
  const std::weak_ptr<ModelFiles> kept = files;
  ModelOptions options;
  options.replaceable_weights = true;
  const Model model = load_onnx("models/m.onnx", reading(std::move(files), options));
  EXPECT_TRUE(kept.expired());
  EXPECT_EQ(model.options().files, nullptr);
  EXPECT_EQ(answer(model), answer_of_files());
  EXPECT_EQ(answer(model.with_weights({{"c", Tensor::zeros(DType::kFloat32, {1, kSide})}})).size(), size_t{kSide});
}

TEST(ProgramFiles, AreReadBySeveralThreadsAtOnce) {
  const auto files = stored(10'000);
  const std::vector<float> wanted = answer_of_files();
  std::vector<std::vector<float>> results(8);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] { result = answer(load_onnx("models/m.onnx", reading(files))); });
    }
  }
  for (const auto& result : results) EXPECT_EQ(result, wanted);
}

}  // namespace
}  // namespace linnet::testing
