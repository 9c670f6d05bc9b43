#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "target.h"

// usage: TARGET [-runs=N] [-seed=N] [-keep=FILE] FILE_OR_FOLDER...
// Runs a fuzz target on each given file and each file in the given folders, then on N mutations of them, which the seed
// determines. Prints each file name before its run, so that the last line names the input that ended the process. FILE
// contains the last mutation. An input that takes a minute counts as a hang. Other arguments that begin with - are
// libFuzzer's.
extern "C" {
[[gnu::weak]] decltype(LLVMFuzzerCustomMutator) LLVMFuzzerCustomMutator;
[[gnu::weak]] decltype(LLVMFuzzerCustomCrossOver) LLVMFuzzerCustomCrossOver;
}

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

constexpr size_t kMostBytes = 1 << 14, kMostInputs = 1 << 16;
constexpr unsigned kHangSeconds = 60;

std::minstd_rand random_numbers(1);

unsigned next() { return unsigned(random_numbers()); }
int draw(int count) { return int(next() % unsigned(count)); }

Bytes read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool run(const Bytes& bytes) {
  ::alarm(kHangSeconds);
  return linnet::takes(bytes);
}

void replay(const fs::path& path, std::vector<Bytes>& inputs) {
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  inputs.push_back(read(path));
  run(inputs.back());
}

Bytes changed(const std::vector<Bytes>& inputs) {
  const Bytes& chosen = inputs[size_t(draw(int(inputs.size())))];
  const Bytes& other = inputs[size_t(draw(int(inputs.size())))];
  Bytes bytes(std::max(kMostBytes, chosen.size()));
  if (LLVMFuzzerCustomCrossOver && draw(8) == 0) {
    bytes.resize(LLVMFuzzerCustomCrossOver(chosen.data(), chosen.size(), other.data(), other.size(), bytes.data(),
                                           bytes.size(), next()));
    return bytes;
  }
  std::copy(chosen.begin(), chosen.end(), bytes.begin());
  const auto mutate = [&](size_t size) {
    return LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), next())
                                   : LLVMFuzzerMutate(bytes.data(), size, bytes.size());
  };
  bytes.resize(mutate(chosen.size()));
  return bytes;
}

/// Mutates further those inputs that raised no Error.
void run_changes(int64_t runs, const std::string& keep, std::vector<Bytes>& inputs) {
  int64_t taken = 0;
  for (int64_t i = 0; i < runs && !inputs.empty(); ++i) {
    Bytes bytes = changed(inputs);
    if (!keep.empty()) {
      std::ofstream(keep, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), int64_t(bytes.size()));
    }
    if (!run(bytes)) continue;
    ++taken;
    if (inputs.size() < kMostInputs) inputs.push_back(std::move(bytes));
  }
  std::printf("%ld of %ld changes gave no error\n", long(taken), long(runs));
}

/// Returns the text after `name` in the argument, or nullptr.
const char* value(const char* argument, const char* name) {
  const size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

}  // namespace

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most) {
  if (size == 0 || (size < most && draw(8) == 0)) {
    if (size < most) data[size] = uint8_t(draw(256));
    return std::min(size + 1, most);
  }
  const size_t at = size_t(draw(int(size)));
  const int how = draw(5);
  if (how == 0) data[at] = uint8_t(data[at] ^ (1 << draw(8)));
  if (how == 1) data[at] = uint8_t(draw(256));
  if (how == 2) data[at] = draw(2) ? 0xff : 0;
  if (how == 3) std::rotate(data + at, data + size_t(draw(int(size - at))) + at, data + size);
  return how == 4 ? at : size;
}

int main(int argc, char** argv) {
  std::vector<Bytes> inputs;
  std::string keep;
  int64_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    if (const char* count = value(argv[i], "-runs=")) runs = std::stoll(count);
    if (const char* seed = value(argv[i], "-seed=")) random_numbers.seed(unsigned(std::stoul(seed)));
    if (const char* file = value(argv[i], "-keep=")) keep = file;
    if (argv[i][0] == '-') continue;
    if (!fs::is_directory(argv[i])) {
      replay(argv[i], inputs);
      continue;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) replay(file, inputs);
  }
  run_changes(runs, keep, inputs);
}
