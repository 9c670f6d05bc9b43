// c_run MODEL: runs a float32 model on inputs of ones, with open dims of 1, and prints its first output.
#include <linnet.h>
#include <stdio.h>
#include <stdlib.h>

static void check(linnet_status status) {
  if (status == LINNET_OK) return;
  fprintf(stderr, "%s\n", linnet_last_error());
  exit(1);
}

static linnet_tensor ones(const linnet_value_info* info) {
  int64_t* dims = calloc((size_t)info->rank + 1, sizeof *dims);
  size_t size = 1;
  for (int i = 0; i < info->rank; ++i) size *= (size_t)(dims[i] = info->dims[i] < 0 ? 1 : info->dims[i]);
  float* data = malloc(size * sizeof *data);
  for (size_t i = 0; i < size; ++i) data[i] = 1;
  const linnet_tensor tensor = {LINNET_FLOAT32, info->rank, dims, data, size * sizeof *data};
  return tensor;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  linnet_model* model;
  linnet_context* context;
  check(linnet_model_load(argv[1], NULL, &model));
  check(linnet_context_create(model, &context));

  size_t count;
  check(linnet_model_input_count(model, &count));
  linnet_tensor* inputs = calloc(count, sizeof *inputs);
  for (size_t i = 0; i < count; ++i) {
    linnet_value_info info;
    check(linnet_model_input(model, i, &info));
    inputs[i] = ones(&info);
  }
  check(linnet_context_run(context, inputs, count, NULL));

  linnet_tensor y;
  check(linnet_context_output(context, 0, &y));
  for (size_t i = 0; i < y.bytes / sizeof(float); ++i) printf("%g\n", ((const float*)y.data)[i]);

  for (size_t i = 0; i < count; ++i) {
    free((void*)inputs[i].dims);
    free(inputs[i].data);
  }
  free(inputs);
  linnet_context_free(context);
  linnet_model_free(model);
  return 0;
}
