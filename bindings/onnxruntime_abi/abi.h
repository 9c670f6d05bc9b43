#pragma once

#include <cstddef>
#include <cstdint>

#include "failure.h"

// The numbers, structs and callback types that ONNX Runtime's C ABI defines. Names are those of its documentation
// without the prefix Ort.
// Source: https://onnxruntime.ai/docs/api/c
namespace linnet::ort {

/// The newest version of the table that this library implements, and the corresponding release of ONNX Runtime.
inline constexpr uint32_t kApiVersion = 32;
inline constexpr const char* kVersion = "1.32.0";

/// As linnet::DType up to 23. element_type() and dtype_of() in dtypes.h convert the others.
enum ElementType : int { kUndefinedElement = 0, kStringElement = 8 };

enum ValueKind : int {
  kUnknownKind = 0,
  kTensorKind = 1,
  kSequenceKind = 2,
  kMapKind = 3,
  kOpaqueKind = 4,
  kSparseTensorKind = 5,
  kOptionalKind = 6,
};

enum LoggingLevel : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3, kFatal = 4 };
enum GraphOptimizationLevel : int { kDisableAll = 0, kEnableBasic = 1, kEnableExtended = 2, kEnableAll = 99 };
enum ExecutionMode : int { kSequential = 0, kParallel = 1 };
enum AllocatorType : int { kInvalidAllocator = -1, kDeviceAllocator = 0, kArenaAllocator = 1, kReadOnlyAllocator = 2 };
enum MemType : int { kCpuInput = -2, kCpuOutput = -1, kDefaultMemory = 0 };
enum DeviceType : int { kCpu = 0, kGpu = 1, kFpga = 2, kNpu = 3 };
enum SparseFormat : int { kUndefinedSparse = 0, kCoo = 1, kCsr = 2, kBlockSparse = 4 };
enum SparseIndices : int { kCooIndices = 0, kCsrInner = 1, kCsrOuter = 2, kBlockSparseIndices = 3 };
enum AttributeType : int {
  kUndefinedAttribute = 0,
  kInt = 1,
  kInts = 2,
  kFloat = 3,
  kFloats = 4,
  kString = 5,
  kStrings = 6,
  kGraph = 7,
  kTensor = 8,
};
enum Characteristic : int { kRequired = 0, kOptional = 1, kVariadic = 2 };

struct Api;
struct EpDevice;
struct KernelInfo;
struct KernelContext;
struct KeyValuePairs;
struct MemoryInfo;
struct SessionOptions;
struct ShapeInferContext;
struct Status;
struct SyncStream;
struct ThreadingOptions;
struct Value;

/// The entry point: the result of OrtGetApiBase().
struct ApiBase {
  const Api* (*get_api)(uint32_t version) noexcept;
  const char* (*get_version_string)() noexcept;
};

/// Both sides call through it. `version` determines which of the later fields exist.
struct Allocator {
  uint32_t version;
  void* (*alloc)(Allocator*, size_t);
  void (*free)(Allocator*, void*);
  const MemoryInfo* (*info)(const Allocator*);
  void* (*reserve)(Allocator*, size_t);                       // since version 18
  Status* (*get_stats)(const Allocator*, KeyValuePairs**);    // since version 23
  void* (*alloc_on_stream)(Allocator*, size_t, SyncStream*);  // since version 23
  Status* (*shrink)(Allocator*);                              // since version 25
};

/// An operator that a client defines. `version` determines which of the later fields exist.
struct CustomOp {
  uint32_t version;
  void* (*create_kernel)(const CustomOp*, const Api*, const KernelInfo*);
  const char* (*get_name)(const CustomOp*);
  const char* (*get_execution_provider)(const CustomOp*);
  ElementType (*get_input_type)(const CustomOp*, size_t);
  size_t (*get_input_count)(const CustomOp*);
  ElementType (*get_output_type)(const CustomOp*, size_t);
  size_t (*get_output_count)(const CustomOp*);
  void (*compute)(void* kernel, KernelContext*);
  void (*destroy_kernel)(void* kernel);
  Characteristic (*get_input_characteristic)(const CustomOp*, size_t);   // since version 8
  Characteristic (*get_output_characteristic)(const CustomOp*, size_t);  // since version 8
  MemType (*get_input_memory_type)(const CustomOp*, size_t);             // since version 13
  int (*get_variadic_input_min_arity)(const CustomOp*);                  // since version 14
  int (*get_variadic_input_homogeneity)(const CustomOp*);
  int (*get_variadic_output_min_arity)(const CustomOp*);
  int (*get_variadic_output_homogeneity)(const CustomOp*);
  Status* (*create_kernel_v2)(const CustomOp*, const Api*, const KernelInfo*, void**);  // since version 16
  Status* (*compute_v2)(void* kernel, KernelContext*);
  Status* (*infer_output_shape)(const CustomOp*, ShapeInferContext*);  // since version 17
  int (*get_start_version)(const CustomOp*);
  int (*get_end_version)(const CustomOp*);
  size_t (*get_may_inplace)(int**, int**);  // since version 18
  void (*release_may_inplace)(int*, int*);
  size_t (*get_alias_map)(int**, int**);
  void (*release_alias_map)(int*, int*);
};

/// How an environment is made. `version` determines which fields exist: all of these do since 24.
struct EnvCreationOptions {
  uint32_t version;
  int32_t severity;
  const char* log_id;
  void (*log_function)(void*, LoggingLevel, const char*, const char*, const char*, const char*);
  void* log_param;
  const ThreadingOptions* threads;
  const KeyValuePairs* entries;
};

using LoggingFunction = void (*)(void* param, LoggingLevel level, const char* category, const char* log_id,
                                 const char* code_location, const char* message);
using RunAsyncCallback = void (*)(void* user_data, Value** outputs, size_t count, Status* status);
using ChooseDevices = Status* (*)(const EpDevice* const* devices, size_t count, const KeyValuePairs* metadata,
                                  const KeyValuePairs* runtime, const EpDevice** chosen, size_t room,
                                  size_t* chosen_count, void* state);
using ThreadHandle = const void*;
using CreateThread = ThreadHandle (*)(void* options, void (*work)(void*), void* param);
using JoinThread = void (*)(ThreadHandle);
using RegisterCustomOps = Status* (*)(SessionOptions*, const ApiBase*);

}  // namespace linnet::ort
