#include "options.h"

#ifdef LINNET_HAS_LIBTORCH
#include <torch/version.h>
#endif

#include <CLI/CLI.hpp>
#include <algorithm>

#include "linnet/did_you_mean.h"

namespace linnet::exporter {
namespace {

#ifdef LINNET_HAS_LIBTORCH
constexpr const char* kVersion = "export_model " LINNET_VERSION ", LibTorch " TORCH_VERSION;
#else
constexpr const char* kVersion = "export_model " LINNET_VERSION ", without LibTorch";
#endif
constexpr int64_t kOldestOpset = 13, kNewestOpset = 25, kDeformConvOpset = 19, kFunctionOpset = 15;

void add_flags(CLI::App& app, Options& o) {
  app.add_option("model", o.model,
                 "Program of torch.export.save (.pt2) or, with LibTorch, TorchScript file of torch.jit.save");
  app.add_option("-o,--output", o.output, "ONNX file to write");
  app.add_option("-i,--input", o.inputs,
                 "Of a TorchScript model: NAME:1x3x224x224[:float32[:LO..HI]] for a tensor, NAME.0:2x3 for one in a "
                 "list, NAME=VALUE for a "
                 "number, bool, string, none or list of ints (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--dynamic", o.dynamic,
                 "NAME:AXIS=SYMBOL: an axis of a TorchScript model whose size stays open (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--input-names", o.input_names, "Names of a .pt2's inputs instead of the program's, in order: A,B,C")
      ->delimiter(',');
  app.add_option("--output-names", o.output_names, "Names of a .pt2's outputs, in order: A,B,C")->delimiter(',');
  app.add_option("--dim-name", o.dim_names, "s77=batch: another name for a symbol of a .pt2's sizes (repeatable)")
      ->allow_extra_args(false);
  app.add_flag("--states,!--no-states", o.states,
               "Buffers that a .pt2's program changes are inputs and outputs; else each run begins with their values")
      ->capture_default_str();
  app.add_option("--call", o.function_calls,
                 "aten::selu=domain::Name: an operator of tensors becomes a call of a model function (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--opset", o.form.opset, "Version of ai.onnx; without it, as new as the operators need, but at least")
      ->check(CLI::Range(kOldestOpset, kNewestOpset))
      ->capture_default_str();
  app.add_option("--deform-conv", o.form.deform_conv,
                 "torchvision::deform_conv2d as custom::deform_conv2d or DeformConv")
      ->check(CLI::IsMember({"custom", "standard"}))
      ->capture_default_str();
  app.add_option("--my-add", o.form.my_add, "linnet::my_add as custom::my_add, Mul and Add, or a model function")
      ->check(CLI::IsMember({"custom", "decompose", "function"}))
      ->capture_default_str();
  app.add_flag("--external-data", o.external_data,
               "Write the weights to OUTPUT.data; those of more than 2 GiB go there in any case");
  app.add_option("--load-library", o.operator_libraries, "Library that registers TorchScript operators (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--lowering", o.lowering_libraries, "Library with lowering rules (repeatable)")
      ->allow_extra_args(false);
  app.add_flag("--list-operators", o.list_operators, "List the operators that have a lowering rule");
  app.add_option("--seed", o.seed, "Seed of random inputs")->capture_default_str();
  app.add_flag(
      "--check", o.check,
      "Compare Linnet's outputs with PyTorch's: of a TorchScript model, with a report in OUTPUT.check.json, or those "
      "that linnet_torch.save_pt2 put into the .pt2");
  app.add_option("--check-inputs", o.check_inputs, "How many random inputs the check tries, besides edge values")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--atol", o.atol, "The check allows atol + rtol * |PyTorch's value|")->capture_default_str();
  app.add_option("--rtol", o.rtol, "See --atol")->capture_default_str();
}

/// The failure for an error of CLI11; proposes a flag that an unknown one is similar to.
Failure refused(const CLI::App& app, const CLI::ParseError& error) {
  constexpr const char* kHint = "export_model --help lists the flags";
  const std::vector<std::string> words = app.remaining();
  const auto flag = std::find_if(words.begin(), words.end(), [](auto& word) { return word.starts_with("-"); });
  if (flag == words.end()) return {ExitCode::kUsage, error.what() + std::string("; ") + kHint};
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  const std::string similar = did_you_mean(flag->substr(0, flag->find('=')), flags);
  return {ExitCode::kUsage, "unknown flag '" + *flag + "'" + (similar.empty() ? "; " : similar + " ") + kHint};
}

/// Checks the combination of flags.
void check_combination(const CLI::App& app, Options& o) {
  const auto usage = [](const std::string& message) { return Failure(ExitCode::kUsage, message); };
  if (o.list_operators) return;
  if (o.model.empty()) throw usage("no model given; export_model --help lists the flags");
  if (o.output.empty()) throw usage("no output given: -o model.onnx");
  o.is_opset_given = app.get_option("--opset")->count() > 0;
  const bool standard = o.form.deform_conv == "standard";
  if (standard && !o.is_opset_given) o.form.opset = kDeformConvOpset;
  if (standard && o.form.opset < kDeformConvOpset) throw usage("--deform-conv standard needs --opset 19 or newer");
  if (o.form.my_add == "function" && o.form.opset < kFunctionOpset) {
    throw usage("--my-add function needs --opset 15 or newer");
  }
}

}  // namespace

bool parse_options(int argc, char** argv, Options& options) {
  CLI::App app("Exports a model of PyTorch to ONNX.", "export_model");
  app.set_version_flag("--version", kVersion);
  app.footer("Exit codes: 0 ok, 1 usage, 2 the model does not load, 3 it cannot be exported, 4 the check fails.");
  add_flags(app, options);
  try {
    if (argc < 2) throw CLI::CallForHelp();
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return false;
  } catch (const CLI::ParseError& e) {
    throw refused(app, e);
  }
  check_combination(app, options);
  return true;
}

}  // namespace linnet::exporter
