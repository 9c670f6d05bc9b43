#include "command/option_groups.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>

namespace linnet::tool {
namespace {

/// Replaces CLI11's own checks, which print the largest double in full and accept NaN.
CLI::Validator within(double least, double most, const std::string& name) {
  return {[=](const std::string& text) {
            double value = 0;
            const bool fits = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
            return fits ? std::string() : "Value " + text + " is not " + name;
          },
          ""};
}
constexpr double kMostNumber = std::numeric_limits<double>::max();

}  // namespace

CLI::Validator positive() { return within(std::numeric_limits<double>::min(), kMostNumber, "positive"); }
CLI::Validator not_negative() { return within(0, kMostNumber, "0 or more"); }
CLI::Validator percent(int least) { return within(least, 100, "from " + std::to_string(least) + " to 100"); }
// CLI11 itself wraps negative numbers and truncates those that are too large.
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
      ->add_option("--executor", f.executor,
                   "Whose threads: threads (Linnet's own), openmp (OpenMP's), serial (the calling one alone)")
      ->check(CLI::IsMember({"threads", "openmp", "serial"}))
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
  group->add_option("--opt", f.optimization, "0 as written, 1 folded and cleaned, 2 all rewrites")
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
                   "What plans of other shapes than the last may hold: 256M, 0 for nothing; 64M where not given")
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

}  // namespace linnet::tool
