#include "bench/onnx_runtime.h"
#include "command/session.h"
#include "command/verbs.h"
#include "compare/differences.h"
#include "compare/guarded_run.h"
#include "compare/per_node.h"
#include "report/report.h"
#include "report/terminal.h"
#include "values/inputs.h"

namespace linnet::tool {
namespace {

std::vector<Tensor> run_once(const Model& model, const ModelFlags& flags, const std::vector<Tensor>& inputs) {
  Context context(model, context_options(flags));
  std::vector<Tensor> outputs;
  for (const Tensor& output : context.run(inputs)) outputs.push_back(output.clone());
  return outputs;
}

/// The model at another optimisation level, with more rewrites switched off.
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
              format(": max |difference| %.3g, ", difference.max_difference) +
              (difference.agree() ? "agrees" : failed("differs") + ": " + difference.reason) + "\n";
      json.push_back({{"output", name(i)},
                      {"reference", reference},
                      {"agrees", difference.agree()},
                      {"max_difference", difference.max_difference},
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

/// The rewrite that first makes the outputs differ from the unoptimised model's, as a sentence. Assumes that they
/// differ with all rewrites before it in the list, or none: the search halves the list.
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

}  // namespace

ExitCode compare_verb(const Options& options) {
  const Model model = load_model(options.model);
  save_optimized(model, options);
  const std::vector<Tensor> inputs = make_inputs(model, options.input);
  const std::vector<Tensor> outputs = run_once(model, options.model, inputs);
  const Comparison comparison(model, options.accuracy);
  std::string text;
  Json json{{"model", options.model.path}, {"outputs", Json::array()}};
  int differing = 0;
  if (!options.input.test_data.empty()) {
    const std::string& folder = options.input.test_data;
    differing += comparison.describe_to(text, json["outputs"], outputs, load_expected(model, folder), folder);
  }
  if (!options.vs_ort.empty()) {
    OnnxRuntime engine(options.vs_ort, options.model.path, thread_count(options.model));
    const std::vector<Tensor> expected = engine.first_run(model, inputs);
    differing += comparison.describe_to(text, json["outputs"], outputs, expected, "ONNX Runtime " + engine.version());
  }
  if (options.verify_opt || options.bisect_opt) {
    const Model unoptimized = variant(options.model, 0);
    const std::vector<Tensor> reference = run_once(unoptimized, options.model, inputs);
    differing += comparison.describe_to(text, json["outputs"], outputs, reference, "--opt 0");
    if (options.bisect_opt) {
      json["bisect"] = bisect(options.model, comparison, inputs, reference);
      text += json["bisect"].get<std::string>() + "\n";
    }
    if (options.per_node || options.first_diff) {
      const NodeComparison nodes = compare_nodes(model, unoptimized, inputs, options, !options.per_node);
      text += nodes.text;
      json.update(nodes.json);
      differing += nodes.differing;
    }
  }
  if (options.guard_memory) {
    const std::string difference = guarded_difference(options.model, inputs);
    text += "guarded memory: " + (difference.empty() ? "all values are equal" : failed(difference)) + "\n";
    json["guarded_memory"] = difference;
    differing += difference.empty() ? 0 : 1;
  }
  report(text, json, options.json);
  if (differing > 0)
    throw Failure(ExitCode::kDifference, str(differing, differing == 1 ? " comparison differs" : " comparisons differ"),
                  true);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
