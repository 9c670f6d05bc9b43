#include "run/save_outputs.h"

#include <array>
#include <filesystem>
#include <set>

#include "tensor/printable.h"
#include "values/files.h"
#include "values/npy.h"
#include "values/npz.h"
#include "values/values.h"

namespace linnet::tool {
namespace {

namespace fs = std::filesystem;

/// The outputs' tensors with unique names.
class Named {
 public:
  void add(const std::string& name, const Tensor& value) {
    if (!is_container(value.dtype())) {
      tensors_.emplace_back(unique(printable(name)), value);
      return;
    }
    for (const auto& [part_name, part] : container_parts(name, value)) add(part_name, part);
  }

  const NamedTensors& tensors() const { return tensors_; }

 private:
  std::string unique(const std::string& name) {
    std::string text = name;
    for (int i = 2; !taken_.insert(text).second; ++i) text = str(name, "_", i);
    return text;
  }

  NamedTensors tensors_;
  std::set<std::string> taken_;
};

/// The file name for a name from a model. Since that may be anything, it is escaped so that no file is hidden or
/// written elsewhere.
std::string file_name(const std::string& name) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char c : name) {
    if (kPlain.find(c) != std::string_view::npos && (c != '.' || !text.empty())) {
      text += c;
    } else {
      text += {'%', kDigits[uint8_t(c) >> 4], kDigits[uint8_t(c) & 15]};
    }
  }
  return text;
}

void save_folder(const fs::path& folder, const NamedTensors& tensors) {
  fs::create_directories(folder);
  for (const auto& [name, tensor] : tensors) {
    const NpyFile file = to_npy(tensor);
    const std::array parts{std::span<const std::byte>(file.own), file.elements};
    write_parts((folder / (file_name(name) + ".npy")).string(), parts);
  }
}

}  // namespace

void save_outputs(const Model& model, std::span<const Tensor> outputs, const std::string& path) {
  Named named;
  for (size_t i = 0; i < outputs.size(); ++i) named.add(model.outputs()[i].name, outputs[i]);
  const bool folder = path.ends_with('/') || fs::is_directory(path);
  folder ? save_folder(path, named.tensors()) : save_npz(path, named.tensors());
}

}  // namespace linnet::tool
