#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace linnet {

struct Counts {
  int64_t asked = 0, results = 0, errors = 0, wrong = 0;
};

/// How the questions of a case are asked.
struct Plan {
  std::vector<std::string> words;
  /// Asks one in this many questions, except those that others depend on. If it is above 1, attributes that cases do
  /// not have are varied for one case in 8.
  int64_t every = 1;
};

/// Asks the questions of one case after the other, each case in a separate process. A process that ends is restarted
/// after the question that ended it.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Must not be called while busy().
  void start(const std::filesystem::path& path, const Plan& plan);
  bool busy() const { return child_ > 0; }
  /// Checks the process. Returns whether it is still busy.
  bool poll();

  Counts counts() const;

 private:
  struct Progress;

  void fork_child();
  void report(int status);
  void put() const;

  Progress* progress_;  // shared with the process
  pid_t child_ = 0;
  int errors_ = -1;  // the stderr of the process
  std::filesystem::path path_;
  const Plan* plan_ = nullptr;
  int64_t deaths_ = 0;
  std::set<int64_t> fatal_;
  Counts counts_;
};

}  // namespace linnet
