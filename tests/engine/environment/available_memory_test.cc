#include "environment/available_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/system_files.h"

namespace linnet::testing {
namespace {

int64_t physical() { return int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

TEST(AvailableMemory, IsThatOfTheMachineWhereNoGroupHasLess) {
  EXPECT_EQ(available_memory(SystemFiles({}).root()), physical());
  const auto limited_to = [](const std::string& limit) {
    return available_memory(
        SystemFiles({{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/a/memory.max", limit}}).root());
  };
  EXPECT_EQ(limited_to("max\n"), physical());
  EXPECT_EQ(limited_to("9000000000000000000\n"), physical());
}

TEST(AvailableMemory, IsTheLeastLimitOfAllGroupsAround) {
  const SystemFiles files({{"proc/self/cgroup", "0::/a/b\n"},
                           {"sys/fs/cgroup/memory.max", "80000000\n"},
                           {"sys/fs/cgroup/a/memory.max", "70000000\n"},
                           {"sys/fs/cgroup/a/b/memory.max", "max\n"}});
  EXPECT_EQ(available_memory(files.root()), 70000000);
}

TEST(AvailableMemory, IsTheLimitOfAContainerThatSeesItsGroupAtTheRoot) {
  const SystemFiles files({{"proc/self/cgroup", "0::/outside/of/here\n"}, {"sys/fs/cgroup/memory.max", "60000000\n"}});
  EXPECT_EQ(available_memory(files.root()), 60000000);
}

TEST(AvailableMemory, IsLimitedByGroupsOfVersion1) {
  const auto limited_to = [](const std::string& limit) {
    return available_memory(SystemFiles({{"proc/self/cgroup", "4:cpu,cpuacct:/other\n3:memory:/a\n0::/\n"},
                                         {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", limit}})
                                .root());
  };
  EXPECT_EQ(limited_to("50000000\n"), 50000000);
  EXPECT_EQ(limited_to("9223372036854771712\n"), physical());
}

}  // namespace
}  // namespace linnet::testing
