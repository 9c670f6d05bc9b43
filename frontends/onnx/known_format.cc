#include "known_format.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "linnet/error.h"

namespace linnet {

namespace {

constexpr size_t kHeadBytes = 512;
constexpr size_t kQuotedLetters = 60;
constexpr std::string_view kLoadInPython =
    "load it in Python and export the model with torch.onnx.export or torch.export.save";
constexpr std::string_view kExportWeights =
    "it contains weights without a graph, so export the model to ONNX where it is defined";
constexpr std::string_view kConvert = "convert it to ONNX with tf2onnx";
constexpr std::string_view kUnpack = "unpack it first";

/// What a file is whose bytes at an offset are these.
struct Mark {
  size_t offset;
  std::string_view bytes, what, advice;
};

constexpr Mark kMarks[] = {
    {0, "version https://git-lfs", "a Git LFS pointer", "fetch the file with 'git lfs pull'"},
    {0, "GGUF", "a GGUF file of llama.cpp", kExportWeights},
    {8, "{\"", "a safetensors file", kExportWeights},
    {0, "\x80\x02", "a pickle of torch.save (.pt, .pth)", kLoadInPython},
    {0, "\x80\x03", "a pickle of Python", kLoadInPython},
    {0, "\x80\x04", "a pickle of Python", kLoadInPython},
    {0, "\x80\x05", "a pickle of Python", kLoadInPython},
    {0, "\x89HDF", "an HDF5 file, as Keras writes", kConvert},
    {4, "ET1", "an ExecuTorch program (.pte)", "save the exported program with torch.export.save before it is lowered"},
    {4, "TFL3", "a TensorFlow Lite model (.tflite)", kConvert},
    {4, "ORTM", "a model in ONNX Runtime's own format (.ort)",
     "load() reads it in builds with LINNET_BUILD_ORT_FORMAT"},
    {0,
     "\x7f"
     "ELF",
     "a compiled library", "load the model that it was compiled from"},
    {0, "\x1f\x8b", "compressed by gzip", kUnpack},
    {0, "\x28\xb5\x2f\xfd", "compressed by zstd", kUnpack},
    {0,
     "\xfd"
     "7zXZ",
     "compressed by xz", kUnpack},
    {0, "BZh", "compressed by bzip2", kUnpack},
    {0, "7z\xbc\xaf", "a 7z archive", kUnpack},
    {257, "ustar", "a tar archive", kUnpack},
    {0, "PK\x05\x06", "an empty ZIP archive", "save the model again"},
    {0, "PK\x03\x04", "a ZIP archive", "load() and load_pt2() read those of torch.export.save; others, unpack first"},
    {0, "\x93NUMPY", "a NumPy array (.npy)", "it is an input of a model, not a model"},
};

std::string head_of(const ByteSource& file) {
  std::string head(kHeadBytes, '\0');
  head.resize(file.read_some(reinterpret_cast<std::byte*>(head.data()), head.size(), 0));
  return head;
}

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(),
                     [](unsigned char c) { return std::isprint(c) || std::isspace(c) || c >= 0x80; });
}

std::string known_text(const std::string& head) {
  const std::string text = head.substr(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  std::string small = text;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (small.starts_with("<!doctype html") || small.find("<html") != std::string::npos) {
    return "a web page (HTML): download the file itself";
  }
  if (small.starts_with("<?xml") && small.find("<net ") != std::string::npos) {
    return "an OpenVINO model (.xml): load the ONNX model that it was converted from";
  }
  return str("text that begins '", text.substr(0, std::min(text.find('\n'), kQuotedLetters)), "'");
}

/// Whether the bytes after a tag and the length that follows it begin with `next`.
bool field_begins(std::string_view bytes, std::string_view tag, char next) {
  if (!bytes.starts_with(tag)) return false;
  const auto is_last = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const auto last = std::find_if(bytes.begin() + std::ptrdiff_t(tag.size()), bytes.end(), is_last);
  return last != bytes.end() && last + 1 != bytes.end() && last[1] == next;
}

}  // namespace

std::string known_format(const ByteSource& file) {
  const std::string head = head_of(file);
  for (const Mark& mark : kMarks) {
    const std::string_view there = std::string_view(head).substr(std::min(mark.offset, head.size()));
    if (there.starts_with(mark.bytes)) return str(mark.what, ": ", mark.advice);
  }
  if (!head.empty() && is_text(head)) return known_text(head);
  // A message of protobuf: the version of the schema, then a graph with its description; or a list of nodes.
  if (field_begins(head, "\x08\x01\x12", '\n')) return str("a TensorFlow SavedModel: ", kConvert);
  if (field_begins(head, "\n", '\n')) return str("a graph of TensorFlow (.pb): ", kConvert);
  return {};
}

}  // namespace linnet
