#include "pt2/archive.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "archive_writer.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

std::string text_of(const pt2::MemberBytes& member) {
  return {reinterpret_cast<const char*>(member.bytes.data()), member.bytes.size()};
}

std::string small_archive() { return program_archive("{}").add("m/extra/note", "hello").finish(); }

void expect_refused(ErrorKind kind, const std::string& text, const std::string& bytes) {
  expect_error(kind, text, [&] { open_archive(bytes); });
}

/// Returns an archive of members that contain one byte each.
std::string archive_of(const std::vector<std::string>& names) {
  ArchiveWriter writer;
  for (const std::string& name : names) writer.add(name, "x");
  return writer.finish();
}

TEST(Pt2Archive, FindsMembersByTheirNamesBelowTheFolder) {
  const pt2::Archive archive = open_archive(small_archive());
  EXPECT_EQ(archive.models(), std::vector<std::string>{"model"});
  EXPECT_TRUE(archive.contains("extra/note"));
  EXPECT_FALSE(archive.contains("m/extra/note"));
  EXPECT_EQ(archive.names_below("extra/"), std::vector<std::string>{"extra/note"});
  EXPECT_EQ(text_of(archive.member("extra/note")), "hello");
}

TEST(Pt2Archive, NamesAMemberThatIsMissing) {
  expect_error(ErrorKind::kModel, "no member 'extra/other'",
               [] { open_archive(small_archive()).member("extra/other"); });
}

TEST(Pt2Archive, SharesTheBytesOfMemory) {
  const std::string bytes = small_archive();
  const auto archive = pt2::Archive::from_bytes(std::as_bytes(std::span(bytes)));
  const auto* const data = reinterpret_cast<const char*>(archive.member("extra/note").bytes.data());
  EXPECT_GE(data, bytes.data());
  EXPECT_LT(data, bytes.data() + bytes.size());
  EXPECT_FALSE(archive.shares_bytes());
  EXPECT_TRUE(open_archive(bytes).shares_bytes());
}

TEST(Pt2Archive, ReadsAFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "linnet_pt2_archive_test.pt2";
  std::ofstream(path, std::ios::binary) << small_archive();
  const pt2::Archive archive = pt2::Archive::open(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(text_of(archive.member("extra/note")), "hello");
  expect_error(ErrorKind::kIo, path.string(), [&] { pt2::Archive::open(path.string()); });
}

TEST(Pt2Archive, HasALimitOfBytes) {
  const std::string bytes = small_archive();
  EXPECT_NO_THROW(open_archive(bytes, 0, {.file_bytes = int64_t(bytes.size())}));
  expect_error(ErrorKind::kLimit, "the limit is",
               [&] { open_archive(bytes, 0, {.file_bytes = int64_t(bytes.size()) - 1}); });
}

TEST(Pt2Archive, RefusesEveryBeginningOfItself) {
  const std::string bytes = small_archive();
  for (size_t length = 0; length < bytes.size(); ++length)
    expect_refused(ErrorKind::kModel, "", bytes.substr(0, length));
}

TEST(Pt2Archive, RefusesOrReadsWhateverByteIsChanged) {
  const std::string bytes = small_archive();
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const char value : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[i] = value;
      try {
        const pt2::Archive archive = open_archive(changed);
        for (const std::string& name : archive.names_below("")) archive.member(name);
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::kInternal) << error.what();
      }
    }
  }
}

TEST(Pt2Archive, RefusesDuplicateNames) {
  expect_refused(ErrorKind::kModel, "entry 'm/extra/note' of the ZIP archive is there twice",
                 program_archive("{}").add("m/extra/note", "a").add("m/extra/note", "b").finish());
}

TEST(Pt2Archive, RefusesCompressedEntries) {
  expect_refused(ErrorKind::kUnsupported, "is compressed (method 8)", program_archive("{}").finish(8));
}

TEST(Pt2Archive, RefusesBytesBehindTheEnd) { expect_refused(ErrorKind::kModel, "damaged", small_archive() + "x"); }

TEST(Pt2Archive, TellsOtherFormatsFromTheirFirstBytes) {
  using namespace std::string_literals;
  expect_refused(ErrorKind::kModel, "empty file", "");
  expect_refused(ErrorKind::kModel, "pickle", "\x80\x02}q");
  expect_refused(ErrorKind::kModel, "GGUF", "GGUF\x03");
  expect_refused(ErrorKind::kModel, "safetensors", "\x40\0\0\0\0\0\0\0{\"a\": 1}"s);
  expect_refused(ErrorKind::kModel, "web page", "  <!DOCTYPE HTML><p>");
  expect_refused(ErrorKind::kModel, "git lfs pull", "version https://git-lfs.github.com/spec/v1");
  expect_refused(ErrorKind::kModel, ".pte", "\x20\0\0\0ET12"s);
  expect_refused(ErrorKind::kModel, "text", "hello");
  expect_refused(ErrorKind::kModel, "ONNX", "\x08\x08\x12\x07pytorch");
}

TEST(Pt2Archive, TellsOtherArchivesFromTheirMembers) {
  expect_refused(ErrorKind::kUnsupported, "TorchScript", archive_of({"m/data.pkl", "m/constants.pkl", "m/code/a.py"}));
  expect_refused(ErrorKind::kUnsupported, "torch.save", archive_of({"m/data.pkl", "m/data/0"}));
  expect_refused(ErrorKind::kUnsupported, "PyTorch 2.7 or older", archive_of({"serialized_exported_program.json"}));
  expect_refused(ErrorKind::kModel, "NumPy", archive_of({"a.npy"}));
  expect_refused(ErrorKind::kUnsupported, "SavedModel",
                 archive_of({"m/saved_model.pb", "m/variables/variables.index"}));
  expect_refused(ErrorKind::kModel, "ZIP archive with an ONNX model", archive_of({"m/model.onnx"}));
  expect_refused(ErrorKind::kModel, "another ZIP", archive_of({"a.txt"}));
}

TEST(Pt2Archive, TellsWhatHoldsNoProgramThatItReads) {
  const auto refused = [](ErrorKind kind, const std::string& text, const std::string& member) {
    expect_refused(kind, text, ArchiveWriter().add("m/archive_format", "pt2").add(member, "x").finish());
  };
  refused(ErrorKind::kModel, "no program", "m/extra/a");
  refused(ErrorKind::kUnsupported, "AOTInductor", "m/data/aotinductor/model/a.so");
  refused(ErrorKind::kUnsupported, "ExecuTorch", "m/data/executorch/a.pte");
  expect_refused(ErrorKind::kUnsupported, "PyTorch 2.8",
                 program_archive("{}").add("m/data/weights/model.pt", "x").finish());
}

TEST(Pt2Archive, ChecksVersions) {
  const auto with = [](const std::string& format, const std::string& version, const std::string& order) {
    return ArchiveWriter()
        .add("m/archive_format", format)
        .add("m/archive_version", version)
        .add("m/byteorder", order)
        .add("m/models/model.json", "{}")
        .finish();
  };
  EXPECT_NO_THROW(open_archive(with("pt2", "0\n", "little")));
  expect_refused(ErrorKind::kModel, "archive_format is 'pt3'", with("pt3", "0", "little"));
  expect_refused(ErrorKind::kUnsupported, "archive_version is '1'", with("pt2", "1", "little"));
  expect_refused(ErrorKind::kUnsupported, "byteorder is 'big'", with("pt2", "0", "big"));
  expect_refused(ErrorKind::kModel, "byteorder is ''", with("pt2", "0", ""));
}

TEST(Pt2Archive, RefusesTwoFolders) {
  expect_refused(ErrorKind::kModel, "two folders", archive_of({"a/archive_format", "b/archive_format"}));
}

TEST(Pt2Archive, AUsersFileMayHaveTheNameOfTheFormat) {
  EXPECT_NO_THROW(open_archive(program_archive("{}").add("m/extra/archive_format", "x").finish()));
}

}  // namespace
}  // namespace linnet::testing
