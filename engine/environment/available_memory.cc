#include "environment/available_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "environment/control_groups.h"

namespace linnet {
namespace {

double number_in(const std::string& path) {
  std::ifstream file(path);
  double number = 0;  // "max" is not a number
  return file >> number ? number : 0;
}

double limit_v1(const std::string& folder) { return number_in(folder + "/memory.limit_in_bytes"); }
double limit_v2(const std::string& folder) { return number_in(folder + "/memory.max"); }

double physical_memory() { return std::max(0.0, double(::sysconf(_SC_PHYS_PAGES))) * double(::sysconf(_SC_PAGESIZE)); }

}  // namespace

int64_t available_memory(const std::string& root) {
  const double physical = physical_memory(), limit = least_of_groups(root, {"memory", limit_v1, limit_v2});
  // Without a limit, groups of version 1 state one that exceeds the memory of any machine.
  return int64_t(physical > 0 && (limit <= 0 || physical < limit) ? physical : limit);
}

}  // namespace linnet
