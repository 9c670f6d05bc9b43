/* A library of custom operators for the tests, with its own declarations of ONNX Runtime's structures. slots.h contains
   the numbers of the functions. Scale multiplies by its attribute "factor"; Rows fills each row with its number, in
   parallel. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "slots.h"

typedef void* Status;

typedef struct {
  const void** (*get_api)(uint32_t version);
  const char* (*version)(void);
} Base;

typedef struct Operator Operator;
struct Operator {
  uint32_t version;
  void* (*create)(const Operator*, const void** api, const void* info);
  const char* (*name)(const Operator*);
  const char* (*provider)(const Operator*);
  int (*input_type)(const Operator*, size_t);
  size_t (*input_count)(const Operator*);
  int (*output_type)(const Operator*, size_t);
  size_t (*output_count)(const Operator*);
  void (*compute)(void* kernel, void* context);
  void (*destroy)(void* kernel);
  int (*input_kind)(const Operator*, size_t);
  int (*output_kind)(const Operator*, size_t);
  int (*input_memory)(const Operator*, size_t);
  int (*variadic_input_minimum)(const Operator*);
  int (*variadic_input_alike)(const Operator*);
  int (*variadic_output_minimum)(const Operator*);
  int (*variadic_output_alike)(const Operator*);
  Status (*create_v2)(const Operator*, const void** api, const void* info, void** kernel);
  Status (*compute_v2)(void* kernel, void* context);
  Status (*infer)(const Operator*, void* context);
  int (*start)(const Operator*);
  int (*end)(const Operator*);
  void* unused[4];
};

static const void** api;

#define CALL(slot, ...) ((Status(*)(__VA_ARGS__))api[slot])
#define TRY(expression)           \
  do {                            \
    Status status = (expression); \
    if (status) return status;    \
  } while (0)

typedef struct {
  float factor;
} Kernel;

static Status create(const Operator* op, const void** table, const void* info, void** kernel) {
  (void)op, (void)table;
  Kernel* made = calloc(1, sizeof *made);
  made->factor = 1;
  Status status =
      CALL(SLOT_KernelInfoGetAttribute_float, const void*, const char*, float*)(info, "factor", &made->factor);
  if (status) ((void (*)(Status))api[SLOT_ReleaseStatus])(status);
  *kernel = made;
  return NULL;
}

static void* create_plain(const Operator* op, const void** table, const void* info) {
  void* kernel = NULL;
  create(op, table, info, &kernel);
  return kernel;
}

typedef struct {
  const float* input;
  float* output;
  int64_t rows, columns;
  float factor;
} Work;

static Status begin(Kernel* kernel, void* context, Work* work) {
  const void* input;
  void *info, *output;
  size_t rank;
  int64_t dims[2];
  TRY(CALL(SLOT_KernelContext_GetInput, void*, size_t, const void**)(context, 0, &input));
  TRY(CALL(SLOT_GetTensorTypeAndShape, const void*, void**)(input, &info));
  Status status = CALL(SLOT_GetDimensionsCount, void*, size_t*)(info, &rank);
  if (!status && rank == 2) status = CALL(SLOT_GetDimensions, void*, int64_t*, size_t)(info, dims, rank);
  ((void (*)(void*))api[SLOT_ReleaseTensorTypeAndShapeInfo])(info);
  TRY(status);
  if (rank != 2) return CALL(SLOT_CreateStatus, int, const char*)(2, "two dims are needed");
  TRY(CALL(SLOT_KernelContext_GetOutput, void*, size_t, const int64_t*, size_t, void**)(context, 0, dims, 2, &output));
  TRY(CALL(SLOT_GetTensorData, const void*, const void**)(input, (const void**)&work->input));
  TRY(CALL(SLOT_GetTensorMutableData, void*, void**)(output, (void**)&work->output));
  work->rows = dims[0], work->columns = dims[1], work->factor = kernel->factor;
  return NULL;
}

static void scale_row(void* state, size_t row) {
  Work* work = state;
  for (int64_t i = row * work->columns; i < (int64_t)(row + 1) * work->columns; ++i)
    work->output[i] = work->input[i] * work->factor;
}

static void fill_row(void* state, size_t row) {
  Work* work = state;
  for (int64_t i = row * work->columns; i < (int64_t)(row + 1) * work->columns; ++i) work->output[i] = row;
}

static Status scale(void* kernel, void* context) {
  Work work;
  TRY(begin(kernel, context, &work));
  for (int64_t row = 0; row < work.rows; ++row) scale_row(&work, row);
  return NULL;
}

static void scale_plain(void* kernel, void* context) {
  Status status = scale(kernel, context);
  if (status) ((void (*)(Status))api[SLOT_ReleaseStatus])(status);
}

static Status rows(void* kernel, void* context) {
  Work work;
  TRY(begin(kernel, context, &work));
  return CALL(SLOT_KernelContext_ParallelFor, void*, void (*)(void*, size_t), size_t, size_t, void*)(
      context, fill_row, work.rows, 0, &work);
}

static const char* scale_name(const Operator* op) { return (void)op, "Scale"; }
static const char* rows_name(const Operator* op) { return (void)op, "Rows"; }
static const char* no_provider(const Operator* op) { return (void)op, NULL; }
static int floats(const Operator* op, size_t index) { return (void)op, (void)index, 1; }
static size_t one(const Operator* op) { return (void)op, 1; }
static int required(const Operator* op, size_t index) { return (void)op, (void)index, 0; }
static int first(const Operator* op) { return (void)op, 1; }
static int last(const Operator* op) { return (void)op, INT_MAX; }

static Status same_shape(const Operator* op, void* context) {
  (void)op;
  void* info;
  TRY(CALL(SLOT_ShapeInferContext_GetInputTypeShape, void*, size_t, void**)(context, 0, &info));
  return CALL(SLOT_ShapeInferContext_SetOutputTypeShape, void*, size_t, void*)(context, 0, info);
}

#define FIELDS(version, name, plain, newer)                                                                        \
  {                                                                                                                \
    version, create_plain, name, no_provider, floats, one, floats, one, plain, free, required, required, required, \
        first, first, first, first, create, newer, same_shape, first, last, {                                      \
      0                                                                                                            \
    }                                                                                                              \
  }

static Operator operators[] = {FIELDS(8, scale_name, scale_plain, scale),  FIELDS(14, scale_name, scale_plain, scale),
                               FIELDS(16, scale_name, scale_plain, scale), FIELDS(17, scale_name, scale_plain, scale),
                               FIELDS(30, scale_name, scale_plain, scale), FIELDS(30, rows_name, NULL, rows)};
static const char* domains[] = {"library.v8", "library.v14", "library.v16", "library.v17", "library.v30"};

static Status register_all(void* options) {
  for (size_t i = 0; i < 5; ++i) {
    void* domain;
    TRY(CALL(SLOT_CreateCustomOpDomain, const char*, void**)(domains[i], &domain));
    TRY(CALL(SLOT_CustomOpDomain_Add, void*, const void*)(domain, &operators[i]));
    if (i == 4) TRY(CALL(SLOT_CustomOpDomain_Add, void*, const void*)(domain, &operators[5]));
    TRY(CALL(SLOT_AddCustomOpDomain, void*, void*)(options, domain));
  }
  return NULL;
}

Status RegisterCustomOps(void* options, const Base* base) {
  api = base->get_api(REQUESTED);
  return register_all(options);
}

Status RegisterNothing(void* options, const Base* base) {
  (void)options;
  api = base->get_api(REQUESTED);
  return CALL(SLOT_CreateStatus, int, const char*)(6, "the library says no");
}
