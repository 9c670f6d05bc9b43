#include "environment/processors.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace linnet {
namespace {

int allowed_by_affinity() {
  // Larger masks than cpu_set_t where the kernel knows of more processors.
  for (size_t sets = 1; sets <= 64; sets *= 4) {
    std::vector<cpu_set_t> mask(sets);
    const size_t bytes = sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0) return std::max(1, CPU_COUNT_S(bytes, mask.data()));
  }
  return std::max(1, int(std::thread::hardware_concurrency()));
}

/// The processors that a group's quota pays for; 0: it has none.
double quota_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;  // "max" is no number
  return file >> quota >> period && period > 0 ? quota / period : 0;
}

double quota_v1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  return quota_file >> quota && period_file >> period && quota > 0 && period > 0 ? quota / period : 0;
}

/// The least quota of a group and those that it lies in. Within a container the group's path may not exist.
double least_quota(const std::string& mount, std::string group, double (*quota)(const std::string&)) {
  double least = 0;
  while (true) {
    const double here = quota(mount + group);
    if (here > 0 && (least == 0 || here < least)) least = here;
    if (group.empty()) return least;
    group.erase(group.rfind('/'));
  }
}

bool has_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

/// Of a line "7:cpu,cpuacct:/group" or, in version 2, "0::/group".
double quota_of_line(const std::string& root, const std::string& line) {
  const size_t first = line.find(':'), second = line.find(':', first + 1);
  if (second == std::string::npos || line.substr(second + 1, 1) != "/") return 0;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  std::string group = line.substr(second + 1);
  if (group == "/") group.clear();
  if (controllers.empty()) return least_quota(root + "/sys/fs/cgroup", group, quota_v2);
  return has_cpu(controllers) ? least_quota(root + "/sys/fs/cgroup/cpu", group, quota_v1) : 0;
}

}  // namespace

int available_processors(const std::string& root) {
  double least = allowed_by_affinity();
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const double quota = quota_of_line(root, line);
    if (quota > 0) least = std::min(least, quota);
  }
  const int whole = int(least);
  return std::max(1, least > whole ? whole + 1 : whole);
}

}  // namespace linnet
