#include "command/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <limits>
#include <set>

#include "command/check_options.h"
#include "command/failure.h"
#include "command/man_page.h"

namespace linnet::tool {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 usage, 2 the model does not load, 3 the run fails, 4 a comparison fails,\n"
    "5 a limit or deadline was hit.";
constexpr const char* kEnvironment =
    "LINNET_ISA names the instruction set where --isa does not.\n"
    "OMP_NUM_THREADS is the number of threads where --threads does not give one.\n"
    "NO_COLOR, set to anything, leaves out colours, which only terminals get.";

/// CLI11's own checks print the largest double in full, and take NaN.
CLI::Validator within(double least, double most, const std::string& name) {
  return {[=](const std::string& text) {
            double value = 0;
            const bool fits = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
            return fits ? std::string() : "Value " + text + " is not " + name;
          },
          ""};
}
constexpr double kMostNumber = std::numeric_limits<double>::max();
CLI::Validator positive() { return within(std::numeric_limits<double>::min(), kMostNumber, "positive"); }
CLI::Validator not_negative() { return within(0, kMostNumber, "0 or more"); }
CLI::Validator percent(int least) { return within(least, 100, "from " + std::to_string(least) + " to 100"); }
/// CLI11 itself wraps what is negative and cuts off what is too large.
CLI::Validator unsigned_number() {
  return {[](const std::string& text) {
            uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [next, code] = std::from_chars(text.data(), end, value);
            return code == std::errc() && next == end ? std::string() : "Value " + text + " is not from 0 to 2^64 - 1";
          },
          ""};
}
CLI::Validator number() { return within(-kMostNumber, kMostNumber, "a finite number"); }

void add_load_flags(CLI::App& verb, ModelFlags& f) {
  const auto group = verb.add_option_group("Loading");
  group->add_option("-R,--op-lib", f.op_libraries, "Shared library with custom operators (repeatable)")
      ->allow_extra_args(false);
  group->add_flag("--allow-newer-opset", f.allow_newer_opset, "Try models of an opset newer than any this build knows");
  group
      ->add_option("--isa", f.isa,
                   "Instruction set: auto, or one that run_model devices lists, +FEATURE for each feature wanted")
      ->capture_default_str();
  group->add_option("-x,--threads", f.threads, "Threads of one run; 0: as many as cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  group
      ->add_option("--max-memory", f.max_memory,
                   "Limit for memory: 64M, 2G; three quarters of what the process may fill where not given")
      ->transform(CLI::AsSizeValue(false))
      ->check(positive());
  group
      ->add_option("--deadline", f.deadline_ms,
                   "Limit for the time of loading and of each run, in ms; 300000 for loading where not given")
      ->check(positive());
  group->add_flag("--trusted", f.trusted, "No limits but those given: the model may take all memory and any time");
  group->add_flag("--untrusted", f.untrusted, "Strict limits on what the model may demand");
}

void add_model_flags(CLI::App& verb, ModelFlags& f) {
  const auto group = verb.add_option_group("Model");
  group->add_option("-o,--opt", f.optimization, "0 as written, 1 folded and cleaned, 2 all rewrites")
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
  group->add_option("--disable-rewrite", f.disabled_rewrites, "Leave out a rewrite (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  group->add_option("--winograd-tile", f.winograd_tile, "Widest tile of Winograd's convolutions: 4, 3, 2 or 0 for none")
      ->check(CLI::IsMember({0, 2, 3, 4}))
      ->capture_default_str();
  group->add_flag_callback(
      "--no-winograd", [&f] { f.winograd_tile = 0; }, "The same as --winograd-tile 0");
  group->add_flag("--fast-int4", f.fast_int4,
                  "Weights of 2 to 8 bits in blocks: multiply in int8 where the model leaves it open");
  group->add_flag("--batch-invariant", f.batch_invariant, "A sample's bits do not depend on the size of its batch");
  group->add_option("--precision", f.precision, "Products of float32: float32, or bf16 where the processor has it")
      ->check(CLI::IsMember({"float32", "bf16"}))
      ->capture_default_str();
  group
      ->add_option("--plan-cache", f.plan_cache,
                   "What plans of other shapes than the last may hold: 256M, 0 for nothing; 128M where not given")
      ->transform(CLI::AsSizeValue(false))
      ->check(not_negative());
  group->add_option("--pack-cache", f.pack_cache, "Folder where the prepared model is kept for the next time");
}

void add_generator_flags(CLI::App& verb, InputFlags& f) {
  const auto group = verb.add_option_group("Generated input");
  group->add_option("-f,--dim", f.dims, "NAME=N: value of a symbolic dim of generated inputs; 1 where not given")
      ->allow_extra_args(false);
  group->add_option("--shape", f.shapes, "NAME:1x3x224x224: shape of a generated input")->allow_extra_args(false);
  group->add_option("--seed", f.seed, "Seed of random inputs and of random operators without one")
      ->check(unsigned_number())
      ->capture_default_str();
  group->add_option("--fill", f.fill, "Values of generated inputs")
      ->check(CLI::IsMember({"random", "zeros", "ones", "ramp"}))
      ->capture_default_str();
  group->add_option("--range", f.range, "LO,HI: generated values are uniform in this range")
      ->delimiter(',')
      ->expected(2)
      ->allow_extra_args(false);
}

void add_input_flags(CLI::App& verb, InputFlags& f) {
  const auto group = verb.add_option_group("Input");
  group
      ->add_option("-i,--input", f.files,
                   "NAME=FILE (repeatable): .npy, .npz:member, .pb, .png, .jpg, .ppm; NAME:dtype:1x3x8x8=FILE.bin")
      ->allow_extra_args(false);
  group->add_option("--input-npz", f.npz, "All inputs from one .npz, members named as the inputs");
  group->add_option("--test-data", f.test_data, "Inputs (and outputs to compare with) from a test_data_set_N folder");
}

void add_accuracy_flags(CLI::App& verb, AccuracyFlags& f) {
  verb.add_option("--atol", f.atol, "[OUTPUT:]X absolute tolerance; 1e-7 where not given")->allow_extra_args(false);
  verb.add_option("--rtol", f.rtol, "[OUTPUT:]X relative tolerance; 1e-3 where not given")->allow_extra_args(false);
}

void add_profile_flags(CLI::App& verb, Options& o) {
  verb.add_option("-p,--profile", o.profile, "Write a Chrome/Perfetto trace of the last run");
  verb.add_flag("--profile-table", o.profile_table, "Print time, speed and share of the machine's peak of every node");
}

CLI::App* add_verb(CLI::App& app, Options& o, const std::string& name, const std::string& what) {
  CLI::App* verb = app.add_subcommand(name, what);
  verb->callback([&o, name] { o.verb = name; });
  verb->add_option("--json", o.json, "Write the result as JSON to a file; -: to stdout, instead of text");
  verb->footer(kFooter);
  return verb;
}

CLI::App* add_model_verb(CLI::App& app, Options& o, const std::string& name, const std::string& what) {
  CLI::App* verb = add_verb(app, o, name, what);
  verb->add_option("model", o.model.path, "The ONNX file, or program of PyTorch (.pt2)")->type_name("MODEL");
  add_model_flags(*verb, o.model);
  add_load_flags(*verb, o.model);
  verb->add_option("--save-optimized", o.save_optimized, "Write the model as it is after the rewrites")
      ->type_name("FILE.onnx");
  add_input_flags(*verb, o.input);
  add_generator_flags(*verb, o.input);
  return verb;
}

void add_run(CLI::App& app, Options& o) {
  CLI::App* verb = add_model_verb(app, o, "run", "Run once, print the outputs");
  verb->add_flag("-v,--verbose", o.verbose, "Tell on stderr what was chosen for each node");
  verb->add_option("--print", o.print, "Print the first N values of each output")
      ->check(not_negative())
      ->capture_default_str();
  verb->add_option("--top", o.top, "Print the K largest values of each row of each output")->check(positive());
  verb->add_option("--labels", o.labels, "A text file with one label per line, for --top");
  verb->add_option("--save-outputs", o.save_outputs, "Write the outputs to a .npz");
  add_accuracy_flags(*verb, o.accuracy);
  add_profile_flags(*verb, o);
}

CLI::Option* add_state_flags(CLI::App& verb, Options& o) {
  CLI::Option* state =
      verb.add_option("--state", o.state, "Run steps that leave outputs for inputs of the next: 'present.*=past.*'")
          ->type_name("OUTPUT=INPUT");
  verb.add_option("--steps", o.steps, "Steps until the states are reset")
      ->check(positive())
      ->capture_default_str()
      ->needs(state);
  verb.add_option("--grow", o.grow, "Inputs whose last dim grows by 1 with each step, as a mask's")
      ->delimiter(',')
      ->type_name("INPUT")
      ->needs(state);
  return state;
}

void add_peer_flag(CLI::App& verb, Options& o, const std::string& what) {
  verb.add_option("--vs-ort", o.vs_ort, what)->type_name("[LIBRARY.so]");
}

void add_bench(CLI::App& app, Options& o) {
  CLI::App* verb = add_model_verb(app, o, "bench", "Time a model");
  verb->add_option("-r,--iters", o.iterations, "Runs to time; with --duration, whichever ends later")
      ->check(positive());
  verb->add_option("-t,--duration", o.duration_s, "Seconds to run; 3 where neither is given")->check(positive());
  verb->add_option("--warmup", o.warmup, "Runs before the timing starts")->check(not_negative())->capture_default_str();
  verb->add_option("-c,--concurrency", o.concurrency, "Contexts that run at the same time, each with its own threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option("--percentiles", o.percentiles, "Percentiles to print; 90,99 where not given")
      ->delimiter(',')
      ->check(percent(0));
  CLI::Option* state = add_state_flags(*verb, o);
  verb->add_option("--raw-times", o.raw_times, "Write every latency in ms to a file, one per line");
  add_peer_flag(*verb, o, "Time ONNX Runtime in turns with Linnet, and compare the outputs");
  state->excludes("--vs-ort");
  add_accuracy_flags(*verb, o.accuracy);
  add_profile_flags(*verb, o);
}

void add_check(CLI::App& app, Options& o) {
  CLI::App* verb = add_verb(app, o, "check", "Run ONNX test-case folders, recursively");
  verb->add_option("paths", o.paths, "Folders that hold model.onnx and test_data_set_N, at any depth")
      ->type_name("PATH");
  verb->add_flag("-v,--verbose", o.verbose, "Print passed cases, too");
  verb->add_flag("--guard-memory", o.guard_memory, "Compare all values with those in guarded memory, too, bit by bit");
  add_model_flags(*verb, o.model);
  add_load_flags(*verb, o.model);
  add_accuracy_flags(*verb, o.accuracy);
}

void add_compare(CLI::App& app, Options& o) {
  CLI::App* verb = add_model_verb(app, o, "compare", "Compare each output with a reference");
  add_peer_flag(*verb, o, "Reference: ONNX Runtime");
  verb->add_flag("--verify-opt", o.verify_opt, "Reference: the same model at --opt 0");
  verb->add_flag("--bisect-opt", o.bisect_opt, "Find the rewrite that makes the outputs differ from --opt 0");
  verb->add_flag("--guard-memory", o.guard_memory,
                 "Reference, bit by bit: the same model, each value in memory of its own between guards");
  verb->add_flag("--per-node", o.per_node, "Compare the values inside the model, too, node by node");
  verb->add_flag("--first-diff", o.first_diff, "Name the first node whose values differ");
  add_accuracy_flags(*verb, o.accuracy);
}

void add_inspect(CLI::App& app, Options& o) {
  CLI::App* verb = add_model_verb(app, o, "inspect", "Show inputs, outputs, operators, weights, memory plan");
  verb->add_option("--show", o.show, "What to show: io, ops, memory (these by default), values, weights, plan")
      ->delimiter(',')
      ->check(CLI::IsMember({"io", "ops", "memory", "values", "weights", "plan"}));
  verb->add_option("--save-memory-plan", o.save_memory_plan, "Draw where in memory each value is stored, node by node")
      ->type_name("FILE.svg");
}

void add_grid_flags(CLI::App& verb, QuantizeFlags& f) {
  verb.add_option("--calibration", f.calibration,
                  "Inputs to find ranges and errors with: a folder of .npz or test_data_set_N, or a number to generate")
      ->type_name("DIR|N");
  verb.add_option("--method", f.method, "How ranges of activations follow from the values that calibration sees")
      ->check(CLI::IsMember({"minmax", "percentile", "entropy"}))
      ->capture_default_str();
  verb.add_option("--percentile", f.percentile, "Percent of the values that --method percentile keeps")
      ->check(percent(50))
      ->capture_default_str();
  verb.add_flag("--per-channel", f.per_channel, "One scale of int8 weights for each output channel");
  verb.add_flag("--reduce-range", f.reduce_range, "int8 weights of 7 bits, faster on processors without VNNI");
  verb.add_option("--block-size", f.block_size, "Weights of a column that share a scale, for --mode int4")
      ->check(positive())
      ->capture_default_str();
}

void add_quantize(CLI::App& app, Options& o) {
  CLI::App* verb = add_verb(app, o, "quantize", "Write a model with its products quantised");
  QuantizeFlags& f = o.quantize;
  verb->add_option("model", o.model.path, "The ONNX file, or program of PyTorch (.pt2)")->type_name("MODEL");
  verb->add_option("-o,--output", f.output, "The file to write")->type_name("FILE.onnx")->required();
  verb->add_option("--mode", f.mode,
                   "static: QDQ, ranges by calibration; dynamic: ranges of each run; int4: MatMulNBits, 4-bit weights")
      ->check(CLI::IsMember({"static", "dynamic", "int4"}))
      ->required();
  add_grid_flags(*verb, f);
  verb->add_option("--exclude", f.exclude, "Node that stays in floats, by name (repeatable)")->allow_extra_args(false);
  verb->add_option("--exclude-below", f.exclude_below,
                   "Nodes with a lower signal-to-noise ratio than this, in dB, stay in floats, too")
      ->check(number())
      ->type_name("DB");
  add_load_flags(*verb, o.model);
  add_generator_flags(*verb, o.input);
}

void add_ops(CLI::App& app, Options& o) {
  CLI::App* verb = add_verb(app, o, "ops", "List the operators of this build, or those that models need");
  verb->add_option("--needed", o.needed, "Print what these models need, for builds with -DLINNET_OPERATORS=FILE")
      ->type_name("MODEL");
  add_model_flags(*verb, o.model);
  add_load_flags(*verb, o.model);
  add_input_flags(*verb, o.input);
  add_generator_flags(*verb, o.input);
  add_state_flags(*verb, o);
}

/// "--vs-ort" takes a value only where one that names a library follows; otherwise the next word is the model.
void bind_library(std::vector<std::string>& arguments) {
  const auto flag = std::find(arguments.begin(), arguments.end(), "--vs-ort");
  if (flag == arguments.end()) return;
  const auto next = flag + 1;
  const bool given = next != arguments.end() && next->find(".so") != std::string::npos;
  *flag += "=" + (given ? *next : std::string("libonnxruntime.so"));
  if (given) arguments.erase(next);
}

/// The command line with "run" put in front where it starts with no verb, in CLI11's reversed order.
std::vector<std::string> reversed_arguments(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return {"--help"};
  static const std::set<std::string> kGlobal{"-h", "--help", "--man", "--version"};
  const auto verbs = app.get_subcommands([&](const CLI::App* verb) { return verb->check_name(arguments[0]); });
  if (verbs.empty() && !kGlobal.contains(arguments[0])) arguments.insert(arguments.begin(), "run");
  bind_library(arguments);
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

/// Where to read on after an error.
std::string help_hint(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
  return "; run_model " + verb + "--help lists the flags";
}

/// Names the first unknown flag, or the first word that is too many.
Failure unexpected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const auto flag = std::find_if(words.begin(), words.end(), [](auto& word) { return word.starts_with("-"); });
  const std::string what =
      flag != words.end() ? "unknown flag " + *flag : "unexpected argument '" + words.front() + "'";
  return {ExitCode::kUsage, what + help_hint(app)};
}

}  // namespace

bool parse_options(int argc, char** argv, Options& o) {
  CLI::App app("Runs ONNX models with Linnet. Without a subcommand: run_model MODEL runs the model once.", "run_model");
  app.set_version_flag("--version", "run_model " LINNET_VERSION);
  const auto print_man_page = [&] {
    std::cout << man_page(app, kEnvironment);
    throw CLI::Success();
  };
  app.add_flag_callback("--man", print_man_page, "Print the manual page in roff and exit")->trigger_on_parse();
  app.require_subcommand(1);
  app.footer("run_model VERB --help lists the flags of a verb.\n" + std::string(kFooter));
  add_run(app, o);
  add_bench(app, o);
  add_check(app, o);
  add_compare(app, o);
  add_inspect(app, o);
  add_quantize(app, o);
  add_ops(app, o);
  add_verb(app, o, "devices", "Show instruction sets, cores, caches, threads");
  try {
    app.parse(reversed_arguments(app, argc, argv));
  } catch (const CLI::Success& e) {
    app.exit(e);
    return false;
  } catch (const CLI::ExtrasError&) {
    throw unexpected(app);
  } catch (const CLI::ParseError& e) {
    throw Failure(ExitCode::kUsage, e.what() + help_hint(app));
  }
  const CLI::App* verb = app.get_subcommands().front();
  for (const char* flag : {"--fill", "--seed", "--range", "--shape"}) {
    const CLI::Option* option = verb->get_option_no_throw(flag);
    o.input.generate |= option && option->count() > 0;
  }
  o.model.seed = o.input.seed;
  o.input.named_dims = !o.save_memory_plan.empty();
  check_combination(o);
  return true;
}

}  // namespace linnet::tool
