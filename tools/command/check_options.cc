#include "command/check_options.h"

#include <cmath>
#include <set>

#include "command/failure.h"

namespace linnet::tool {
namespace {

void check_positional(const Options& o) {
  static const std::set<std::string> kWithModel{"run", "bench", "compare", "inspect", "quantize"};
  if (kWithModel.contains(o.verb) && o.model.path.empty()) {
    throw Failure(ExitCode::kUsage, "the model is missing: run_model " + o.verb + " MODEL");
  }
  if (o.verb == "check" && o.paths.empty()) {
    throw Failure(ExitCode::kUsage, "the folder of the test cases is missing: run_model check PATH");
  }
}

void check_quantize(const Options& o) {
  const QuantizeFlags& f = o.quantize;
  if (o.verb != "quantize") return;
  if (f.calibration.empty() && f.mode == "static") {
    throw Failure(ExitCode::kUsage, "--mode static finds its ranges on inputs: add --calibration PATH or N");
  }
  if (f.calibration.empty() && std::isfinite(f.exclude_below)) {
    throw Failure(ExitCode::kUsage,
                  "--exclude-below compares with the float model on inputs: add --calibration PATH or N");
  }
}

void check_compare(const Options& o) {
  const bool unoptimized = o.verify_opt || o.bisect_opt;
  if (o.verb != "compare") return;
  if ((o.per_node || o.first_diff) && unoptimized == !o.against.empty()) {
    throw Failure(ExitCode::kUsage, std::string(o.per_node ? "--per-node" : "--first-diff") +
                                        " needs one reference that knows the values inside the model: add either "
                                        "--verify-opt or --against MODEL");
  }
  if (o.input.test_data.empty() && o.vs_ort.empty() && o.against.empty() && !unoptimized && !o.guard_memory) {
    throw Failure(ExitCode::kUsage,
                  "compare needs a reference: --test-data DIR, --vs-ort, --against MODEL, --verify-opt, --bisect-opt "
                  "or --guard-memory");
  }
}

}  // namespace

void check_combination(const Options& o) {
  check_positional(o);
  check_compare(o);
  check_quantize(o);
  if (o.model.trusted && o.model.untrusted) {
    throw Failure(ExitCode::kUsage, "--trusted lifts limits and --untrusted makes them strict: leave one out");
  }
  const std::vector<double>& range = o.input.range;
  if (range.size() == 2 && !(range[0] <= range[1] && std::isfinite(range[1] - range[0]))) {
    throw Failure(ExitCode::kUsage, "--range: expected finite LO,HI with LO at most HI");
  }
  if (!o.labels.empty() && o.top == 0) throw Failure(ExitCode::kUsage, "--labels needs --top K");
  if (!o.vs_ort.empty() && o.concurrency > 1) {
    throw Failure(ExitCode::kUsage, "--vs-ort times one context: leave --concurrency out");
  }
}

}  // namespace linnet::tool
