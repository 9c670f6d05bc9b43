#include <linnet.h>
#include <stdio.h>

/* app MODEL: runs a model of one input x[N,3] on 1, 2, 3. */
int main(int argc, char** argv) {
  linnet_model* model;
  linnet_context* context;
  const int64_t dims[] = {1, 3};
  float values[] = {1, 2, 3};
  const linnet_tensor x = {LINNET_FLOAT32, 2, dims, values, sizeof values};
  linnet_tensor y;
  size_t i;
  if (argc != 2 || linnet_model_load(argv[1], NULL, &model) || linnet_context_create(model, &context) ||
      linnet_context_run(context, &x, 1, NULL) || linnet_context_output(context, 0, &y)) {
    fprintf(stderr, "%s\n", linnet_last_error());
    return 1;
  }
  for (i = 0; i < y.bytes / sizeof(float); ++i) printf("%.9g\n", (double)((const float*)y.data)[i]);
  return linnet_context_free(context) || linnet_model_free(model);
}
