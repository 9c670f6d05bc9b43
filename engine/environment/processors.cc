#include "environment/processors.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <vector>

#include "environment/control_groups.h"

namespace linnet {
namespace {

int allowed_by_affinity() {
  if (omp_get_proc_bind() != omp_proc_bind_false)
    return omp_get_num_procs();  // this thread is bound to one of the places
  // Larger masks than cpu_set_t are needed if the kernel supports more processors.
  for (size_t sets = 1; sets <= 64; sets *= 4) {
    std::vector<cpu_set_t> mask(sets);
    const size_t bytes = sets * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, mask.data()) == 0) return std::max(1, CPU_COUNT_S(bytes, mask.data()));
  }
  return std::max(1, int(std::thread::hardware_concurrency()));
}

/// The number of processors that a group's quota permits.
double quota_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;  // "max" is not a number
  return file >> quota >> period && period > 0 ? quota / period : 0;
}

double quota_v1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  return quota_file >> quota && period_file >> period && quota > 0 && period > 0 ? quota / period : 0;
}

}  // namespace

int available_processors(const std::string& root) {
  const double quota = least_of_groups(root, {"cpu", quota_v1, quota_v2});
  double least = allowed_by_affinity();
  if (quota > 0) least = std::min(least, quota);
  const int whole = int(least);
  return std::max(1, least > whole ? whole + 1 : whole);
}

}  // namespace linnet
