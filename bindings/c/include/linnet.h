/// @file
/// Linnet's C API: loads ONNX models and runs them on CPUs. C99.
///
/// Functions that can fail return a status. linnet_last_error() then returns the message of the calling thread's last
/// failure. No exception leaves a function. After a failed call, a handle that it should have created is NULL and its
/// other results are unchanged. Texts are UTF-8 and zero-terminated.
///
/// The caller frees each handle once, by the function of its kind; freeing NULL does nothing. All other functions
/// return LINNET_ERROR_ARGUMENT for NULL and, in builds with assertions, for a handle of another kind or one that was
/// freed.
///
/// In structs that begin with `size`, the caller sets it to the struct's sizeof, so that later versions can add fields.
/// A field that is zero has its default. Other structs never change.
///
/// Threads: any number of threads may use a model, or cancel by a linnet_cancellation, at the same time. Only one
/// thread at a time may use a context or a registry. No other thread may use a handle that is being freed.
#ifndef LINNET_H
#define LINNET_H

#include <stddef.h>
#include <stdint.h>

#include "linnet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Basics ----

/// The result of a call. Those of errors are the kinds of linnet::Error, and LINNET_ERROR_ARGUMENT.
typedef int32_t linnet_status;
enum {
  LINNET_OK = 0,
  LINNET_ERROR_MODEL = 1,        ///< the model is malformed, or has nothing of that name
  LINNET_ERROR_UNSUPPORTED = 2,  ///< valid, but not supported by this build: operator, opset, type
  LINNET_ERROR_TYPE = 3,         ///< a dtype that does not fit
  LINNET_ERROR_SHAPE = 4,        ///< a rank, dimension or memory size that does not fit
  LINNET_ERROR_IO = 5,           ///< a file cannot be read
  LINNET_ERROR_LIMIT = 6,        ///< a limit on memory, size, depth or time was hit
  LINNET_ERROR_CANCELLED = 7,    ///< a run was cancelled
  LINNET_ERROR_INTERNAL = 8,     ///< a bug in Linnet, or in an operator's callback
  LINNET_ERROR_ARGUMENT = 9      ///< an invalid handle, pointer, index or field of a struct
};

/// Element types, numbered as in onnx.TensorProto.DataType. LINNET_SEQUENCE and those after it are values that are not
/// tensors; this API describes them but does not pass them.
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

/// Handles: a loaded model, a context that runs it, a token that cancels runs, a set of operators.
typedef struct linnet_model linnet_model;
typedef struct linnet_context linnet_context;
typedef struct linnet_cancellation linnet_cancellation;
typedef struct linnet_registry linnet_registry;
/// Arguments of the callbacks of operators; valid during the callback.
typedef struct linnet_node linnet_node;
typedef struct linnet_inference linnet_inference;
typedef struct linnet_computation linnet_computation;

/// Bytes, which need not be zero-terminated.
typedef struct linnet_string {
  const char* data;
  size_t size;  ///< the number of bytes
} linnet_string;

/// A row-major tensor without gaps.
typedef struct linnet_tensor {
  linnet_dtype dtype;
  int32_t rank;         ///< at most 16
  const int64_t* dims;  ///< `rank` numbers of at least 0
  /// The elements: for LINNET_STRING one linnet_string each, for elements smaller than a byte packed without gaps. The
  /// data of inputs is only read.
  void* data;
  size_t bytes;  ///< the size of the elements in `data`
} linnet_tensor;

/// What is known about a value before it is computed.
typedef struct linnet_value_info {
  const char* name;  ///< "" for inputs of operators
  linnet_dtype dtype;
  int32_t rank;                ///< -1: unknown, or not a tensor
  const int64_t* dims;         ///< -1 for an unknown dim
  const char* const* symbols;  ///< names of unknown dims, "" for others; NULL if no dim has a name
} linnet_value_info;

/// The metadata of a model file; fields that it does not set are "" or 0.
typedef struct linnet_metadata {
  const char *producer_name, *producer_version, *domain, *description, *graph_name, *graph_description;
  int64_t version;                     ///< of the model, as its author counts
  size_t property_count;               ///< the number of ONNX's metadata_props, which are sorted by key
  const char* const* property_keys;    ///< property_count texts
  const char* const* property_values;  ///< property_count texts
} linnet_metadata;

/// The version of the library, "major.minor.patch".
LINNET_API const char* linnet_version(void);
/// The message of this thread's last call that failed: which file, node, input or argument it concerns, what was
/// expected and what was given. Never NULL. It is valid until the thread calls another function.
LINNET_API const char* linnet_last_error(void);

// ---- Models ----

/// Values of linnet_options.optimization.
enum {
  LINNET_OPTIMIZE_ALL = 0,     ///< all rewrites
  LINNET_OPTIMIZE_BASIC = 1,   ///< constants folded, equal and dead nodes removed
  LINNET_OPTIMIZE_NOTHING = 2  ///< the graph as written
};

/// Values of linnet_options.precision.
enum { LINNET_PRECISION_FLOAT32 = 0, LINNET_PRECISION_BFLOAT16 = 1 };

/// A program's own threads. The functions are called as long as a model or context that was created with them exists.
typedef struct linnet_executor {
  size_t size;
  int32_t workers;  ///< the maximum number of workers that run at once, at least 1
  /// Calls call(data, chunk, worker) exactly once for each chunk in [0, chunks), on any threads, and returns when all
  /// calls have returned. `worker` is in [0, workers); calls with the same worker must not overlap. Several threads may
  /// call this function at the same time.
  void (*parallel_for)(void* user_data, int64_t chunks, void (*call)(void* data, int64_t chunk, int32_t worker),
                       void* data);
  void* user_data;  ///< passed to parallel_for
} linnet_executor;

/// A program's own memory for scratch and for the values that runs compute, including outputs. Any thread may call the
/// functions, as long as a context that was created with them exists.
typedef struct linnet_allocator {
  size_t size;
  void* (*allocate)(void* user_data, size_t bytes, size_t alignment);  ///< returns NULL if there is no memory
  /// Frees what allocate() returned for the same size and alignment.
  void (*deallocate)(void* user_data, void* memory, size_t bytes, size_t alignment);
  void* user_data;  ///< passed to both
} linnet_allocator;

/// Files that a program stores elsewhere than in the file system: encrypted, on another machine. The functions are
/// called only while a model is loaded, on any threads, several at the same time. A name is the path passed to
/// linnet_model_load(), or the location of external data in that file's folder. Locations come from the model; they are
/// relative and have no part "..".
/// A status other than LINNET_OK ends the load with that status, but LINNET_ERROR_ARGUMENT with LINNET_ERROR_INTERNAL.
/// The message names the file and contains that of linnet_set_error().
typedef struct linnet_files {
  size_t size;
  /// Sets *bytes to the size of the file.
  linnet_status (*file_size)(void* user_data, const char* name, int64_t* bytes);
  /// Reads up to `bytes` bytes from an offset and sets *done to the number that it read. If they are fewer, it is
  /// called again for the rest. 0 means that the file ends here, which is LINNET_ERROR_IO.
  linnet_status (*read)(void* user_data, const char* name, int64_t offset, void* to, size_t bytes, size_t* done);
  void* user_data;  ///< passed to both
} linnet_files;

/// The options for loading and running a model. What they point to is read only during the call.
typedef struct linnet_options {
  size_t size;
  int32_t threads;                  ///< threads of one run; 0: OMP_NUM_THREADS, else as many as the process may use
  int32_t optimization;             ///< LINNET_OPTIMIZE_*
  int64_t max_file_bytes;           ///< limit on the model's file and on each external data file; 0: unlimited
  int64_t max_nodes;                ///< limit on nodes after functions are inlined; 0: unlimited
  int64_t max_memory_bytes;         ///< limit on memory of the model and of one run; 0: unlimited
  int64_t deadline_ms;              ///< limit on the wall time of loading and of one run; 0: none
  const uint64_t* seed;             ///< the seed of random operators without one; NULL: a different one per context
  const linnet_registry* registry;  ///< the operators; NULL: those of Linnet
  /// If not 0, runs accept other values for initializers that the file also lists as inputs; otherwise they are
  /// constants.
  int32_t overridable_initializers;
  /// If not 0, linnet_model_with_weights() works; the model then stores a second copy of all weights.
  int32_t replaceable_weights;
  /// A folder in which prepared models are cached and mapped into memory by later loads; NULL: none. See
  /// linnet::ModelOptions::cache_dir.
  const char* cache_dir;
  /// If not 0, products with weights of few bits multiply in int8 if the model does not specify the accuracy. See
  /// linnet::ModelOptions::fast_int4.
  int32_t fast_int4;
  int32_t precision;  ///< LINNET_PRECISION_*, for float32 products; see linnet::ModelOptions::precision
  /// The bytes that plans for shapes other than the last may hold; 0: 64 MiB; negative: none. See
  /// linnet::ModelOptions::plan_cache_bytes.
  int64_t plan_cache_bytes;
  /// If not 0, the bits of a sample's outputs do not depend on the batch size. See
  /// linnet::ModelOptions::batch_invariant.
  int32_t batch_invariant;
  const linnet_executor* executor;    ///< replaces Linnet's own `threads`; NULL: these are used
  const linnet_allocator* allocator;  ///< NULL: the heap
  /// The source of the file of linnet_model_load() and of all external data; NULL: the file system.
  const linnet_files* files;
} linnet_options;

/// Loads a model: an ONNX file, with external data in its folder, or a program of torch.export.save (.pt2). options:
/// NULL for all defaults.
LINNET_API linnet_status linnet_model_load(const char* path, const linnet_options* options, linnet_model** model);
/// Loads a model from the bytes of a file, which are not needed after the call. folder: the folder of external data;
/// NULL if there is no such data.
LINNET_API linnet_status linnet_model_load_bytes(const void* bytes, size_t size, const char* folder,
                                                 const linnet_options* options, linnet_model** model);
/// Creates a model with other contents, which are copied, of the initializers with these names. `model` and its
/// contexts are unchanged. Returns LINNET_ERROR_MODEL for a name that the file does not contain, LINNET_ERROR_TYPE or
/// LINNET_ERROR_SHAPE for another dtype or shape than in the file, LINNET_ERROR_UNSUPPORTED without
/// linnet_options.replaceable_weights.
LINNET_API linnet_status linnet_model_with_weights(const linnet_model* model, const char* const* names,
                                                   const linnet_tensor* weights, size_t count, linnet_model** replaced);
/// Frees the model. Its contexts stay valid.
LINNET_API linnet_status linnet_model_free(linnet_model* model);

/// The numbers of inputs that every run needs, and of outputs.
LINNET_API linnet_status linnet_model_input_count(const linnet_model* model, size_t* count);
LINNET_API linnet_status linnet_model_output_count(const linnet_model* model, size_t* count);
/// The number of initializers that the file also lists as inputs.
LINNET_API linnet_status linnet_model_overridable_count(const linnet_model* model, size_t* count);
/// Describe an input, output or overridable initializer. What `info` points to lives as long as the model.
LINNET_API linnet_status linnet_model_input(const linnet_model* model, size_t index, linnet_value_info* info);
LINNET_API linnet_status linnet_model_output(const linnet_model* model, size_t index, linnet_value_info* info);
LINNET_API linnet_status linnet_model_overridable(const linnet_model* model, size_t index, linnet_value_info* info);
/// Set *index to the place of a name among the inputs, outputs or overridable initializers. Return LINNET_ERROR_MODEL
/// for a name that the model does not have; the message lists the names that it has.
LINNET_API linnet_status linnet_model_input_index(const linnet_model* model, const char* name, size_t* index);
LINNET_API linnet_status linnet_model_output_index(const linnet_model* model, const char* name, size_t* index);
LINNET_API linnet_status linnet_model_overridable_index(const linnet_model* model, const char* name, size_t* index);
/// Returns the model's metadata. What `metadata` points to lives as long as the model.
LINNET_API linnet_status linnet_model_metadata(const linnet_model* model, linnet_metadata* metadata);

// ---- Runs ----

/// Creates a token that cancels runs. A cancelled token stays cancelled; later runs need another one.
LINNET_API linnet_status linnet_cancellation_create(linnet_cancellation** cancellation);
/// Cancels all runs that have this token, those that begin later included. Any thread may call it.
LINNET_API linnet_status linnet_cancellation_cancel(linnet_cancellation* cancellation);
/// Frees the token. Runs that use it continue and can no longer be cancelled.
LINNET_API linnet_status linnet_cancellation_free(linnet_cancellation* cancellation);

/// Creates a context, with which one thread at a time runs the model. Contexts share the model's weights and threads.
LINNET_API linnet_status linnet_context_create(const linnet_model* model, linnet_context** context);
/// Frees the context and the memory of its outputs. The model stays valid.
LINNET_API linnet_status linnet_context_free(linnet_context* context);

/// Plans for inputs of these shapes, in the model's order, so that the first run need not. Of each tensor only rank and
/// dims are read. Returns LINNET_ERROR_UNSUPPORTED if shapes depend on the contents of an input, or if an input is not
/// a tensor of numbers.
LINNET_API linnet_status linnet_context_prepare(linnet_context* context, const linnet_tensor* inputs, size_t count);

/// A node that has run. Times are in nanoseconds on a monotonic clock; texts are valid during the call.
typedef struct linnet_node_event {
  const char *name, *op_type, *domain;
  int64_t begin_ns, end_ns;
} linnet_node_event;

/// The options of one run. What they point to must be valid during the run.
typedef struct linnet_run_options {
  size_t size;
  /// Memory of the caller for the first `output_count` outputs. Each must have exactly the output's dtype, which must
  /// be a number type, and its shape; it must not overlap inputs or other outputs. Outputs of dtype LINNET_UNDEFINED,
  /// and those after the last one given, are written to memory of the context.
  const linnet_tensor* outputs;
  size_t output_count;
  /// When this token is cancelled, even before the run begins, the run ends at the next node or loop iteration with
  /// LINNET_ERROR_CANCELLED. NULL: the run cannot be cancelled.
  const linnet_cancellation* cancellation;
  /// The limit on the wall time of this run; linnet_options.deadline_ms applies as well. 0: no additional limit.
  int64_t deadline_ms;
  /// Called on the thread that called linnet_context_run(), for every node that has run; NULL: no calls.
  void (*on_node)(void* user_data, const linnet_node_event* event);
  void* user_data;  ///< passed to on_node
} linnet_run_options;

/// Runs the model. `inputs` are in the model's order. With linnet_options.overridable_initializers they are followed by
/// values of the model's overridable initializers. Of these, missing ones and those of dtype LINNET_UNDEFINED are as in
/// the file. An input that is a state must have dtype LINNET_UNDEFINED. options: NULL for all defaults. The context can
/// run again after any error, but a failed run may have overwritten the caller's memory for outputs.
LINNET_API linnet_status linnet_context_run(linnet_context* context, const linnet_tensor* inputs, size_t count,
                                            const linnet_run_options* options);
/// Returns an output of the last run, which must have succeeded. What `output` points to stays valid until the next
/// run, prepare or free of the context; it may be an input of that run. Its dtype is LINNET_UNDEFINED if the output is
/// a state.
LINNET_API linnet_status linnet_context_output(linnet_context* context, size_t index, linnet_tensor* output);

/// Makes output `output` of each run input `input` of the next one, for example the keys and values of a decoder or the
/// state of a recurrent network. `initial`, which is copied, is the input of the first run. Overridable initializers
/// are numbered after the inputs; for these, an `initial` of dtype LINNET_UNDEFINED means the value in the file.
/// A state that each run extends by a known number of rows, along any axis, grows in place: new rows are written into
/// memory for at least `capacity` rows, which doubles whenever it is full. A run that fails leaves all states
/// unchanged.
/// Returns LINNET_ERROR_MODEL if the output or the input is already bound, LINNET_ERROR_TYPE or LINNET_ERROR_SHAPE if
/// `initial` or the output does not fit the input, LINNET_ERROR_UNSUPPORTED for strings and containers.
LINNET_API linnet_status linnet_context_bind_state(linnet_context* context, size_t output, size_t input,
                                                   const linnet_tensor* initial, int64_t capacity);
/// Returns the state that is the next run's input `input`. What `state` points to stays valid until the next run,
/// prepare or free of the context, or until its states change. LINNET_ERROR_MODEL if the input is not a state.
LINNET_API linnet_status linnet_context_state(linnet_context* context, size_t input, linnet_tensor* state);
/// Copies `value` into a state. Fails as linnet_context_bind_state() does.
LINNET_API linnet_status linnet_context_set_state(linnet_context* context, size_t input, const linnet_tensor* value);
/// Cuts all states that can grow along only one axis, or have grown along one, to their first `length` rows. Returns
/// LINNET_ERROR_SHAPE, and cuts none, if one is shorter or `length` is negative.
LINNET_API linnet_status linnet_context_truncate_states(linnet_context* context, int64_t length);
/// Sets all states to their initial values.
LINNET_API linnet_status linnet_context_reset_states(linnet_context* context);
/// Creates a context with a copy of the states, which change independently from then on; for example for beam search.
LINNET_API linnet_status linnet_context_fork(const linnet_context* context, linnet_context** fork);

// ---- Operators ----

/// Creates a registry with the operators of Linnet. Add others before loading models with it.
LINNET_API linnet_status linnet_registry_create(linnet_registry** registry);
/// Frees the registry. Models that were loaded with it keep what they use.
LINNET_API linnet_status linnet_registry_free(linnet_registry* registry);
/// Adds the operators of a shared library that is written in C++ (docs/custom_ops.md).
LINNET_API linnet_status linnet_registry_load_library(linnet_registry* registry, const char* path);

/// An operator on tensors of numbers whose outputs depend only on its inputs and attributes. Inputs of float16 and
/// bfloat16 arrive as float32, and outputs are rounded back.
///
/// Any thread may call its callbacks, several at the same time. They must not free, load or run with the handles in
/// use. If a callback returns a status other than LINNET_OK, the load or run ends with that status, but for
/// LINNET_ERROR_ARGUMENT with LINNET_ERROR_INTERNAL. The message is that of the last call in the callback that failed,
/// or that of linnet_set_error().
typedef struct linnet_operator {
  size_t size;
  const char* domain;             ///< NULL or "": ai.onnx
  const char* name;               ///< the op_type of its nodes
  int64_t since;                  ///< the first version of the domain that it serves, at least 1
  size_t min_inputs, max_inputs;  ///< a node may omit inputs from `min_inputs` on
  size_t output_count;            ///< at least 1; a node may omit some
  /// Sets what is known about each output (linnet_inference_set_output) from what is known about the inputs. If all
  /// dims of the inputs are known, it must set all dims of the outputs, except those that depend on data; compute then
  /// allocates such outputs. It is called at load and whenever inputs have new shapes.
  linnet_status (*infer)(void* user_data, const linnet_node* node, linnet_inference* inference);
  /// Computes all elements of all outputs.
  linnet_status (*compute)(void* user_data, const linnet_node* node, linnet_computation* computation);
  void* user_data;                          ///< passed to the callbacks
  void (*free_user_data)(void* user_data);  ///< called once, when nothing uses the operator any longer; may be NULL
} linnet_operator;

/// Adds an operator, or replaces that of the same domain, name and version. What it points to, except user_data, is
/// read only during the call. After an error free_user_data is not called.
LINNET_API linnet_status linnet_registry_add(linnet_registry* registry, const linnet_operator* definition);

/// Sets what linnet_last_error() returns, and returns `status`. For callbacks of operators and files.
LINNET_API linnet_status linnet_set_error(linnet_status status, const char* message);

/// 1 if the node has an attribute of that name, otherwise 0.
LINNET_API int linnet_node_has_attribute(const linnet_node* node, const char* name);
/// Return an attribute of a node; LINNET_ERROR_MODEL if it has no such attribute, or one of another type. What the
/// values point to lives as long as the node.
LINNET_API linnet_status linnet_node_int(const linnet_node* node, const char* name, int64_t* value);
LINNET_API linnet_status linnet_node_float(const linnet_node* node, const char* name, float* value);
LINNET_API linnet_status linnet_node_string(const linnet_node* node, const char* name, linnet_string* value);
LINNET_API linnet_status linnet_node_ints(const linnet_node* node, const char* name, const int64_t** values,
                                          size_t* count);
LINNET_API linnet_status linnet_node_floats(const linnet_node* node, const char* name, const float** values,
                                            size_t* count);

/// Describes input `index`, which must be below max_inputs; dtype LINNET_UNDEFINED if the node omits it.
LINNET_API linnet_status linnet_inference_input(const linnet_inference* inference, size_t index,
                                                linnet_value_info* info);
/// Sets what is known about an output. `info` may come from linnet_inference_input(); its name is ignored.
LINNET_API linnet_status linnet_inference_set_output(linnet_inference* inference, size_t index,
                                                     const linnet_value_info* info);

/// Returns input `index`, which must be below max_inputs; dtype LINNET_UNDEFINED if the node omits it. Its data must
/// not be written to.
LINNET_API linnet_status linnet_computation_input(const linnet_computation* computation, size_t index,
                                                  linnet_tensor* input);
/// Returns the uninitialised memory of an output of which infer() set all dims; dtype LINNET_UNDEFINED if the node
/// omits it.
LINNET_API linnet_status linnet_computation_output(linnet_computation* computation, size_t index,
                                                   linnet_tensor* output);
/// Allocates an output of which infer() left a dim open, and returns its uninitialised memory. Call it once in each
/// computation.
LINNET_API linnet_status linnet_computation_allocate_output(linnet_computation* computation, size_t index, int32_t rank,
                                                            const int64_t* dims, linnet_tensor* output);
/// Calls function(data, chunk, worker) for each chunk in [0, chunks), on the threads of the run, and returns when all
/// calls are done. Calls with the same worker, a number of at least 0, do not overlap. Returns the error of a call that
/// fails.
LINNET_API linnet_status linnet_computation_parallel_for(linnet_computation* computation, int64_t chunks,
                                                         linnet_status (*function)(void* data, int64_t chunk,
                                                                                   int32_t worker),
                                                         void* data);
/// Returns LINNET_ERROR_CANCELLED if the run was cancelled, LINNET_ERROR_LIMIT if it is past its deadline. Operators
/// that run for long call it from time to time, from any thread.
LINNET_API linnet_status linnet_computation_check(const linnet_computation* computation);

#ifdef __cplusplus
}
#endif
#endif
