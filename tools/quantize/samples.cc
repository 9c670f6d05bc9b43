#include "quantize/samples.h"

#include <algorithm>
#include <filesystem>

#include "command/failure.h"
#include "values/input_file.h"
#include "values/inputs.h"
#include "values/parse_text.h"

namespace linnet::tool {
namespace {

using Path = std::filesystem::path;

bool is_sample_file(const Path& path) { return path.extension() == ".npz" || is_array_file(path.string()); }

std::vector<Path> sorted_entries(const std::string& folder) {
  std::vector<Path> entries;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const bool data_set = entry.is_directory() && entry.path().filename().string().starts_with("test_data_set");
    if (data_set || is_sample_file(entry.path())) entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// Loads the inputs of one run. Dims and shapes of the flags apply to images.
std::vector<Tensor> load_sample(const Model& model, const Path& path, const InputFlags& generated) {
  InputFlags flags;
  flags.dims = generated.dims;
  flags.shapes = generated.shapes;
  flags.quiet = true;
  (is_array_file(path.string()) ? flags.only_file
   : path.extension() == ".npz" ? flags.npz
                                : flags.test_data) = path.string();
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
    flags.quiet = true;  // the first sample has printed all notes
  }
  return samples;
}

}  // namespace

std::vector<std::vector<Tensor>> make_samples(const Model& model, const std::string& from, const InputFlags& flags) {
  std::vector<std::vector<Tensor>> samples;
  if (std::filesystem::is_directory(from)) {
    for (const Path& path : sorted_entries(from)) samples.push_back(load_sample(model, path, flags));
    if (samples.empty()) {
      throw Failure(ExitCode::kUsage,
                    "--calibration " + from + ": the folder holds no image, .npy, .npz or test_data_set_N");
    }
    return samples;
  }
  if (is_sample_file(from) && std::filesystem::exists(from)) return {load_sample(model, from, flags)};
  const auto count = parse_size(from);
  if (!count || *count == 0) {
    throw Failure(ExitCode::kUsage,
                  "--calibration " + from + ": expected a folder, an image, .npy or .npz, or a number of runs");
  }
  return generate(model, *count, flags);
}

}  // namespace linnet::tool
