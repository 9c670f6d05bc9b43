// c_operator MODEL: runs a model with the operator mine::ScaledAdd(a, b) = alpha a + b, which is defined here. Both
// inputs have 4 floats.
#include <linnet.h>
#include <stdio.h>
#include <stdlib.h>

static linnet_status infer(void* user_data, const linnet_node* node, linnet_inference* inference) {
  (void)user_data, (void)node;
  linnet_value_info a;
  const linnet_status status = linnet_inference_input(inference, 0, &a);
  if (status != LINNET_OK) return status;
  if (a.dtype != LINNET_FLOAT32) return linnet_set_error(LINNET_ERROR_TYPE, "a must be float32");
  return linnet_inference_set_output(inference, 0, &a);
}

static linnet_status compute(void* user_data, const linnet_node* node, linnet_computation* computation) {
  (void)user_data;
  linnet_tensor a, b, y;
  float alpha;
  linnet_status status = linnet_node_float(node, "alpha", &alpha);
  if (status == LINNET_OK) status = linnet_computation_input(computation, 0, &a);
  if (status == LINNET_OK) status = linnet_computation_input(computation, 1, &b);
  if (status == LINNET_OK) status = linnet_computation_output(computation, 0, &y);
  if (status != LINNET_OK) return status;
  if (b.bytes != a.bytes) return linnet_set_error(LINNET_ERROR_SHAPE, "a and b must have the same shape");
  const float *p = a.data, *q = b.data;
  float* out = y.data;
  for (size_t i = 0; i < y.bytes / sizeof(float); ++i) out[i] = alpha * p[i] + q[i];
  return LINNET_OK;
}

static void check(linnet_status status) {
  if (status == LINNET_OK) return;
  fprintf(stderr, "%s\n", linnet_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const linnet_operator scaled_add = {.size = sizeof scaled_add,
                                      .domain = "mine",
                                      .name = "ScaledAdd",
                                      .since = 1,
                                      .min_inputs = 2,
                                      .max_inputs = 2,
                                      .output_count = 1,
                                      .infer = infer,
                                      .compute = compute};
  linnet_registry* registry;
  check(linnet_registry_create(&registry));
  check(linnet_registry_add(registry, &scaled_add));
  const linnet_options options = {.size = sizeof options, .registry = registry};
  linnet_model* model;
  check(linnet_model_load(argv[1], &options, &model));
  linnet_registry_free(registry);

  linnet_context* context;
  check(linnet_context_create(model, &context));
  const int64_t dims[] = {4};
  float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40}, y[4];
  const linnet_tensor inputs[] = {{LINNET_FLOAT32, 1, dims, a, sizeof a}, {LINNET_FLOAT32, 1, dims, b, sizeof b}};
  const linnet_tensor output = {LINNET_FLOAT32, 1, dims, y, sizeof y};
  const linnet_run_options run = {.size = sizeof run, .outputs = &output, .output_count = 1};
  check(linnet_context_run(context, inputs, 2, &run));
  for (int i = 0; i < 4; ++i) printf("%g\n", (double)y[i]);

  linnet_context_free(context);
  linnet_model_free(model);
  return 0;
}
