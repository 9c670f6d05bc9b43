#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace linnet::tool {

/// The model, and how it is prepared and run.
struct ModelFlags {
  std::string path;
  int optimization = 2;
  std::vector<std::string> disabled_rewrites;
  std::vector<std::string> op_libraries;
  std::string isa = "auto";
  std::string pack_cache;   ///< folder; empty: no cache
  int64_t plan_cache = -1;  ///< bytes; negative: not given
  std::string executor = "threads";
  int threads = 0;          ///< 0: as many as cores
  uint64_t max_memory = 0;  ///< bytes; 0: not given
  int64_t deadline_ms = 0;  ///< 0: not given
  bool trusted = false, untrusted = false;
  int winograd_tile = 4;
  bool fast_int4 = false;
  bool batch_invariant = false;
  std::string precision = "float32";
  bool allow_newer_opset = false;
  uint64_t seed = 0;  ///< --seed, for random operators
};

/// The sources of inputs.
struct InputFlags {
  std::vector<std::string> files;  ///< NAME=FILE
  std::string npz;
  std::string test_data;            ///< a folder with input_0.pb, ...
  std::vector<std::string> dims;    ///< NAME=N
  std::vector<std::string> shapes;  ///< NAME:1x3x224x224
  uint64_t seed = 0;
  std::string fill = "random";
  std::vector<double> range;  ///< empty or {low, high}
  bool generate = false;      ///< --fill, --seed, --range or --shape is given: missing inputs are generated
  bool named_dims = false;    ///< a dim that nothing names is an error instead of 1
  bool quiet = false;         ///< without notes
  int64_t batch = 0;          ///< first axis of the inputs; 0: not given
  std::string only_file;      ///< a file for the only input; empty: not given
};

/// Tolerances, each "X" or "OUTPUT:X".
struct AccuracyFlags {
  std::vector<std::string> atol, rtol;
};

/// What `quantize` makes, and from what.
struct QuantizeFlags {
  std::string output, mode;
  std::string calibration;  ///< a folder or a number; empty: not given
  std::string method = "minmax";
  double percentile = 99.99;
  bool per_channel = false, reduce_range = false;
  int64_t block_size = 32;
  std::vector<std::string> exclude;
  double exclude_below = -std::numeric_limits<double>::infinity();
};

/// All options of the command line. Each verb reads its part.
struct Options {
  std::string verb;
  ModelFlags model;
  InputFlags input;
  AccuracyFlags accuracy;
  QuantizeFlags quantize;
  std::string json;  ///< a file, "-" for stdout, empty for none
  bool verbose = false;

  // run, bench, compare, inspect
  std::string save_optimized;

  // run
  int64_t print = 8;
  int top = 0;
  std::string labels;
  std::string save_outputs;

  // run, bench
  std::string profile;
  bool profile_table = false;

  // bench
  int64_t iterations = 0;  ///< 0: not given
  double duration_s = 0;   ///< 0: not given
  int64_t warmup = 3;
  int concurrency = 1;
  std::vector<double> percentiles;
  std::string raw_times, csv;
  double rate = 0;                ///< runs due per second; 0: consecutive runs
  std::string state;              ///< OUTPUT=INPUT, each with at most one star; empty: no states
  int64_t steps = 64;             ///< between two resets of the states
  std::vector<std::string> grow;  ///< inputs whose last dim becomes longer with each step
  std::string vs_ort;             ///< ONNX Runtime's library; empty: no comparison

  // check
  std::vector<std::string> paths;

  // ops
  std::vector<std::string> needed;  ///< models; empty: all operators are listed

  // check, compare
  bool guard_memory = false;

  // compare
  std::string against;  ///< another form of the model; empty: not given
  bool verify_opt = false;
  bool bisect_opt = false;
  bool per_node = false;
  bool first_diff = false;

  // inspect
  std::vector<std::string> show;
  std::string save_memory_plan;
};

/// The argument of --json, or empty, even if the command line is malformed elsewhere.
std::string json_target(int argc, char** argv);
/// Parses the command line. Throws Failure(kUsage). Returns false if help or the version was printed instead.
bool parse_options(int argc, char** argv, Options& options);

}  // namespace linnet::tool
