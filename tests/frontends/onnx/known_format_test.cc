#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "linnet/load.h"
#include "linnet/onnx.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

void expect_named(const std::string& bytes, const std::string& text) {
  expect_error(ErrorKind::kModel, "not an ONNX model but " + text,
               [&] { load_onnx_bytes(std::as_bytes(std::span(bytes))); });
}

TEST(KnownFormat, TellsFilesFromTheirFirstBytesAndWhatToDo) {
  expect_named("version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer: fetch the file with 'git lfs pull'");
  expect_named("GGUF\x03\0\0\0"s, "a GGUF file of llama.cpp: it contains weights without a graph");
  expect_named("\x40\0\0\0\0\0\0\0{\"__metadata__\":{}}"s, "a safetensors file: it contains weights without a graph");
  expect_named("\x80\x02\x8a\nl\xfc\x9c"s, "a pickle of torch.save (.pt, .pth): load it in Python");
  expect_named("\x80\x04\x95\0"s, "a pickle of Python: load it in Python");
  expect_named("\x89HDF\r\n\x1a\n"s, "an HDF5 file, as Keras writes: convert it to ONNX with tf2onnx");
  expect_named("\x20\0\0\0ET12"s, "an ExecuTorch program (.pte): save the exported program");
  expect_named("\x1c\0\0\0TFL3"s, "a TensorFlow Lite model (.tflite): convert it to ONNX with tf2onnx");
  expect_named("\x18\0\0\0ORTM"s, "a model in ONNX Runtime's own format (.ort): load() reads it");
  expect_named("\x7f"s + "ELF\x02", "a compiled library");
  expect_named("\x1f\x8b\x08\0"s, "compressed by gzip: unpack it first");
  expect_named("\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first");
  expect_named("\xfd"s + "7zXZ", "compressed by xz: unpack it first");
  expect_named("BZh91AY", "compressed by bzip2: unpack it first");
  expect_named("model/"s + std::string(251, '\0') + "ustar", "a tar archive: unpack it first");
  expect_named("PK\x03\x04", "a ZIP archive: load() and load_pt2() read those of torch.export.save");
  expect_named("\x93NUMPY\x01\0"s, "a NumPy array (.npy): it is an input of a model");
}

TEST(KnownFormat, TellsTexts) {
  expect_named("<!DOCTYPE html><html>Not found</html>", "a web page (HTML): download the file itself");
  expect_named("<?xml version=\"1.0\"?>\n<html xmlns=\"\">", "a web page (HTML)");
  expect_named("<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"11\">",
               "an OpenVINO model (.xml): load the ONNX model");
  expect_named("Entry not found\nat all", "text that begins 'Entry not found'");
}

TEST(KnownFormat, TellsMessagesOfTensorFlow) {
  expect_named("\x08\x01\x12\x06\n\x04\x22\x02ok"s, "a TensorFlow SavedModel: convert it to ONNX with tf2onnx");
  expect_named("\n\x06\n\x01x\x12\x01y\x00"s, "a graph of TensorFlow (.pb): convert it to ONNX with tf2onnx");
}

TEST(KnownFormat, TellsTheFolderOfASavedModel) {
  const fs::path folder = fs::path(::testing::TempDir()) / "linnet_saved_model";
  fs::create_directories(folder);
  std::ofstream(folder / "saved_model.pb") << "x";
  expect_error(ErrorKind::kIo, "a TensorFlow SavedModel; convert it to ONNX with tf2onnx",
               [&] { linnet::load(folder.string()); });
  fs::remove_all(folder);
}

}  // namespace
}  // namespace linnet::testing
