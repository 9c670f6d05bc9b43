#include "environment/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <map>
#include <string>
#include <thread>

#include "support/system_files.h"

namespace linnet::testing {
namespace {

int processors_of(const std::map<std::string, std::string>& files) {
  return available_processors(SystemFiles(files).root());
}

/// Returns the number of processors that the affinity allows, but at most `quota`.
int at_most(int quota) {
  cpu_set_t mask;
  ::sched_getaffinity(0, sizeof mask, &mask);
  return std::min(quota, CPU_COUNT(&mask));
}

TEST(Processors, AreThoseThatAffinityAllowsWhereThereIsNoQuota) {
  EXPECT_EQ(processors_of({}), at_most(1 << 20));
  EXPECT_EQ(processors_of({{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "max 100000\n"}}),
            at_most(1 << 20));
  int alone = 0;
  std::thread bound([&] {
    cpu_set_t mask;
    ::sched_getaffinity(0, sizeof mask, &mask);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    ::sched_setaffinity(0, sizeof mask, &mask);
    alone = processors_of({});
  });
  bound.join();
  EXPECT_EQ(alone, 1);
}

TEST(Processors, AreLimitedByTheQuotaOfTheGroup) {
  const auto with_quota = [](const std::string& quota) {
    return processors_of({{"proc/self/cgroup", "0::/a/b\n"}, {"sys/fs/cgroup/a/b/cpu.max", quota}});
  };
  EXPECT_EQ(with_quota("100000 100000\n"), 1);
  EXPECT_EQ(with_quota("5000 100000\n"), 1);
  EXPECT_EQ(with_quota("101000 100000\n"), at_most(2));
  EXPECT_EQ(with_quota("100000000 100000\n"), at_most(1000));
}

TEST(Processors, AreLimitedByTheLeastQuotaOfAllGroupsAround) {
  EXPECT_EQ(processors_of({{"proc/self/cgroup", "0::/a/b\n"},
                           {"sys/fs/cgroup/cpu.max", "800000 100000\n"},
                           {"sys/fs/cgroup/a/cpu.max", "100000 100000\n"},
                           {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"}}),
            1);
}

TEST(Processors, AreLimitedByTheQuotaOfAContainerThatSeesItsGroupAtTheRoot) {
  EXPECT_EQ(processors_of({{"proc/self/cgroup", "0::/outside/of/here\n"}, {"sys/fs/cgroup/cpu.max", "50000 100000\n"}}),
            1);
}

TEST(Processors, AreLimitedByQuotasOfVersion1) {
  const std::string groups = "12:cpuset:/other\n4:cpu,cpuacct:/a\n0::/\n";
  const auto with_quota = [&](const std::string& quota) {
    return processors_of({{"proc/self/cgroup", groups},
                          {"sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", quota},
                          {"sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}});
  };
  EXPECT_EQ(with_quota("90000\n"), 1);
  EXPECT_EQ(with_quota("-1\n"), at_most(1 << 20));
}

}  // namespace
}  // namespace linnet::testing
