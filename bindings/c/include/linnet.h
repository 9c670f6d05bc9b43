/// Linnet's C API: loads ONNX models and runs them on CPUs. C99.
///
/// A call that can fail returns a status; linnet_last_error() is the message of the last one that failed on the calling
/// thread. No exception crosses a call. After a failed call a handle that it should have made is NULL, and what
/// else it should have set as it was. Texts are UTF-8 and end with a zero.
///
/// Handles are freed by the caller, each once, by the function of its kind; freeing NULL does nothing. Elsewhere NULL
/// is LINNET_ERROR_ARGUMENT, and so is, in builds with assertions, a handle of another kind or one that was freed.
/// Structs that begin with `size` have it set to their sizeof by the caller, so that later versions may have more
/// fields; whatever is zero in them is the default. Other structs never change.
///
/// Threads: any number may use a model, and cancel by a linnet_cancellation, at the same time; a context and a registry
/// are used by one thread at a time. No other thread may use a handle that is being freed.
#ifndef LINNET_H
#define LINNET_H

#include <stddef.h>
#include <stdint.h>

#include "linnet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t linnet_status;
enum {
  LINNET_OK = 0,
  LINNET_ERROR_MODEL = 1,        ///< the model is malformed, or has nothing of that name
  LINNET_ERROR_UNSUPPORTED = 2,  ///< valid, but not supported by this build: operator, opset, type
  LINNET_ERROR_TYPE = 3,         ///< a dtype that does not fit
  LINNET_ERROR_SHAPE = 4,        ///< a rank, a dimension or a size of memory that does not fit
  LINNET_ERROR_IO = 5,           ///< a file cannot be read
  LINNET_ERROR_LIMIT = 6,        ///< a limit on memory, size, depth or time was hit
  LINNET_ERROR_CANCELLED = 7,    ///< the run was cancelled
  LINNET_ERROR_INTERNAL = 8,     ///< a bug in Linnet, or in an operator's callback
  LINNET_ERROR_ARGUMENT = 9      ///< a handle, pointer, index or field of a struct that is not valid
};

/// Element types, numbered as in onnx.TensorProto.DataType; from LINNET_SEQUENCE on values that are no tensors, which
/// this API describes, but does not pass.
typedef int32_t linnet_dtype;
enum {
  LINNET_UNDEFINED = 0,
  LINNET_FLOAT32 = 1,
  LINNET_UINT8 = 2,
  LINNET_INT8 = 3,
  LINNET_UINT16 = 4,
  LINNET_INT16 = 5,
  LINNET_INT32 = 6,
  LINNET_INT64 = 7,
  LINNET_STRING = 8,
  LINNET_BOOL = 9,
  LINNET_FLOAT16 = 10,
  LINNET_FLOAT64 = 11,
  LINNET_UINT32 = 12,
  LINNET_UINT64 = 13,
  LINNET_COMPLEX64 = 14,
  LINNET_COMPLEX128 = 15,
  LINNET_BFLOAT16 = 16,
  LINNET_FLOAT8E4M3FN = 17,
  LINNET_FLOAT8E4M3FNUZ = 18,
  LINNET_FLOAT8E5M2 = 19,
  LINNET_FLOAT8E5M2FNUZ = 20,
  LINNET_UINT4 = 21,
  LINNET_INT4 = 22,
  LINNET_FLOAT4E2M1 = 23,
  LINNET_FLOAT8E8M0 = 24,
  LINNET_UINT2 = 25,
  LINNET_INT2 = 26,
  LINNET_FLOAT6E2M3 = 27,
  LINNET_FLOAT6E3M2 = 28,
  LINNET_SEQUENCE = 64,
  LINNET_OPTIONAL = 65,
  LINNET_MAP = 66
};

typedef struct linnet_model linnet_model;
typedef struct linnet_context linnet_context;
typedef struct linnet_cancellation linnet_cancellation;
typedef struct linnet_registry linnet_registry;
// Of the callbacks of operators; valid during the callback.
typedef struct linnet_node linnet_node;
typedef struct linnet_inference linnet_inference;
typedef struct linnet_computation linnet_computation;

/// Bytes, which need not end with a zero.
typedef struct linnet_string {
  const char* data;
  size_t size;
} linnet_string;

/// A tensor in row-major order without gaps.
typedef struct linnet_tensor {
  linnet_dtype dtype;
  int32_t rank;         ///< at most 16
  const int64_t* dims;  ///< `rank` numbers from 0 on
  /// Elements of the dtype; of LINNET_STRING one linnet_string for each; those of less than a byte without gaps. What a
  /// caller passes as an input is only read.
  void* data;
  size_t bytes;  ///< that `data` occupies: just those of the elements
} linnet_tensor;

/// What is known of a value before it is computed.
typedef struct linnet_value_info {
  const char* name;  ///< "" for inputs of operators
  linnet_dtype dtype;
  int32_t rank;                ///< -1: unknown, or no tensor
  const int64_t* dims;         ///< -1: unknown
  const char* const* symbols;  ///< names of unknown dims, "" for others; NULL: none has a name
} linnet_value_info;

/// What a model says of itself; "" and 0 where it does not.
typedef struct linnet_metadata {
  const char *producer_name, *producer_version, *domain, *description, *graph_name, *graph_description;
  int64_t version;
  size_t property_count;  ///< ONNX's metadata_props, sorted by key
  const char* const* property_keys;
  const char* const* property_values;
} linnet_metadata;

/// "major.minor.patch" of the library.
LINNET_API const char* linnet_version(void);
/// The message of the last call that failed on this thread: which file, node, input or argument it is about, what was
/// expected and what was got. Never NULL; valid until the thread's next call of another function.
LINNET_API const char* linnet_last_error(void);

// ---- Models ----

enum {
  LINNET_OPTIMIZE_ALL = 0,     ///< all rewrites
  LINNET_OPTIMIZE_BASIC = 1,   ///< constants folded, equal and dead nodes removed
  LINNET_OPTIMIZE_NOTHING = 2  ///< the graph as written
};

enum { LINNET_PRECISION_FLOAT32 = 0, LINNET_PRECISION_BFLOAT16 = 1 };

/// A program's own threads. The functions are called for as long as a model or context that was made with them exists.
typedef struct linnet_executor {
  size_t size;
  int32_t workers;  ///< that run at once at the most, from 1 on
  /// Calls call(data, chunk, worker) once for each chunk in [0, chunks), on any threads, and returns when all calls
  /// have returned. worker is in [0, workers); calls with the same worker do not overlap. May be called from several
  /// threads at the same time.
  void (*parallel_for)(void* user_data, int64_t chunks, void (*call)(void* data, int64_t chunk, int32_t worker),
                       void* data);
  void* user_data;
} linnet_executor;

/// A program's own memory for the values that runs compute, outputs included, and for scratch. The functions are called
/// from any thread, for as long as a context that was made with them exists.
typedef struct linnet_allocator {
  size_t size;
  void* (*allocate)(void* user_data, size_t bytes, size_t alignment);  ///< NULL where there is no memory
  void (*deallocate)(void* user_data, void* memory, size_t bytes, size_t alignment);
  void* user_data;
} linnet_allocator;

/// Files that a program has elsewhere than in the file system: encrypted, on another machine. Loading alone calls the
/// functions, on any threads, several at the same time. A name is the path that linnet_model_load() got, or a location
/// of external data in that one's folder: it is the model that says it. It is relative and has no part "..". A status
/// other than LINNET_OK ends the load with it (LINNET_ERROR_ARGUMENT: with LINNET_ERROR_INTERNAL); the message names
/// the file and has that of linnet_set_error().
typedef struct linnet_files {
  size_t size;
  /// *bytes: how many the file has.
  linnet_status (*file_size)(void* user_data, const char* name, int64_t* bytes);
  /// Reads up to `bytes` bytes from an offset on; *done: how many. Where these are fewer, the rest is asked for; 0: the
  /// file ends here, which is LINNET_ERROR_IO.
  linnet_status (*read)(void* user_data, const char* name, int64_t offset, void* to, size_t bytes, size_t* done);
  void* user_data;
} linnet_files;

/// How a model is loaded and run. What it points to is read during the call only.
typedef struct linnet_options {
  size_t size;
  int32_t threads;                  ///< of one run; 0: OMP_NUM_THREADS, else as many as the process may use
  int32_t optimization;             ///< LINNET_OPTIMIZE_*
  int64_t max_file_bytes;           ///< of the model's file, and of each file of external data; 0: unlimited
  int64_t max_nodes;                ///< after inlining functions; 0: unlimited
  int64_t max_memory_bytes;         ///< of the model, and of one run; 0: unlimited
  int64_t deadline_ms;              ///< wall time of loading, and of one run; 0: none
  const uint64_t* seed;             ///< of random operators without one; NULL: another one for every context
  const linnet_registry* registry;  ///< the operators; NULL: those that Linnet comes with
  /// Not 0: runs take other values for initializers that the file lists as inputs, too; else they are constants.
  int32_t overridable_initializers;
  /// Not 0: linnet_model_with_weights() is possible; the model keeps all weights a second time.
  int32_t replaceable_weights;
  /// A folder for the prepared model, which is mapped from there the next time; NULL: none. See
  /// ModelOptions::cache_dir.
  const char* cache_dir;
  /// Not 0: products with weights of few bits multiply in int8 where the model leaves it open. See
  /// ModelOptions::fast_int4.
  int32_t fast_int4;
  int32_t precision;  ///< LINNET_PRECISION_*, of products of float32; see ModelOptions::precision
  /// What plans of other shapes than the last may hold; 0: 128 MiB; below 0: nothing. See
  /// ModelOptions::plan_cache_bytes.
  int64_t plan_cache_bytes;
  /// Not 0: a sample's bits do not depend on the size of its batch. See ModelOptions::batch_invariant.
  int32_t batch_invariant;
  const linnet_executor* executor;    ///< in place of `threads` of Linnet's own; NULL: these
  const linnet_allocator* allocator;  ///< NULL: the heap
  /// Where the file of linnet_model_load() and all external data are read from; NULL: the file system.
  const linnet_files* files;
} linnet_options;

/// Loads a model: an ONNX file, whose external data is beside it, or a program of torch.export.save (.pt2).
/// options: NULL for all defaults.
LINNET_API linnet_status linnet_model_load(const char* path, const linnet_options* options, linnet_model** model);
/// The same from a file's bytes, which are not needed afterwards. folder: where external data lies; NULL: there is
/// none.
LINNET_API linnet_status linnet_model_load_bytes(const void* bytes, size_t size, const char* folder,
                                                 const linnet_options* options, linnet_model** model);
/// The model with other contents of the initializers of these names, which are copied. `model` and its contexts stay as
/// they are. LINNET_ERROR_MODEL for a name that the file does not have, LINNET_ERROR_TYPE and LINNET_ERROR_SHAPE for
/// another dtype or shape than that in the file, LINNET_ERROR_UNSUPPORTED without
/// linnet_options.replaceable_weights.
LINNET_API linnet_status linnet_model_with_weights(const linnet_model* model, const char* const* names,
                                                   const linnet_tensor* weights, size_t count, linnet_model** replaced);
/// Contexts of the model stay as they are.
LINNET_API linnet_status linnet_model_free(linnet_model* model);

LINNET_API linnet_status linnet_model_input_count(const linnet_model* model, size_t* count);
LINNET_API linnet_status linnet_model_output_count(const linnet_model* model, size_t* count);
/// Initializers that the file lists as inputs, too.
LINNET_API linnet_status linnet_model_overridable_count(const linnet_model* model, size_t* count);
/// What `info` points to lives as long as the model.
LINNET_API linnet_status linnet_model_input(const linnet_model* model, size_t index, linnet_value_info* info);
LINNET_API linnet_status linnet_model_output(const linnet_model* model, size_t index, linnet_value_info* info);
LINNET_API linnet_status linnet_model_overridable(const linnet_model* model, size_t index, linnet_value_info* info);
/// LINNET_ERROR_MODEL for a name that the model does not have; the message lists those that it has.
LINNET_API linnet_status linnet_model_input_index(const linnet_model* model, const char* name, size_t* index);
LINNET_API linnet_status linnet_model_output_index(const linnet_model* model, const char* name, size_t* index);
LINNET_API linnet_status linnet_model_overridable_index(const linnet_model* model, const char* name, size_t* index);
/// What `metadata` points to lives as long as the model.
LINNET_API linnet_status linnet_model_metadata(const linnet_model* model, linnet_metadata* metadata);

// ---- Runs ----

/// Ends runs from outside of them. Cancelled once, it stays so: later runs take another one.
LINNET_API linnet_status linnet_cancellation_create(linnet_cancellation** cancellation);
LINNET_API linnet_status linnet_cancellation_cancel(linnet_cancellation* cancellation);
/// Runs that were given it go on, and cannot be cancelled any more.
LINNET_API linnet_status linnet_cancellation_free(linnet_cancellation* cancellation);

/// What one thread at a time runs a model by; contexts share the model's weights and threads.
LINNET_API linnet_status linnet_context_create(const linnet_model* model, linnet_context** context);
LINNET_API linnet_status linnet_context_free(linnet_context* context);

/// Plans for inputs of these shapes, in the model's order, so that the first run need not: of each tensor rank and dims
/// are read. LINNET_ERROR_UNSUPPORTED where the contents of an input decide on shapes, or an input is no tensor of
/// numbers.
LINNET_API linnet_status linnet_context_prepare(linnet_context* context, const linnet_tensor* inputs, size_t count);

/// A node that has run. Times are in nanoseconds on a clock that is never set; texts live during the call.
typedef struct linnet_node_event {
  const char *name, *op_type, *domain;
  int64_t begin_ns, end_ns;
} linnet_node_event;

typedef struct linnet_run_options {
  size_t size;
  /// Memory of the caller for the first `output_count` outputs: of just the output's dtype and shape, of numbers, apart
  /// from all inputs and other outputs. One of dtype LINNET_UNDEFINED, and those behind, are written to memory of the
  /// context.
  const linnet_tensor* outputs;
  size_t output_count;
  /// Once it is cancelled, be it before the run begins, the run ends at the next node or iteration of a loop with
  /// LINNET_ERROR_CANCELLED. NULL: the run cannot be cancelled.
  const linnet_cancellation* cancellation;
  /// Wall time of this run, besides linnet_options.deadline_ms; 0: no more than that.
  int64_t deadline_ms;
  /// Called on the thread that called linnet_context_run(), for every node that has run; NULL: nothing is.
  void (*on_node)(void* user_data, const linnet_node_event* event);
  void* user_data;  ///< passed to on_node
} linnet_run_options;

/// Runs the model on all its inputs, in the model's order, and behind them, with
/// linnet_options.overridable_initializers, on other values of the model's overridable initializers: one of dtype
/// LINNET_UNDEFINED, and those behind the last, are as in the file. An input that is a state is of dtype
/// LINNET_UNDEFINED, too. options: NULL for all defaults. The context may run again after any error; what was in the
/// caller's memory for outputs may be overwritten then.
LINNET_API linnet_status linnet_context_run(linnet_context* context, const linnet_tensor* inputs, size_t count,
                                            const linnet_run_options* options);
/// An output of the last run, which must have succeeded. What `output` points to stays valid until the context's next
/// run, prepare or free; it may be an input of that run. Of dtype LINNET_UNDEFINED where the output is a state.
LINNET_API linnet_status linnet_context_output(linnet_context* context, size_t index, linnet_tensor* output);

/// From now on output `output` of a run is input `input` of the next one, `initial`, which is copied, that of the
/// first: keys and values of a decoder, the state of a recurrent network. Overridable initializers are counted behind
/// the inputs; with an `initial` of dtype LINNET_UNDEFINED one begins with the value in the file. A state that each run
/// makes longer by a known number of rows, along any axis, grows in place: new rows are written into memory that
/// doubles whenever it is full, at least for `capacity` rows. A run that fails leaves all states as they are.
/// LINNET_ERROR_MODEL where one of the two is bound already, LINNET_ERROR_TYPE and LINNET_ERROR_SHAPE where `initial`
/// or the output does not fit the input, LINNET_ERROR_UNSUPPORTED for strings and containers.
LINNET_API linnet_status linnet_context_bind_state(linnet_context* context, size_t output, size_t input,
                                                   const linnet_tensor* initial, int64_t capacity);
/// What the next run gets as that input. What `state` points to stays valid until the context's next run, prepare or
/// free, or a change of its states. LINNET_ERROR_MODEL where it is no state.
LINNET_API linnet_status linnet_context_state(linnet_context* context, size_t input, linnet_tensor* state);
/// Copies another value into a state. Fails as linnet_context_bind_state() does.
LINNET_API linnet_status linnet_context_set_state(linnet_context* context, size_t input, const linnet_tensor* value);
/// Cuts all states that grow along one axis, or have grown along one, to their first `length` rows.
/// LINNET_ERROR_SHAPE, and none is cut, where one is shorter or `length` negative.
LINNET_API linnet_status linnet_context_truncate_states(linnet_context* context, int64_t length);
/// Back to the initial values.
LINNET_API linnet_status linnet_context_reset_states(linnet_context* context);
/// Another context with the same states, which go their own ways from here: for beams.
LINNET_API linnet_status linnet_context_fork(const linnet_context* context, linnet_context** fork);

// ---- Operators ----

/// The operators that Linnet comes with, to which others are added before models are loaded with them.
LINNET_API linnet_status linnet_registry_create(linnet_registry** registry);
/// Models that were loaded with it keep what they use.
LINNET_API linnet_status linnet_registry_free(linnet_registry* registry);
/// Adds the operators of a shared library written in C++ (docs/custom_ops.md).
LINNET_API linnet_status linnet_registry_load_library(linnet_registry* registry, const char* path);

/// An operator on tensors of numbers whose outputs depend on inputs and attributes alone. Inputs of float16 and
/// bfloat16 come as float32, and outputs are rounded to them.
///
/// Its callbacks may be called by any thread, by several at the same time, and must not call what frees, loads or runs
/// with the handles at hand. What they return other than LINNET_OK ends the load or run with that status, and
/// LINNET_ERROR_ARGUMENT with LINNET_ERROR_INTERNAL; the message is that of the call in them that failed last, or of
/// linnet_set_error().
typedef struct linnet_operator {
  size_t size;
  const char* domain;             ///< NULL or "": ai.onnx
  const char* name;               ///< the op_type of nodes
  int64_t since;                  ///< the first version of the domain that it serves, from 1 on
  size_t min_inputs, max_inputs;  ///< from `min_inputs` on a node may omit inputs
  size_t output_count;            ///< from 1 on; a node may omit some
  /// Says what is known of each output (linnet_inference_set_output) from what is known of the inputs. Must say all
  /// dims where those of the inputs are known, unless they depend on data: then compute allocates the output. Called at
  /// load and whenever inputs come in new shapes.
  linnet_status (*infer)(void* user_data, const linnet_node* node, linnet_inference* inference);
  /// Computes all elements of all outputs.
  linnet_status (*compute)(void* user_data, const linnet_node* node, linnet_computation* computation);
  void* user_data;  ///< passed to the callbacks
  void (*free_user_data)(
      void* user_data);  ///< called once, when nothing uses the operator any more; NULL: nothing to do
} linnet_operator;

/// Adds an operator; it replaces one of the same domain, name and version. What it points to, but for user_data, is
/// read during the call only. After an error free_user_data is not called.
LINNET_API linnet_status linnet_registry_add(linnet_registry* registry, const linnet_operator* definition);

/// For callbacks of operators and files: sets what linnet_last_error() shows and returns `status`.
LINNET_API linnet_status linnet_set_error(linnet_status status, const char* message);

/// 1 where the node has an attribute of that name, else 0.
LINNET_API int linnet_node_has_attribute(const linnet_node* node, const char* name);
/// Attributes of a node; LINNET_ERROR_MODEL where it has none of that name, or one of another type. What the values
/// point to lives as long as the node.
LINNET_API linnet_status linnet_node_int(const linnet_node* node, const char* name, int64_t* value);
LINNET_API linnet_status linnet_node_float(const linnet_node* node, const char* name, float* value);
LINNET_API linnet_status linnet_node_string(const linnet_node* node, const char* name, linnet_string* value);
LINNET_API linnet_status linnet_node_ints(const linnet_node* node, const char* name, const int64_t** values,
                                          size_t* count);
LINNET_API linnet_status linnet_node_floats(const linnet_node* node, const char* name, const float** values,
                                            size_t* count);

/// Input `index`, below max_inputs; dtype LINNET_UNDEFINED where the node omits it.
LINNET_API linnet_status linnet_inference_input(const linnet_inference* inference, size_t index,
                                                linnet_value_info* info);
/// `info` may be what linnet_inference_input() gave; its name does not count.
LINNET_API linnet_status linnet_inference_set_output(linnet_inference* inference, size_t index,
                                                     const linnet_value_info* info);

/// Input `index`, below max_inputs; dtype LINNET_UNDEFINED where the node omits it. Its data is only read.
LINNET_API linnet_status linnet_computation_input(const linnet_computation* computation, size_t index,
                                                  linnet_tensor* input);
/// The memory of an output of which infer() said all dims, uninitialised; dtype LINNET_UNDEFINED where the node omits
/// it.
LINNET_API linnet_status linnet_computation_output(linnet_computation* computation, size_t index,
                                                   linnet_tensor* output);
/// The same for an output of which infer() left a dim open, once in each computation.
LINNET_API linnet_status linnet_computation_allocate_output(linnet_computation* computation, size_t index, int32_t rank,
                                                            const int64_t* dims, linnet_tensor* output);
/// Calls function(data, chunk, worker) for each chunk in [0, chunks), on the threads of the run, and returns when all
/// are done. Calls with the same worker, a number from 0 on, do not overlap. An error of one is that of this call.
LINNET_API linnet_status linnet_computation_parallel_for(linnet_computation* computation, int64_t chunks,
                                                         linnet_status (*function)(void* data, int64_t chunk,
                                                                                   int32_t worker),
                                                         void* data);
/// For operators that run for long, now and then, from any thread: LINNET_ERROR_CANCELLED once the run is cancelled,
/// LINNET_ERROR_LIMIT past its deadline.
LINNET_API linnet_status linnet_computation_check(const linnet_computation* computation);

#ifdef __cplusplus
}
#endif
#endif
