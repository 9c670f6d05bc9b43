#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

void* open(const char* path) {
  if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  std::fprintf(stderr, "%s\n", dlerror());
  std::exit(1);
}

void run(void* library, const char* model) {
  const auto first_output = reinterpret_cast<float (*)(const char*)>(dlsym(library, "first_output"));
  std::printf("%.9g\n", double(first_output(model)));
}

}  // namespace

// host MODEL PLUGIN PLUGIN: loads and runs one plugin repeatedly, then both at the same time.
int main(int, char** argv) {
  for (int i = 0; i < 3; ++i) {
    void* library = open(argv[2]);
    run(library, argv[1]);
    dlclose(library);
  }
  void* libraries[] = {open(argv[2]), open(argv[3])};
  for (void* library : libraries) run(library, argv[1]);
  for (void* library : libraries) dlclose(library);
}
