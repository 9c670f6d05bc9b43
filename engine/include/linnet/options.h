#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "linnet/executor.h"
#include "linnet/isa.h"
#include "linnet/tensor.h"

namespace linnet {

/// Bounds on what a model may demand. 0 means unlimited.
struct Limits {
  int64_t file_bytes = 0;    ///< size of the model file, and of each external data file
  int64_t nodes = 0;         ///< nodes of all graphs together, after inlining functions
  int64_t depth = 64;        ///< nesting of bodies and functions
  int64_t memory_bytes = 0;  ///< memory that lives at a time: of a model's loading, of all runs of a context
  int64_t deadline_ms = 0;   ///< wall time of loading a model, of one run of a context
};

/// What products of float32 are computed of.
enum class ProductPrecision {
  kFloat32,
  kBFloat16,  ///< factors rounded to bfloat16, sums in float32
};

enum class LogLevel { kInfo, kWarning };

/// Called with what may interest beside results and errors, on the thread that loads or runs. It must not throw.
using Log = std::function<void(LogLevel level, std::string_view message)>;

/// The bytes of a file of external data, by the location that the model names it by. They must stay as they are until
/// the model is loaded. What it throws, load_onnx() throws.
using ExternalDataResolver = std::function<std::span<const std::byte>(const std::string& location)>;

/// Files that a program has elsewhere than in the file system: encrypted, on another machine, in an archive. Only
/// loading calls it, from several threads at once, and it is not kept afterwards. What it throws ends the load with an
/// Error that names the file: of the same kind where it is an Error, Error(kIo) for other exceptions of std.
///
/// A name is the path that load() got, or a location of external data in that one's folder, with '/' between its parts:
/// it is the model that says it. As with files, such a location is relative and has no part ".." unless
/// ModelOptions::allow_external_paths is set.
class LINNET_API ModelFiles {
 public:
  virtual ~ModelFiles() = default;
  /// The bytes that a file has.
  virtual int64_t size(const std::string& name) = 0;
  /// Reads up to to.size() bytes, 16 MiB at the most, from an offset below the file's size on; returns how many. Where
  /// these are fewer, the rest is asked for. 0: the file ends here, which is Error(kIo).
  virtual size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) = 0;
};

/// Called for each initializer of the main graph, by its name: the contents that take the place of those in the file,
/// which are then not read; an empty Tensor where these hold. So models whose weights are elsewhere load. The model
/// keeps the tensors. load_onnx() throws Error(kType, kShape) for one of another dtype or shape than the file declares,
/// and what this throws.
using InitializerResolver = std::function<Tensor(const std::string& name)>;

/// How a model is prepared. Fixed when it is loaded.
struct ModelOptions {
  Isa isa = Isa::kAuto;
  /// 0: as written; 1: constants folded, equal and dead nodes removed; 2: all rewrites.
  int optimization = 2;
  /// The widest tile of outputs, 4, 3 or 2 a side, that convolutions may compute with Winograd's minimal filtering (at
  /// 4 also 5 by windows of 2 taps), or 0: a multiple of the rounding error of direct convolution for a fraction of its
  /// multiplications.
  int winograd_tile = 4;
  /// kBFloat16: MatMul, Gemm and the convolutions that are matrix products may round both factors, x and constant
  /// weights, to bfloat16, each by at most 2^-8 of its magnitude, and add in float32, where the processor has
  /// instructions for that (AVX512-BF16, AMX-BF16; subnormal numbers count as zero); elsewhere nothing changes.
  ProductPrecision precision = ProductPrecision::kFloat32;
  /// Products with weights of few bits in blocks (MatMulNBits) whose model asks for no accuracy level may compute as
  /// level 4 does: rows are quantised to int8, one scale for each block, and multiplied in integers.
  bool fast_int4 = false;
  /// A sample, one index of the first axis, has outputs of the same bits in a batch of any size, at any place in it and
  /// beside any other samples, where the model computes each sample for itself; docs/reproducibility.md has the cost.
  /// Without it a convolution takes other tiles of Winograd's in a batch for which they are twice as fast.
  bool batch_invariant = false;
  /// Rewrites to leave out, by the names of Registry::rewrite_names(); another name is Error(kModel).
  std::set<std::string> disabled_rewrites{};
  Limits limits{};
  /// The threads that read and pack weights, and that kernels divide their work for (a Context may run with others:
  /// results are the same, the division may suit them less); nullptr: make_thread_executor().
  std::shared_ptr<Executor> executor{};
  /// What the plans of other shapes than the last may hold, besides what they share with it and the model, before those
  /// that were not used for longest are given up; for the model and for each of its control-flow bodies.
  int64_t plan_cache_bytes = int64_t{128} << 20;
  /// For tests of kernels and of the plan of memory: every computed value has memory of its own between guards, and no
  /// operator writes over an input. Memory without a value (not computed yet, or not read again, scratch memory before
  /// each node, guards) is full of NaNs. A write beside a value makes run() throw Error(kInternal).
  bool guard_memory = false;
  /// Lets external data lie outside the model's folder.
  bool allow_external_paths = false;
  /// Where the model of load(path) and all external data come from, instead of the file system. All weights are read
  /// when the model is loaded. Model::options() has none.
  std::shared_ptr<ModelFiles> files{};
  /// Where external data comes from, instead of files.
  ExternalDataResolver external_data{};
  /// Contents of initializers, instead of those in the file.
  InitializerResolver initializers{};
  /// Tries models whose opset is newer than any known.
  bool allow_newer_opset = false;
  /// Initializers that are listed as inputs, too (ModelMetadata::overridable), are inputs that a run may leave out, and
  /// no constants.
  bool overridable_initializers = false;
  /// Model::with_weights() is possible: the graph as written is kept beside the optimised one, with all its weights.
  bool replaceable_weights = false;
  /// A folder for what is made of models when they are loaded, optimised graphs and packed weights, so that they are
  /// ready in a fraction of the time when they are loaded again, in memory that processes share. It is found again by
  /// the model's contents, this build of Linnet, the instruction set and the options; what is damaged or another's is
  /// made anew. Empty: none. Who writes to the folder decides on what models compute. Not used, which the log says,
  /// with replaceable_weights, overridable_initializers, files, external_data, initializers, or operators beside
  /// Linnet's own.
  std::string cache_dir{};
  /// Linnet itself prints nothing.
  Log log{};
};

}  // namespace linnet
