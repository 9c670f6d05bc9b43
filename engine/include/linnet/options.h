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
  int64_t file_bytes = 0;    ///< size of the model file and of each external data file
  int64_t nodes = 0;         ///< nodes of all graphs together, after functions are inlined
  int64_t depth = 64;        ///< nesting depth of bodies and functions
  int64_t memory_bytes = 0;  ///< memory in use at the same time: by loading a model, by all runs of a context
  int64_t deadline_ms = 0;   ///< wall time of loading a model, and of one run of a context
};

/// The precision of the factors of float32 products.
enum class ProductPrecision {
  kFloat32,
  kBFloat16,  ///< factors are rounded to bfloat16, sums are in float32
};

/// The importance of a message.
enum class LogLevel { kInfo, kWarning };

/// Receives messages other than results and errors, on the thread that loads or runs. It must not throw.
using Log = std::function<void(LogLevel level, std::string_view message)>;

/// Returns the bytes of an external data file, given the location that the model names. They must stay unchanged until
/// the model is loaded. load_onnx() throws what it throws.
using ExternalDataResolver = std::function<std::span<const std::byte>(const std::string& location)>;

/// Files that a program stores elsewhere than in the file system: encrypted, on another machine, in an archive. It is
/// called only while a model is loaded, from several threads at once, and not stored afterwards. An exception ends the
/// load with an Error that names the file. Its kind is that of an Error, or kIo for other std exceptions.
///
/// A name is the path passed to load(), or the location of external data in that file's folder, with '/' between its
/// parts. Locations come from the model. As with files, a location is relative and has no part ".." unless
/// ModelOptions::allow_external_paths is set.
class LINNET_API ModelFiles {
 public:
  virtual ~ModelFiles() = default;
  /// The size of a file in bytes.
  virtual int64_t size(const std::string& name) = 0;
  /// Reads up to to.size() bytes (at most 16 MiB) from an offset below the file's size; returns how many it read. If
  /// they are fewer, it is called again for the rest. 0 means that the file ends here, which is Error(kIo).
  virtual size_t read(const std::string& name, int64_t offset, std::span<std::byte> to) = 0;
};

/// Returns the contents of an initializer of the main graph by name, to replace those in the file, which are then not
/// read. An empty Tensor keeps those in the file. This loads models whose weights are stored elsewhere. The model
/// shares the tensors. load_onnx() throws Error(kType, kShape) if one has another dtype or shape than the file
/// declares, and what this function throws.
using InitializerResolver = std::function<Tensor(const std::string& name)>;

/// How a model is prepared. The options are fixed when it is loaded.
struct ModelOptions {
  Isa isa = Isa::kAuto;  ///< the instructions that kernels use
  /// 0: the graph as written. 1: constants folded, equal and dead nodes removed. 2: all rewrites.
  int optimization = 2;
  /// The widest tile of outputs, 4, 3 or 2 along each side, that convolutions may compute with Winograd's minimal
  /// filtering; 0 disables it. With 4, windows of 2 taps may use tiles of 5. Wider tiles need a fraction of the
  /// multiplications of direct convolution but have a multiple of its rounding error.
  int winograd_tile = 4;
  /// With kBFloat16, MatMul, Gemm and the convolutions that are matrix products may round both factors, x and constant
  /// weights, to bfloat16, each by at most 2^-8 of its magnitude, and add in float32. This needs a processor with
  /// AVX512-BF16 or AMX-BF16, where subnormal numbers count as zero; on others it changes nothing.
  ProductPrecision precision = ProductPrecision::kFloat32;
  /// Lets products with weights of few bits in blocks (MatMulNBits) compute as accuracy level 4 does if the model
  /// requests no level: rows are quantised to int8, with one scale per block, and multiplied in integers.
  bool fast_int4 = false;
  /// Makes the outputs of a sample (one index of the first axis) bitwise identical in batches of any size, at any place
  /// in the batch and next to any other samples, if the model computes each sample separately. docs/reproducibility.md
  /// states the cost. Without it, a convolution uses other Winograd tiles in batches for which they are twice as fast.
  bool batch_invariant = false;
  /// Rewrites to leave out, by the names of Registry::rewrite_names(); any other name is Error(kModel).
  std::set<std::string> disabled_rewrites{};
  Limits limits{};  ///< bounds on loading the model; those of runs are in ContextOptions
  /// The threads that read and pack weights and for which kernels divide their work; nullptr: make_thread_executor(). A
  /// Context may run with others: the results are the same, but the division may suit them less.
  std::shared_ptr<Executor> executor{};
  /// The bytes that plans for shapes other than the last may hold, besides what they share with the last one and the
  /// model. Beyond it, the least recently used are freed. It applies to the model and to each of its control-flow
  /// bodies.
  int64_t plan_cache_bytes = int64_t{64} << 20;
  /// For tests of kernels and of the memory plan: every computed value has separate memory between guards, and no
  /// operator overwrites an input. Memory without a value (not yet computed, no longer read, scratch memory before each
  /// node, guards) is filled with NaNs. A write outside of a value makes run() throw Error(kInternal).
  bool guard_memory = false;
  /// Allows external data outside the model's folder.
  bool allow_external_paths = false;
  /// Replaces the file system as the source of the model of load(path) and of all external data. All weights are read
  /// when the model is loaded. Model::options() does not contain it.
  std::shared_ptr<ModelFiles> files{};
  /// Replaces files as the source of external data.
  ExternalDataResolver external_data{};
  /// Replaces the contents of initializers in the file.
  InitializerResolver initializers{};
  /// Tries to load models whose opset is newer than any known.
  bool allow_newer_opset = false;
  /// Makes initializers that are also listed as inputs (ModelMetadata::overridable) inputs that a run may leave out,
  /// instead of constants.
  bool overridable_initializers = false;
  /// Enables Model::with_weights(). The graph as written, with all its weights, is then stored in addition to the
  /// optimised one.
  bool replaceable_weights = false;
  /// A folder in which the results of loading models are cached: optimised graphs and packed weights. Later loads map
  /// them into memory that processes share, and take a fraction of the time. Entries are keyed by the model's contents,
  /// this build of Linnet, the instruction set and the options; damaged entries and those of others are replaced.
  /// Empty: no cache. Anyone who can write to the folder can change what models compute. The cache is not used, which
  /// is logged, with replaceable_weights, overridable_initializers, files, external_data, initializers, or operators
  /// other than Linnet's own.
  std::string cache_dir{};
  /// Receives messages; Linnet itself prints nothing.
  Log log{};
};

}  // namespace linnet
