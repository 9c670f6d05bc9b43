#pragma once

#include <string>

namespace linnet {

/// The number of processors that this process may use: those that its CPU affinity allows, but at most the CPU quotas
/// of its control groups (version 1 or 2), rounded up; at least 1. `root`: where the system's files are looked up, the
/// parent of proc and sys.
/// Source: https://docs.kernel.org/admin-guide/cgroup-v2.html (cpu.max), scheduler/sched-bwc.html (cpu.cfs_quota_us)
int available_processors(const std::string& root = "/");

}  // namespace linnet
