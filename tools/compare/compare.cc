#include "bench/onnx_runtime.h"
#include "command/model_limits.h"
#include "command/session.h"
#include "command/verbs.h"
#include "compare/against.h"
#include "compare/differences.h"
#include "compare/guarded_run.h"
#include "compare/per_node.h"
#include "compare/run_once.h"
#include "report/report.h"
#include "report/terminal.h"
#include "values/inputs.h"
#include "values/piped_file.h"

namespace linnet::tool {
namespace {

/// The model at another optimisation level, with additional rewrites disabled.
Model variant(const ModelFlags& flags, int optimization, std::span<const std::string> disabled = {}) {
  ModelFlags changed = flags;
  changed.optimization = optimization;
  changed.disabled_rewrites.insert(changed.disabled_rewrites.end(), disabled.begin(), disabled.end());
  return load_model(changed);
}

class Comparison {
 public:
  Comparison(const Model& model, const AccuracyFlags& accuracy) : model_(model), accuracy_(accuracy) {}

  bool agree(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) const {
    for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
      if (!compare(i, got, expected).agree()) return false;
    }
    return true;
  }

  /// Adds a line per output; returns how many differ.
  int describe_to(std::string& text, Json& json, const std::vector<Tensor>& got, const std::vector<Tensor>& expected,
                  const std::string& reference) const {
    int differing = 0;
    for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
      const Difference difference = compare(i, got, expected);
      differing += difference.agree() ? 0 : 1;
      text += name(i) + "  " + describe(got[i]) + "  against " + reference +
              format(": max |difference| %.3g, SNR %s dB, ", difference.max_difference,
                     decibels(difference.snr_db()).c_str()) +
              (difference.agree() ? "agrees" : failed("differs") + ": " + difference.reason) + "\n";
      json.push_back({{"output", name(i)},
                      {"reference", reference},
                      {"agrees", difference.agree()},
                      {"max_difference", difference.max_difference},
                      {"snr_db", ratio_json(difference.snr_db())},
                      {"differing_elements", difference.differing}});
    }
    return differing;
  }

 private:
  const std::string& name(size_t i) const { return model_.outputs()[i].name; }
  Difference compare(size_t i, const std::vector<Tensor>& got, const std::vector<Tensor>& expected) const {
    return compare_tensors(got[i], expected[i], tolerance_for(name(i), accuracy_));
  }

  const Model& model_;
  const AccuracyFlags& accuracy_;
};

/// The rewrite that first makes the outputs differ from those of the unoptimised model, as a sentence. It halves the
/// list of rewrites repeatedly, which assumes that outputs differ whenever that rewrite is enabled.
std::string bisect(const ModelFlags& flags, const Comparison& comparison, const std::vector<Tensor>& inputs,
                   const std::vector<Tensor>& reference) {
  const std::vector<std::string> rewrites = make_registry(flags).rewrite_names();
  const auto agrees_with_first = [&](size_t enabled) {
    const Model model = variant(flags, 2, std::span(rewrites).subspan(enabled));
    return comparison.agree(run_once(model, flags, inputs), reference);
  };
  if (agrees_with_first(rewrites.size())) return "no rewrite makes the outputs differ from --opt 0";
  if (!agrees_with_first(0)) return "the outputs differ from --opt 0 without any rewrite";
  size_t good = 0, bad = rewrites.size();
  while (bad - good > 1) {
    const size_t middle = (good + bad) / 2;
    (agrees_with_first(middle) ? good : bad) = middle;
  }
  return "the outputs differ from --opt 0 since rewrite " + rewrites[bad - 1];
}

/// A model with the references that the flags specify.
class References {
 public:
  References(const Options& options, const Model& model)
      : options_(options),
        model_(model),
        inputs_(make_inputs(model, options.input)),
        outputs_(run_once(model, options.model, inputs_)),
        comparison_(model, options.accuracy) {}

  void compare_with_files() {
    const std::string& folder = options_.input.test_data;
    add(load_expected(model_, folder), folder);
  }

  void compare_with_onnx_runtime() {
    OnnxRuntime engine(options_.vs_ort, path_to_open(options_.model.path, load_limits(options_.model)),
                       thread_count(options_.model));
    const std::vector<Tensor> expected = engine.first_run(model_, inputs_);
    add(expected, "ONNX Runtime " + engine.version());
  }

  void compare_with_unoptimized() {
    const Model unoptimized = variant(options_.model, 0);
    const std::vector<Tensor> reference = run_once(unoptimized, options_.model, inputs_);
    add(reference, "--opt 0");
    if (options_.bisect_opt) {
      json_["bisect"] = bisect(options_.model, comparison_, inputs_, reference);
      text_ += json_["bisect"].get<std::string>() + "\n";
    }
    add_nodes({model_, inputs_}, {unoptimized, inputs_});
  }

  /// Compares node by node, as written in the files, because rewrites would remove values of both.
  void compare_with_other_form() {
    const OtherForm other(model_, options_.model, options_.against);
    add(other.run(inputs_), options_.against);
    add_nodes({variant(options_.model, 0), inputs_}, {variant(other.flags(), 0), other.inputs(inputs_)});
  }

  void compare_in_guarded_memory() {
    const std::string difference = guarded_difference(options_.model, inputs_);
    text_ += "guarded memory: " + (difference.empty() ? "all values are equal" : failed(difference)) + "\n";
    json_["guarded_memory"] = difference;
    differing_ += difference.empty() ? 0 : 1;
  }

  /// Throws Failure(kDifference) if anything differs.
  void finish() const {
    report(text_, json_, options_.json);
    if (differing_ == 0) return;
    throw Failure(ExitCode::kDifference,
                  str(differing_, differing_ == 1 ? " comparison differs" : " comparisons differ"), true);
  }

 private:
  void add(const std::vector<Tensor>& expected, const std::string& reference) {
    differing_ += comparison_.describe_to(text_, json_["outputs"], outputs_, expected, reference);
  }

  void add_nodes(const ModelRun& run, const ModelRun& reference) {
    if (!options_.per_node && !options_.first_diff) return;
    const NodeComparison nodes = compare_nodes(run, reference, options_, !options_.per_node);
    text_ += nodes.text;
    json_.update(nodes.json);
    differing_ += nodes.differing;
  }

  const Options& options_;
  const Model& model_;
  std::vector<Tensor> inputs_, outputs_;
  Comparison comparison_;
  std::string text_;
  Json json_{{"model", options_.model.path}, {"outputs", Json::array()}};
  int differing_ = 0;
};

}  // namespace

ExitCode compare_verb(const Options& options) {
  const Model model = load_model(options.model);
  save_optimized(model, options);
  References references(options, model);
  if (!options.input.test_data.empty()) references.compare_with_files();
  if (!options.vs_ort.empty()) references.compare_with_onnx_runtime();
  if (!options.against.empty()) references.compare_with_other_form();
  if (options.verify_opt || options.bisect_opt) references.compare_with_unoptimized();
  if (options.guard_memory) references.compare_in_guarded_memory();
  references.finish();
  return ExitCode::kOk;
}

}  // namespace linnet::tool
