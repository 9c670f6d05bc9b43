#include "quantize/samples.h"

#include <algorithm>
#include <filesystem>

#include "command/failure.h"
#include "values/inputs.h"
#include "values/parse_text.h"

namespace linnet::tool {
namespace {

using Path = std::filesystem::path;

std::vector<Path> sorted_entries(const std::string& folder) {
  std::vector<Path> entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool data_set = entry.is_directory() && entry.path().filename().string().starts_with("test_data_set");
    if (data_set || entry.path().extension() == ".npz") entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<Tensor> load_sample(const Model& model, const Path& path) {
  InputFlags flags;
  (path.extension() == ".npz" ? flags.npz : flags.test_data) = path.string();
  try {
    return make_inputs(model, flags);
  } catch (const Error& error) {
    throw error.with_context(path.string());
  }
}

std::vector<std::vector<Tensor>> generate(const Model& model, int64_t count, InputFlags flags) {
  std::vector<std::vector<Tensor>> samples;
  for (int64_t i = 0; i < count; ++i, ++flags.seed) {
    samples.push_back(make_inputs(model, flags));
    flags.quiet = true;  // the first has told all notes
  }
  return samples;
}

}  // namespace

std::vector<std::vector<Tensor>> make_samples(const Model& model, const std::string& from, const InputFlags& flags) {
  std::vector<std::vector<Tensor>> samples;
  if (std::filesystem::is_directory(from)) {
    for (const Path& path : sorted_entries(from)) samples.push_back(load_sample(model, path));
    if (samples.empty()) {
      throw Failure(ExitCode::kUsage, "--calibration " + from + ": the folder holds no .npz and no test_data_set_N");
    }
    return samples;
  }
  const auto count = parse_size(from);
  if (!count || *count == 0) {
    throw Failure(ExitCode::kUsage, "--calibration " + from + ": expected a folder or a number of runs");
  }
  return generate(model, *count, flags);
}

}  // namespace linnet::tool
