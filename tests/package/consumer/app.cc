#include <cstdio>

#include "run.h"

int main(int, char** argv) {
  for (const float y : run(argv[1], 1)) std::printf("%.9g\n", double(y));
}
