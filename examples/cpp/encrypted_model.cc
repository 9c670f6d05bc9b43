// encrypted_model MODEL KEY: runs a model whose files, including external data, are stored encrypted. They are
// decrypted while they are read, and no decrypted data is written to disk.
//
// The cipher is a placeholder, not cryptography: XOR with a repeated key, which is easily broken. Replace it by that of
// a library. AES in counter mode also decrypts from any offset.

#include <linnet/load.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "constant_inputs.h"

namespace {

class Encrypted final : public linnet::ModelFiles {
 public:
  explicit Encrypted(std::string key) : key_(std::move(key)) {}

  int64_t size(const std::string& name) override { return int64_t(std::filesystem::file_size(name)); }

  size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) override {
    std::ifstream file(name, std::ios::binary);
    if (!file.seekg(offset)) throw std::runtime_error("the file cannot be opened");
    file.read(reinterpret_cast<char*>(to.data()), std::streamsize(to.size()));
    const auto done = size_t(file.gcount());
    for (size_t i = 0; i < done; ++i) to[i] ^= std::byte(key_[(size_t(offset) + i) % key_.size()]);
    return done;
  }

 private:
  std::string key_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3 || !argv[2][0]) throw std::invalid_argument("usage: encrypted_model MODEL KEY");
  linnet::ModelOptions options;
  options.files = std::make_shared<Encrypted>(argv[2]);
  const linnet::Model model = linnet::load(argv[1], options);
  linnet::Context context(model);
  const auto outputs = context.run(constant_inputs(model, 1));
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::cout << model.outputs()[i].name << ':';
    if (outputs[i].dtype() != linnet::DType::kFloat32) {
      std::cout << ' ' << describe(outputs[i]) << '\n';
      continue;
    }
    for (const float value : outputs[i].values<float>()) std::cout << ' ' << value;
    std::cout << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
