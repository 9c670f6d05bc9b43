#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include "command/model_limits.h"
#include "command/session.h"
#include "command/verbs.h"
#include "compare/differences.h"
#include "compare/guarded_run.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/terminal.h"
#include "values/files.h"
#include "values/inputs.h"

namespace linnet::tool {
namespace {

namespace fs = std::filesystem;

enum class Outcome { kPassed, kFailed, kSkipped };
struct CaseResult {
  Outcome outcome;
  std::string reason;
};

bool is_data_set(const fs::path& path) {
  return fs::is_directory(path) && path.filename().string().starts_with("test_data_set_");
}

/// Folders that contain a model.onnx, at or below `root`, in the order of their names.
std::vector<fs::path> find_cases(const fs::path& root) {
  if (!fs::exists(root)) throw Failure(ExitCode::kUsage, root.string() + ": no such folder");
  std::vector<fs::path> cases;
  if (fs::exists(root / "model.onnx")) cases.push_back(root);
  if (fs::is_directory(root)) {
    for (const auto& entry : fs::recursive_directory_iterator(root, fs::directory_options::follow_directory_symlink)) {
      if (entry.is_directory() && fs::exists(entry.path() / "model.onnx")) cases.push_back(entry.path());
    }
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::vector<fs::path> data_sets(const fs::path& folder) {
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (is_data_set(entry.path()) && fs::exists(entry.path() / "output_0.pb")) sets.push_back(entry.path());
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

/// The tolerance in the case's data.json; nullopt if that does not exist.
std::optional<Tolerance> case_tolerance(const fs::path& folder) {
  std::ifstream in(folder / "data.json");
  if (!in) return std::nullopt;
  const Json json = Json::parse(in);
  Tolerance tolerance;
  tolerance.rtol = json.value("rtol", tolerance.rtol);
  tolerance.atol = json.value("atol", tolerance.atol);
  return tolerance;
}

/// The official runner's tolerances. bfloat16 may differ by two units in the last place.
Tolerance official_tolerance(DType dtype) {
  Tolerance tolerance;
  if (dtype == DType::kBFloat16) tolerance.rtol = std::max(tolerance.rtol, 0x1p-6);
  return tolerance;
}

/// Why a data set fails; empty if it passes.
std::string run_data_set(const Model& model, Context& context, const fs::path& set,
                         const std::optional<Tolerance>& tolerance, const Options& options, const ModelFlags& flags) {
  InputFlags input;
  input.test_data = set.string();
  const std::vector<Tensor> inputs = make_inputs(model, input);
  const std::span<const Tensor> outputs = context.run(inputs);
  const std::vector<Tensor> expected = load_expected(model, set.string());
  if (expected.size() > outputs.size()) return str("expected ", expected.size(), " outputs, got ", outputs.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string& name = model.outputs()[i].name;
    const Tolerance given = tolerance ? *tolerance : official_tolerance(expected[i].dtype());
    const Tolerance allowed = tolerance_for(name, options.accuracy, given);
    const Difference difference = compare_tensors(outputs[i], expected[i], allowed);
    if (!difference.agree()) return str("output '", name, "': ", difference.reason);
  }
  return options.guard_memory ? guarded_difference(flags, inputs) : std::string();
}

CaseResult run_case(const fs::path& folder, const Options& options) {
  const std::vector<fs::path> sets = data_sets(folder);
  if (sets.empty()) return {Outcome::kSkipped, "no test_data_set_N with expected outputs"};
  ModelFlags flags = options.model;
  flags.path = (folder / "model.onnx").string();
  const Model model = load_model(flags);
  const std::optional<Tolerance> tolerance = case_tolerance(folder);
  Context context(model, context_options(flags));
  for (const fs::path& set : sets) {
    const std::string reason = run_data_set(model, context, set, tolerance, options, flags);
    if (!reason.empty()) return {Outcome::kFailed, set.filename().string() + ": " + reason};
  }
  return {Outcome::kPassed, ""};
}

/// An error's message without the path of the model, which the line already names.
std::string reason_of(const fs::path& folder, const std::string& message) {
  const std::string prefix = (folder / "model.onnx").string() + ": ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

CaseResult try_case(const fs::path& folder, const Options& options) {
  try {
    return run_case(folder, options);
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::kUsage) throw;
    return {Outcome::kFailed, with_remedy(reason_of(folder, failure.what()))};
  } catch (const std::exception& error) {
    return {Outcome::kFailed, with_remedy(error.what())};
  }
}

class Tally {
 public:
  Tally(const Options& options, size_t cases)
      : print_(options.json != "-"), verbose_(options.verbose), cases_(double(cases)) {}

  void add(const fs::path& folder, CaseResult result) {
    tell(folder, std::move(result));
    progress_.update((counts_[0] + counts_[1] + counts_[2]) / cases_);
  }

  ExitCode finish(const std::string& json_path) {
    progress_.hide();
    const std::string totals = str(counts_[0], " passed, ", counts_[1], " failed, ", counts_[2], " skipped\n");
    report(totals, {{"passed", counts_[0]}, {"failed", counts_[1]}, {"skipped", counts_[2]}, {"failures", failures_}},
           json_path);
    return counts_[1] > 0 ? ExitCode::kDifference : ExitCode::kOk;
  }

 private:
  void tell(const fs::path& folder, CaseResult result) {
    ++counts_[size_t(result.outcome)];
    std::replace(result.reason.begin(), result.reason.end(), '\n', ' ');
    if (result.outcome == Outcome::kPassed) {
      if (verbose_) line("ok    " + folder.string());
      return;
    }
    const bool fails = result.outcome == Outcome::kFailed;
    if (fails || verbose_) line((fails ? failed("FAIL") : "skip") + "  " + folder.string() + ": " + result.reason);
    if (fails) failures_.push_back({{"case", folder.string()}, {"reason", result.reason}});
  }

  void line(const std::string& text) {
    if (!print_) return;
    progress_.hide();
    write_text("-", shown(text) + "\n");
  }

  bool print_, verbose_;
  double cases_;
  Progress progress_{"check"};
  int counts_[3]{};
  Json failures_ = Json::array();
};

}  // namespace

ExitCode check_verb(const Options& options) {
  std::vector<fs::path> cases;
  for (const std::string& path : options.paths) {
    const std::vector<fs::path> found = find_cases(path);
    if (found.empty()) throw Failure(ExitCode::kUsage, path + ": no folder with a model.onnx in it");
    cases.insert(cases.end(), found.begin(), found.end());
  }
  Tally tally(options, cases.size());
  for (const fs::path& folder : cases) tally.add(folder, try_case(folder, options));
  return tally.finish(options.json);
}

}  // namespace linnet::tool
