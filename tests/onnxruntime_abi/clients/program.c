/* A program that is linked with the library, without its header. It requests the table before main, runs the model that
   its argument names, whose output z is x + y, and prints the result. slots.h contains the numbers of the functions. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "slots.h"

typedef void* Handle;
typedef struct {
  const void** (*get_api)(uint32_t version);
  const char* (*version)(void);
} Base;

extern const Base* OrtGetApiBase(void);
extern Handle OrtSessionOptionsAppendExecutionProvider_CPU(Handle options, int arena);

static const void** api;

__attribute__((constructor)) static void before_main(void) { api = OrtGetApiBase()->get_api(16); }

#define CALL(name, ...) ((Handle(*)(__VA_ARGS__))api[SLOT_##name])
#define RELEASE(name, handle) ((void (*)(Handle))api[SLOT_Release##name])(handle)

static void check(Handle status, int line) {
  if (!status) return;
  int code = ((int (*)(Handle))api[SLOT_GetErrorCode])(status);
  printf("line %d: [%d] %s\n", line, code, ((const char* (*)(Handle))api[SLOT_GetErrorMessage])(status));
  exit(1);
}
#define OK(status) check(status, __LINE__)

static Handle tensor(Handle info, float* data, const int64_t* dims) {
  Handle value;
  OK(CALL(CreateTensorWithDataAsOrtValue, Handle, void*, size_t, const int64_t*, size_t, int, Handle*)(
      info, data, 24, dims, 2, 1, &value));
  return value;
}

static void run(Handle session, Handle info) {
  float x[] = {1, 2, 3, 4, 5, 6}, y[] = {10, 20, 30, 40, 50, 60}, *z;
  const int64_t dims[] = {2, 3};
  Handle inputs[] = {tensor(info, x, dims), tensor(info, y, dims)}, output = NULL;
  const char *names[] = {"x", "y"}, *outputs[] = {"z"};
  OK(CALL(Run, Handle, Handle, const char**, Handle*, size_t, const char**, size_t, Handle*)(
      session, NULL, names, inputs, 2, outputs, 1, &output));
  OK(CALL(GetTensorMutableData, Handle, float**)(output, &z));
  for (int i = 0; i < 6; ++i) printf("%g ", z[i]);
  printf("\n");
  RELEASE(Value, output);
  for (int i = 0; i < 2; ++i) RELEASE(Value, inputs[i]);
}

int main(int count, char** arguments) {
  Handle env, options, session, info;
  if (count != 2 || !api) return 2;
  OK(CALL(CreateEnv, int, const char*, Handle*)(3, "program", &env));
  OK(CALL(CreateSessionOptions, Handle*)(&options));
  OK(OrtSessionOptionsAppendExecutionProvider_CPU(options, 1));
  OK(CALL(CreateSession, Handle, const char*, Handle, Handle*)(env, arguments[1], options, &session));
  OK(CALL(CreateCpuMemoryInfo, int, int, Handle*)(1, 0, &info));
  run(session, info);
  RELEASE(MemoryInfo, info);
  RELEASE(Session, session);
  RELEASE(SessionOptions, options);
  RELEASE(Env, env);
  return 0;
}
