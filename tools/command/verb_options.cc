#include "command/verb_options.h"

#include "command/option_groups.h"

namespace linnet::tool {
namespace {

CLI::App* add_verb(CLI::App& app, Options& o, const std::string& name, const std::string& what) {
  CLI::App* verb = app.add_subcommand(name, what);
  verb->callback([&o, name] { o.verb = name; });
  verb->add_option("--json", o.json, "Write the result as JSON to a file; -: to stdout, instead of text");
  verb->footer(kExitCodes);
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
  verb->add_flag("-v,--verbose", o.verbose, "Print on stderr what was chosen for each node");
  verb->add_option("--print", o.print, "Print the first N values of each output")
      ->check(not_negative())
      ->capture_default_str();
  verb->add_option("--top", o.top, "Print the K largest values of each row of each output")->check(positive());
  verb->add_option("--labels", o.labels, "A text file with one label per line, for --top");
  verb->add_option("--save-outputs", o.save_outputs, "Write the outputs to a .npz, or each to a .npy in a folder");
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
  verb.add_option("--vs-ort", o.vs_ort, what)->type_name("[LIBRARY.so|FOLDER]");
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
  CLI::Option* csv =
      verb->add_option("--csv", o.csv, "Write when each run was due and began, and its latency, to a file");
  CLI::Option* rate =
      verb->add_option("--rate", o.rate,
                       "Runs due per second, whether earlier ones have ended or not; prints a histogram")
          ->check(positive());
  verb->add_option("--batch", o.input.batch, "First axis of all inputs, where the model leaves it open")
      ->check(positive());
  add_peer_flag(*verb, o, "Time ONNX Runtime in turns with Linnet, and compare the outputs");
  for (CLI::Option* option : {state, csv, rate}) option->excludes("--vs-ort");
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
  verb->add_option("--against", o.against, "Reference: another form of the model, as a quantised or exported one")
      ->type_name("MODEL");
  verb->add_flag("--verify-opt", o.verify_opt, "Reference: the same model at --opt 0");
  verb->add_flag("--bisect-opt", o.bisect_opt, "Find the rewrite that makes the outputs differ from --opt 0");
  verb->add_flag("--guard-memory", o.guard_memory,
                 "Reference, bit by bit: the same model, each value in separate memory between guards");
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
                  "Inputs to find ranges and errors with: a folder of images, .npy, .npz or test_data_set_N, one such "
                  "file, or a "
                  "number to generate")
      ->type_name("PATH|N");
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

}  // namespace

void add_verbs(CLI::App& app, Options& o) {
  add_run(app, o);
  add_bench(app, o);
  add_check(app, o);
  add_compare(app, o);
  add_inspect(app, o);
  add_quantize(app, o);
  add_ops(app, o);
  add_verb(app, o, "devices", "Show instruction sets, cores, caches, threads");
}

}  // namespace linnet::tool
