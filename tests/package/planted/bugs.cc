#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

// usage: bugs NAME [COUNT]
// Each of these bugs must be detected by the build of some preset. The compiler does not know COUNT.
namespace {

int count = 8;

int read_after_free() {
  auto* values = new int[8]{};
  delete[] values;
  return values[count - 1];
}

int write_beside() {
  std::vector<int> values(8);
  values.data()[count] = 1;
  return values[0];
}

int index_beside() {
  const std::vector<int> values(8);
  return values[size_t(count)];
}

int copy_beside() {
  char text[8];
  std::memset(text, 1, size_t(count) + 1);
  return text[0];
}

/// The compiler does not know the sizes here.
[[gnu::noinline]] void fill(char* at, int from, int to) { std::fill(at + from, at + to, char(1)); }

int smash_stack() {
  char text[8];
  fill(text, 0, 8 * count);
  return text[0];
}

int leak() {
  static int* volatile values;
  values = new int[8]{};
  values = nullptr;
  return 0;
}

int overflow() { return std::numeric_limits<int>::max() - 7 + count; }

int shift_too_far() { return 1 << (4 * count); }

int convert_too_large() { return int(1e9f * float(count)); }

int race() {
  int total = 0;
  std::thread other([&] { total += count; });
  total += count;
  other.join();
  return total;
}

int race_of_loop() {
  int total = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 1000; ++i) total += i;
  return total;
}

/// Contains no bug, so nothing may be reported.
int sum_of_loop() {
  std::vector<int> values(1000);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 1000; ++i) values[size_t(i)] = i;
  int total = 0;
  for (const int value : values) total += value;
#pragma omp parallel for num_threads(2) reduction(+ : total)
  for (int i = 0; i < 1000; ++i) total += values[size_t(i)];
  return total;
}

int never_run() { return count; }

struct Bug {
  const char* name;
  int (*run)();
};

constexpr Bug kBugs[] = {{"read_after_free", read_after_free},
                         {"write_beside", write_beside},
                         {"index_beside", index_beside},
                         {"copy_beside", copy_beside},
                         {"smash_stack", smash_stack},
                         {"leak", leak},
                         {"overflow", overflow},
                         {"shift_too_far", shift_too_far},
                         {"convert_too_large", convert_too_large},
                         {"race", race},
                         {"race_of_loop", race_of_loop},
                         {"sum_of_loop", sum_of_loop},
                         {"never_run", never_run}};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) count = std::atoi(argv[2]);
  for (const Bug& bug : kBugs) {
    if (argc > 1 && std::string(argv[1]) == bug.name) std::printf("%d\n", bug.run());
  }
}
