#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

namespace fs = std::filesystem;
using Entries = std::vector<std::pair<std::string, std::string>>;

// A folder with w.bin (floats 1, 2, 3), and secret.bin next to that folder.
class ExternalDataTest : public ::testing::Test {
 protected:
  ExternalDataTest() {
    fs::create_directories(folder_ / "sub");
    write(folder_ / "w.bin");
    write(folder_ / "sub" / "w.bin");
    write(root_ / "secret.bin");
  }
  ~ExternalDataTest() override { fs::remove_all(root_); }

  static void write(const fs::path& path) {
    const float values[] = {1, 2, 3};
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(values), sizeof values);
  }

  static pb::ModelProto model_with(const Entries& entries) {
    pb::ModelProto model = empty_model();
    pb::TensorProto& tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(pb::TensorProto::FLOAT);
    tensor.add_dims(2);
    tensor.set_data_location(pb::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      pb::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    add_output(*model.mutable_graph(), "w");
    return model;
  }

  std::vector<float> read(const Entries& entries, ModelOptions options = {}) const {
    options.optimization = 0;
    const Model model = load(model_with(entries), options, folder_.string());
    return floats(model_graph(model).fact(model_graph(model).outputs()[0].value).constant);
  }

  void expect_refused(const Entries& entries, ErrorKind kind, const std::string& text) const {
    expect_error(kind, text, [&] { read(entries); });
  }

  // The name is unique to this test because others run at the same time.
  fs::path root_ = fs::path(::testing::TempDir()) /
                   str("linnet_external_data_test_", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  fs::path folder_ = root_ / "model";
};

TEST_F(ExternalDataTest, ReadsFromTheStartOrAnOffset) {
  EXPECT_EQ(read({{"location", "w.bin"}}), (std::vector<float>{1, 2}));
  EXPECT_EQ(read({{"location", "w.bin"}, {"offset", "4"}}), (std::vector<float>{2, 3}));
  EXPECT_EQ(read({{"location", "./sub/w.bin"}, {"offset", "4"}, {"length", "8"}}), (std::vector<float>{2, 3}));
}

TEST_F(ExternalDataTest, IsFoundBesideTheModelFile) {
  const fs::path path = folder_ / "model.onnx";
  std::ofstream(path, std::ios::binary) << model_with({{"location", "w.bin"}}).SerializeAsString();
  ModelOptions options;
  options.optimization = 0;
  const Model model = load_onnx(path.string(), options);
  EXPECT_EQ(floats(model_graph(model).fact(model_graph(model).outputs()[0].value).constant),
            (std::vector<float>{1, 2}));
}

TEST_F(ExternalDataTest, StaysInsideTheFolder) {
  const std::string outside = "leads out of the model's folder";
  expect_refused({{"location", "../secret.bin"}}, ErrorKind::kModel, outside);
  expect_refused({{"location", "sub/../../secret.bin"}}, ErrorKind::kModel, outside);
  expect_refused({{"location", (root_ / "secret.bin").string()}}, ErrorKind::kModel, outside);
  expect_refused({{"location", "/dev/zero"}}, ErrorKind::kModel, outside);
  fs::create_symlink("../secret.bin", folder_ / "link.bin");
  expect_refused({{"location", "link.bin"}}, ErrorKind::kModel, outside);
  fs::create_directory_symlink("..", folder_ / "up");
  expect_refused({{"location", "up/secret.bin"}}, ErrorKind::kModel, outside);
}

TEST_F(ExternalDataTest, FollowsLinksInsideTheFolder) {
  fs::create_symlink("w.bin", folder_ / "link.bin");
  EXPECT_EQ(read({{"location", "link.bin"}}), (std::vector<float>{1, 2}));
}

TEST_F(ExternalDataTest, LeavesTheFolderWhenAllowed) {
  ModelOptions options;
  options.allow_external_paths = true;
  EXPECT_EQ(read({{"location", "../secret.bin"}}, options), (std::vector<float>{1, 2}));
  EXPECT_EQ(read({{"location", (root_ / "secret.bin").string()}}, options), (std::vector<float>{1, 2}));
}

TEST_F(ExternalDataTest, ChecksSizes) {
  const std::string location = "w.bin";
  expect_refused({{"location", location}, {"offset", "8"}}, ErrorKind::kModel, "has 12 bytes");
  expect_refused({{"location", location}, {"offset", "9223372036854775807"}}, ErrorKind::kModel, "has 12 bytes");
  expect_refused({{"location", location}, {"length", "4"}}, ErrorKind::kModel, "length is 4");
  for (const std::string bad : {"-8", "8abc", " 8", "+8", "0x8", "", "18446744073709551616"}) {
    expect_refused({{"location", location}, {"offset", bad}}, ErrorKind::kModel, "offset must be a whole number");
  }
}

TEST_F(ExternalDataTest, RefusesWhatIsNoFile) {
  expect_refused({}, ErrorKind::kModel, "initializer 'w'");
  expect_refused({{"location", "nope.bin"}}, ErrorKind::kIo, "nope.bin");
  expect_refused({{"location", "sub"}}, ErrorKind::kIo, "sub");
  expect_refused({{"location", std::string("w.bin\0x", 7)}}, ErrorKind::kModel, "location");
}

TEST_F(ExternalDataTest, NeedsAFolderAndKeepsToTheFileLimit) {
  expect_error(ErrorKind::kModel, "has no folder", [] { load(model_with({{"location", "w.bin"}})); });
  write(folder_ / "large.bin");
  fs::resize_file(folder_ / "large.bin", 100000);
  ModelOptions options;
  options.limits.file_bytes = 10000;
  expect_error(ErrorKind::kLimit, "100000 bytes", [&] { read({{"location", "large.bin"}}, options); });
}

TEST_F(ExternalDataTest, ComesFromAResolver) {
  std::vector<float> values{1, 2, 3};
  std::vector<std::string> asked;
  ModelOptions options;
  options.external_data = [&](const std::string& location) {
    asked.push_back(location);
    if (location == "absent") throw Error(ErrorKind::kIo, "no such weights");
    return std::as_bytes(std::span(values));
  };
  EXPECT_EQ(read({{"location", "../anything"}, {"offset", "4"}}, options), (std::vector<float>{2, 3}));
  EXPECT_EQ(asked, std::vector<std::string>{"../anything"});
  expect_error(ErrorKind::kIo, "no such weights", [&] { read({{"location", "absent"}}, options); });
  expect_error(ErrorKind::kModel, "'w' has 12 bytes, the tensor needs 8 from byte 8", [&] {
    read({{"location", "w"}, {"offset", "8"}}, options);
  });
  values.resize(100);
  options.limits.file_bytes = 300;
  expect_error(ErrorKind::kLimit, "'w' of 400 bytes", [&] { read({{"location", "w"}}, options); });
}

TEST_F(ExternalDataTest, IsFoundForAnOpenFile) {
  const fs::path path = folder_ / "model.onnx";
  std::ofstream(path, std::ios::binary) << model_with({{"location", "w.bin"}}).SerializeAsString();
  const int fd = ::open(path.c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  ::lseek(fd, 7, SEEK_SET);
  Context context(load_onnx_fd(fd, folder_.string()));
  EXPECT_EQ(floats(context.run(std::span<const Tensor>())[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(::lseek(fd, 0, SEEK_CUR), 7);
  ::close(fd);
  expect_error(ErrorKind::kIo, str("file descriptor ", fd), [&] { load_onnx_fd(fd); });
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  expect_error(ErrorKind::kIo, "not a regular file", [&] { load_onnx_fd(pipe[0]); });
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace linnet::testing
