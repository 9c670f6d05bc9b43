#include "environment/sealed_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "linnet/error.h"
#include "support/temporary_folder.h"
#include "tensor/alignment.h"

namespace linnet::testing {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_byte(const std::string& path, std::streamoff at, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file.put(byte);
}

/// Restores the modification time, so that a change is not noticed.
class Unseen {
 public:
  explicit Unseen(std::string path) : path_(std::move(path)), time_(fs::last_write_time(path_)) {}
  ~Unseen() { fs::last_write_time(path_, time_); }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

 private:
  std::string path_;
  fs::file_time_type time_;
};

class SealedFiles : public ::testing::Test {
 protected:
  void write(const std::string& text = "a text") { write_sealed(path_, text, {bytes_of(first_), bytes_of(second_)}); }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("file");
  std::string first_ = "first", second_ = std::string(10000, 'x');
};

TEST_F(SealedFiles, HoldTextAndAlignedParts) {
  for (const size_t bytes : {0, 6, 4056, 4057, 9000}) {
    const std::string text(bytes, 't');
    write(text);
    const auto file = map_sealed(path_);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->text, text);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file->bytes.data()) % 4096, 0U);
    ASSERT_EQ(file->bytes.size(), kAlignment + second_.size());
    EXPECT_EQ(text_of(file->bytes.first(first_.size())), first_);
    EXPECT_EQ(text_of(file->bytes.subspan(kAlignment)), second_);
  }
}

TEST_F(SealedFiles, OutliveTheirReplacement) {
  write();
  const auto before = map_sealed(path_);
  second_ = std::string(20000, 'y');
  write();
  EXPECT_EQ(text_of(before->bytes.subspan(kAlignment)), std::string(10000, 'x'));
  EXPECT_EQ(map_sealed(path_)->bytes.size(), kAlignment + 20000);
}

TEST_F(SealedFiles, AreRefusedWhenAnyByteChanged) {
  write();
  const auto size = std::streamoff(fs::file_size(path_));
  for (const std::streamoff at : {0, 8, 16, 24, 30, 41, 100, 4096, 4096 + 70, int(size) - 1}) {
    write();
    write_byte(path_, at, '!');
    EXPECT_FALSE(map_sealed(path_)) << "byte " << at;
  }
}

TEST_F(SealedFiles, AreRefusedWhenTheyAreShorterOrLonger) {
  for (const int64_t change : {-9000, -1, 1}) {
    write();
    const Unseen unseen(path_);
    fs::resize_file(path_, uintmax_t(int64_t(fs::file_size(path_)) + change));
    EXPECT_FALSE(map_sealed(path_)) << change;
  }
  fs::resize_file(path_, 3);
  EXPECT_FALSE(map_sealed(path_));
}

// Otherwise, loading would read a file of 1 GB. A change with a restored modification time shows that it is not read.
TEST_F(SealedFiles, AreNotReadWhileTheSealIsWhole) {
  write();
  {
    const Unseen unseen(path_);
    write_byte(path_, 4096, '!');
  }
  EXPECT_TRUE(map_sealed(path_));
}

TEST_F(SealedFiles, AreSealedAgainWhenTheyAreWhole) {
  write();
  const auto sealed = fs::last_write_time(path_);
  fs::last_write_time(path_, fs::file_time_type::clock::now());
  EXPECT_TRUE(map_sealed(path_));
  EXPECT_EQ(fs::last_write_time(path_), sealed);
}

TEST_F(SealedFiles, LeaveNothingBehindWhenTheyCannotBeWritten) {
  EXPECT_THROW(write_sealed(folder_.path("none/file"), "", {}), Error);
  fs::create_directory(path_);
  EXPECT_THROW(write(), Error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path("")), {}), 1);
  EXPECT_FALSE(map_sealed(path_));
  EXPECT_FALSE(map_sealed(folder_.path("none")));
}

}  // namespace
}  // namespace linnet::testing
