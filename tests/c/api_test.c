// c_api_test LINEAR SCALED_ADD: calls the C API from C99. LINEAR: x[N,3] times [[1,-1],[2,-2],[3,-3]]; SCALED_ADD:
// mine::ScaledAdd(a[N], b[N]) with alpha 0.5. This program tests types, constants and structs. The tests with ctypes
// cover everything else.
#include <linnet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds, int line, const char* what) {
  if (holds) return;
  fprintf(stderr, "line %d: %s; %s\n", line, what, linnet_last_error());
  exit(1);
}
#define CHECK(condition) check((condition), __LINE__, #condition)

static linnet_tensor floats(const int64_t* dims, int32_t rank, float* data, size_t count) {
  const linnet_tensor tensor = {LINNET_FLOAT32, rank, dims, data, count * sizeof *data};
  return tensor;
}

static void runs(const char* path) {
  linnet_model* model = NULL;
  linnet_context* context = NULL;
  const linnet_options options = {.size = sizeof options, .threads = 1, .optimization = LINNET_OPTIMIZE_BASIC};
  CHECK(linnet_model_load(path, &options, &model) == LINNET_OK);
  linnet_value_info info;
  CHECK(linnet_model_input(model, 0, &info) == LINNET_OK);
  CHECK(strcmp(info.name, "x") == 0 && info.dtype == LINNET_FLOAT32 && info.rank == 2);
  CHECK(info.dims[0] == -1 && strcmp(info.symbols[0], "N") == 0 && info.dims[1] == 3);
  linnet_metadata metadata;
  CHECK(linnet_model_metadata(model, &metadata) == LINNET_OK && strcmp(metadata.graph_name, "graph") == 0);
  CHECK(linnet_context_create(model, &context) == LINNET_OK);
  CHECK(linnet_model_free(model) == LINNET_OK);

  const int64_t x_dims[] = {2, 3}, y_dims[] = {2, 2};
  float x[] = {1, 1, 1, 1, 0, 2}, y[4] = {0};
  linnet_tensor input = floats(x_dims, 2, x, 6);
  const linnet_tensor given = floats(y_dims, 2, y, 4);
  const linnet_run_options run = {.size = sizeof run, .outputs = &given, .output_count = 1};
  linnet_tensor output;
  CHECK(linnet_context_prepare(context, &input, 1) == LINNET_OK);
  CHECK(linnet_context_run(context, &input, 1, NULL) == LINNET_OK);
  CHECK(linnet_context_output(context, 0, &output) == LINNET_OK && output.data != y && output.bytes == sizeof y);
  CHECK(((const float*)output.data)[2] == 7);
  CHECK(linnet_context_run(context, &input, 1, &run) == LINNET_OK);
  CHECK(y[0] == 6 && y[1] == -6 && y[2] == 7 && y[3] == -7);

  input.bytes -= 1;
  CHECK(linnet_context_run(context, &input, 1, NULL) == LINNET_ERROR_SHAPE);
  CHECK(strstr(linnet_last_error(), "input 'x'") != NULL);
  CHECK(linnet_context_run(NULL, &input, 1, NULL) == LINNET_ERROR_ARGUMENT);
  CHECK(linnet_model_load("", NULL, &model) == LINNET_ERROR_IO && model == NULL);
  CHECK(linnet_context_free(context) == LINNET_OK && linnet_context_free(NULL) == LINNET_OK);
}

static linnet_status infer(void* user_data, const linnet_node* node, linnet_inference* inference) {
  linnet_value_info a;
  const linnet_status status = linnet_inference_input(inference, 0, &a);
  CHECK(linnet_node_has_attribute(node, "alpha") == 1 && linnet_node_has_attribute(node, "beta") == 0);
  *(int*)user_data |= 1;
  return status == LINNET_OK ? linnet_inference_set_output(inference, 0, &a) : status;
}

struct vectors {
  float alpha;
  const float *a, *b;
  float* y;
};

static linnet_status add_chunk(void* data, int64_t chunk, int32_t worker) {
  const struct vectors* v = data;
  (void)worker;
  v->y[chunk] = v->alpha * v->a[chunk] + v->b[chunk];
  return LINNET_OK;
}

static linnet_status compute(void* user_data, const linnet_node* node, linnet_computation* computation) {
  struct vectors v;
  linnet_tensor a, b, y;
  *(int*)user_data |= 2;
  CHECK(linnet_node_float(node, "alpha", &v.alpha) == LINNET_OK);
  CHECK(linnet_computation_input(computation, 0, &a) == LINNET_OK);
  CHECK(linnet_computation_input(computation, 1, &b) == LINNET_OK);
  CHECK(linnet_computation_output(computation, 0, &y) == LINNET_OK);
  v.a = a.data, v.b = b.data, v.y = y.data;
  return linnet_computation_parallel_for(computation, y.dims[0], add_chunk, &v);
}

static void mark_freed(void* user_data) { *(int*)user_data |= 4; }

static void runs_an_operator(const char* path) {
  int calls = 0;
  const linnet_operator scaled_add = {.size = sizeof scaled_add,
                                      .domain = "mine",
                                      .name = "ScaledAdd",
                                      .since = 1,
                                      .min_inputs = 2,
                                      .max_inputs = 2,
                                      .output_count = 1,
                                      .infer = infer,
                                      .compute = compute,
                                      .user_data = &calls,
                                      .free_user_data = mark_freed};
  linnet_registry* registry;
  linnet_model* model;
  linnet_context* context;
  CHECK(linnet_model_load(path, NULL, &model) == LINNET_ERROR_UNSUPPORTED);
  CHECK(linnet_registry_create(&registry) == LINNET_OK);
  CHECK(linnet_registry_add(registry, &scaled_add) == LINNET_OK);
  const linnet_options options = {.size = sizeof options, .registry = registry};
  CHECK(linnet_model_load(path, &options, &model) == LINNET_OK && calls == 1);
  CHECK(linnet_registry_free(registry) == LINNET_OK);
  CHECK(linnet_context_create(model, &context) == LINNET_OK && linnet_model_free(model) == LINNET_OK);

  const int64_t dims[] = {3};
  float a[] = {2, 4, 6}, b[] = {1, 1, 1};
  const linnet_tensor inputs[] = {floats(dims, 1, a, 3), floats(dims, 1, b, 3)};
  linnet_tensor y;
  CHECK(linnet_context_run(context, inputs, 2, NULL) == LINNET_OK && calls == 3);
  CHECK(linnet_context_output(context, 0, &y) == LINNET_OK);
  for (int i = 0; i < 3; ++i) CHECK(((const float*)y.data)[i] == (float)(i + 2));
  CHECK(linnet_context_free(context) == LINNET_OK && calls == 7);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  runs(argv[1]);
  runs_an_operator(argv[2]);
  puts("all checks passed");
  return 0;
}
