#include "other_formats.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "archive.h"
#include "linnet/error.h"
#include "onnx/known_format.h"

namespace linnet::pt2 {

namespace {

constexpr std::string_view kZipBytes = "PK\x03\x04";
constexpr std::string_view kSaveAgain = "load it in Python and save it with torch.export.save";
constexpr std::string_view kSaveProgram = "save the exported program with torch.export.save";

[[noreturn]] void throw_not_pt2(ErrorKind kind, std::string_view what, std::string_view advice) {
  throw Error(kind, str("not a torch.export archive but ", what, ": ", advice));
}

bool any_entry(const std::vector<ZipEntry>& entries, std::string_view text, bool at_end) {
  return std::any_of(entries.begin(), entries.end(), [&](const ZipEntry& entry) {
    return at_end ? entry.name.ends_with(text) : entry.name.find(text) != std::string::npos;
  });
}

}  // namespace

void check_is_zip(const ByteSource& file) {
  std::string head(kZipBytes.size(), '\0');
  head.resize(file.read_some(reinterpret_cast<std::byte*>(head.data()), head.size(), 0));
  if (head.empty()) throw Error(ErrorKind::kModel, "empty file, expected a torch.export archive");
  if (head == kZipBytes) return;
  const std::string known = known_format(file);
  if (!known.empty()) throw Error(ErrorKind::kModel, "not a torch.export archive but " + known);
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
    throw_not_pt2(ErrorKind::kUnsupported, "a pickle of torch.save, which only Python can read", kSaveAgain);
  }
  if (any_entry(entries, ".npy", true)) throw_not_pt2(ErrorKind::kModel, "an archive of NumPy arrays", kSaveAgain);
  if (any_entry(entries, "model.weights.h5", true)) {
    throw_not_pt2(ErrorKind::kUnsupported, "a Keras model", "export it as ONNX and load that");
  }
  if (any_entry(entries, "saved_model.pb", true)) {
    throw_not_pt2(ErrorKind::kUnsupported, "a TensorFlow SavedModel in a ZIP archive",
                  "convert it to ONNX with tf2onnx");
  }
  if (any_entry(entries, ".onnx", true)) {
    throw_not_pt2(ErrorKind::kModel, "a ZIP archive with an ONNX model", "unpack it first");
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
