#include "other_formats.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "archive.h"
#include "linnet/error.h"

namespace linnet::pt2 {

namespace {

constexpr size_t kHeadBytes = 64;
constexpr std::string_view kSaveAnew = "load it in Python and save it with torch.export.save";
constexpr std::string_view kSaveProgram = "save the exported program with torch.export.save";
constexpr std::string_view kExport = "export the model with torch.export";
constexpr std::string_view kUnpack = "unpack it first";

/// Describes a file that has these bytes at an offset.
struct Beginning {
  size_t offset;
  std::string_view bytes, what, advice;
};

constexpr Beginning kBeginnings[] = {
    {0, "version https://git-lfs", "a Git LFS pointer", "fetch the file with 'git lfs pull'"},
    {0, "GGUF", "a GGUF file of llama.cpp", "export the model with torch.export, as GGUF holds no graph"},
    {8, "{\"", "a safetensors file", "it holds weights only; export the model with torch.export"},
    {0, "\x80\x02", "a pickle of torch.save", kSaveAnew},
    {0, "\x80\x03", "a pickle", kSaveAnew},
    {0, "\x80\x04", "a pickle", kSaveAnew},
    {0, "\x80\x05", "a pickle", kSaveAnew},
    {0, "\x89HDF", "an HDF5 file", kExport},
    {4, "ET1", "an ExecuTorch program (.pte)", "save the exported program with torch.export.save before it is lowered"},
    {4, "TFL3", "a TensorFlow Lite model", "convert it to ONNX and load that"},
    {0,
     "\x7f"
     "ELF",
     "a compiled library", kSaveProgram},
    {0, "\x1f\x8b", "compressed by gzip", kUnpack},
    {0, "\x28\xb5\x2f\xfd", "compressed by zstd", kUnpack},
    {0,
     "\xfd"
     "7zXZ",
     "compressed by xz", kUnpack},
    {0, "7z\xbc\xaf", "a 7z archive", kUnpack},
    {0, "\x93NUMPY", "a NumPy array", kExport},
    {0, "PK\x05\x06", "an empty ZIP archive", "save it again with torch.export.save"},
};

[[noreturn]] void throw_not_pt2(ErrorKind kind, std::string_view what, std::string_view advice) {
  throw Error(kind, str("not a torch.export archive but ", what, ": ", advice));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(),
                     [](unsigned char c) { return std::isprint(c) || std::isspace(c) || c >= 0x80; });
}

void throw_by_text(const std::string& head) {
  const size_t start = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  const std::string text = lower(head.substr(start));
  if (text.starts_with("<!doctype html") || text.starts_with("<html") || text.starts_with("<?xml")) {
    throw_not_pt2(ErrorKind::kModel, "a web page (HTML)", "download the file itself");
  }
  if (is_text(head)) throw_not_pt2(ErrorKind::kModel, "text", "expected a file of torch.export.save");
}

bool any_entry(const std::vector<ZipEntry>& entries, std::string_view text, bool at_end) {
  return std::any_of(entries.begin(), entries.end(), [&](const ZipEntry& entry) {
    return at_end ? entry.name.ends_with(text) : entry.name.find(text) != std::string::npos;
  });
}

}  // namespace

void check_is_zip(const ByteSource& file) {
  std::string head(kHeadBytes, '\0');
  head.resize(file.read_some(reinterpret_cast<std::byte*>(head.data()), head.size(), 0));
  if (head.empty()) throw Error(ErrorKind::kModel, "empty file, expected a torch.export archive");
  if (head.starts_with("PK\x03\x04")) return;
  for (const Beginning& beginning : kBeginnings) {
    if (std::string_view(head).substr(std::min(beginning.offset, head.size())).starts_with(beginning.bytes)) {
      throw_not_pt2(ErrorKind::kModel, beginning.what, beginning.advice);
    }
  }
  throw_by_text(head);
  throw_not_pt2(ErrorKind::kModel, "something else", "expected a file of torch.export.save; .onnx files load as ONNX");
}

void throw_other_archive(const std::vector<ZipEntry>& entries) {
  if (any_entry(entries, "serialized_exported_program.json", true)) {
    throw Error(ErrorKind::kUnsupported,
                "an exported program of PyTorch 2.7 or older: load it there and save it with PyTorch 2.9 or newer");
  }
  if (any_entry(entries, "constants.pkl", true) || any_entry(entries, "/code/", false)) {
    throw_not_pt2(ErrorKind::kUnsupported, "a TorchScript archive (torch.jit.save)",
                  "export the module with torch.export, or convert the file with an export_model that was built with "
                  "LINNET_BUILD_TORCH");
  }
  if (any_entry(entries, "data/aotinductor/", false)) {
    throw_not_pt2(ErrorKind::kUnsupported, "a model that AOTInductor compiled for one machine", kSaveProgram);
  }
  if (any_entry(entries, "data.pkl", true)) {
    throw_not_pt2(ErrorKind::kUnsupported, "a pickle of torch.save, which only Python can read", kSaveAnew);
  }
  if (any_entry(entries, ".npy", true)) throw_not_pt2(ErrorKind::kModel, "an archive of NumPy arrays", kSaveAnew);
  if (any_entry(entries, "model.weights.h5", true)) {
    throw_not_pt2(ErrorKind::kUnsupported, "a Keras model", "export it as ONNX and load that");
  }
  throw_not_pt2(ErrorKind::kModel, "another ZIP archive", "no folder of it holds an archive_format");
}

void check_layout(const Archive& archive) {
  if (archive.models().empty()) {
    if (!archive.names_below("data/aotinductor/").empty()) {
      throw Error(ErrorKind::kUnsupported,
                  "the archive holds a model that AOTInductor compiled for one machine, and no program: save the "
                  "exported program with torch.export.save");
    }
    if (!archive.names_below("data/executorch/").empty()) {
      throw Error(ErrorKind::kUnsupported,
                  "the archive holds an ExecuTorch program only: save the exported program with torch.export.save");
    }
    throw Error(ErrorKind::kModel, "the archive holds no program: no member is 'models/NAME.json'");
  }
  for (const std::string& model : archive.models()) {
    const std::string prefix = str("data/weights/", model);
    if (archive.contains(str(prefix, "_weights_config.json"))) continue;
    if (!archive.contains(str(prefix, ".pt")) && !archive.contains(str(prefix, "_model_param_config.json"))) continue;
    throw Error(ErrorKind::kUnsupported, str("program '", model,
                                             "' was saved by PyTorch 2.8, with its weights in a pickle: load it there "
                                             "and save it with PyTorch 2.9 or newer"));
  }
}

}  // namespace linnet::pt2
