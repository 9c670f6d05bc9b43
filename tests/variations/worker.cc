#include "worker.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "questions.h"

namespace linnet {
namespace {

constexpr int64_t kMostDeaths = 12;              // per case
constexpr rlim_t kMostMemory = rlim_t{3} << 30;  // of a process without sanitizers, which need much more
constexpr int kMostLines = 30;                   // of the output of a process when it ends

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// Processor time for one question, whose load and run each have a deadline of a second.
constexpr int kHangSeconds = kSanitized ? 20 : 5;

void end_hang(int) {
  constexpr char kText[] = "a hang\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
  std::abort();
}

void limit_child() {
  std::signal(SIGPROF, end_hang);
  if (kSanitized) return;
  const rlimit limit{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_DATA, &limit);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

void begin_question() {
  const itimerval timer{{0, 0}, {kHangSeconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

uint64_t hash(const std::string& text) {
  uint64_t result = 1469598103934665603ULL;  // FNV-1a
  for (const char c : text) result = (result ^ uint8_t(c)) * 1099511628211ULL;
  return result;
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return str("signal ", WTERMSIG(status));
  return str("exit status ", WEXITSTATUS(status));
}

}  // namespace

struct Worker::Progress {
  int64_t at = 0;  // the index of the question
  bool under_way = false;
  Counts counts;
  char what[512] = "";
};

namespace {

/// Asks the questions, and records each before it is asked.
template <class Progress>
class Asker final : public Questioner {
 public:
  Asker(Progress& progress, const std::string& name, const std::set<int64_t>& fatal, int64_t from, int64_t every)
      : progress_(progress), name_(name), fatal_(fatal), from_(from), every_(every), offset_(hash(name)) {}

  Answer take(const Case& node, const Form& form, bool probe) override {
    const int64_t number = number_++;
    if (fatal_.contains(number) || (!probe && (number < from_ || !sampled(number)))) return {};
    begin(node, form, number);
    const Answer answer = ask(node, form, registry_);
    end(answer, number >= from_);
    return answer;
  }

  void refuses_all(const std::string& message) override {
    if (from_ > 0) return;
    ++progress_.counts.wrong;
    std::printf("NO RESULT %s: %s\n", name_.c_str(), message.substr(0, 300).c_str());
    std::fflush(stdout);
  }

  bool wants_further_attributes() const override { return every_ == 1 || offset_ % 8 == 0; }

 private:
  bool sampled(int64_t number) const { return (offset_ + uint64_t(number)) % uint64_t(every_) == 0; }

  void begin(const Case& node, const Form& form, int64_t number) {
    std::snprintf(progress_.what, sizeof progress_.what, "%s, %s, %s", name_.c_str(), node.what.c_str(),
                  form.name.c_str());
    progress_.at = number;
    progress_.under_way = true;
    begin_question();
  }

  void end(const Answer& answer, bool first_time) {
    progress_.under_way = false;
    if (!first_time) return;
    ++progress_.counts.asked;
    ++(answer.result ? progress_.counts.results : progress_.counts.errors);
    if (answer.wrong.empty()) return;
    ++progress_.counts.wrong;
    std::printf("WRONG %s: %s\n", progress_.what, answer.wrong.substr(0, 300).c_str());
    std::fflush(stdout);
  }

  const Registry registry_ = standard_registry();
  Progress& progress_;
  const std::string name_;
  const std::set<int64_t>& fatal_;
  const int64_t from_, every_;
  const uint64_t offset_;
  int64_t number_ = 0;
};

}  // namespace

Worker::Worker() {
  void* const shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw Error(ErrorKind::kIo, "no shared memory");
  progress_ = new (shared) Progress;
}

Worker::~Worker() { munmap(progress_, sizeof(Progress)); }

void Worker::start(const std::filesystem::path& path, const Plan& plan) {
  path_ = path;
  plan_ = &plan;
  deaths_ = 0;
  fatal_.clear();
  progress_->at = 0;
  fork_child();
}

void Worker::fork_child() {
  errors_ = memfd_create("errors", MFD_CLOEXEC);
  std::fflush(stdout);
  child_ = fork();
  if (child_ != 0) return;
  dup2(errors_, STDERR_FILENO);
  limit_child();
  put();
  std::exit(0);
}

void Worker::put() const {
  const int64_t from = fatal_.empty() ? 0 : *fatal_.rbegin() + 1;
  Asker<Progress> asker(*progress_, path_.stem().string(), fatal_, from, plan_->every);
  put_questions(read_case(path_), plan_->words, asker);
}

bool Worker::poll() {
  int status = 0;
  if (!busy() || waitpid(child_, &status, WNOHANG) == 0) return busy();
  child_ = 0;
  if (status != 0) report(status);
  close(errors_);
  if (status != 0 && progress_->under_way && ++deaths_ < kMostDeaths) {
    fatal_.insert(progress_->at);
    fork_child();
  }
  return busy();
}

void Worker::report(int status) {
  ++counts_.wrong;
  const std::string where = progress_->under_way ? progress_->what : path_.stem().string() + ", at the end";
  std::printf("DEATH %s: %s\n", where.c_str(), end_of(status).c_str());
  std::FILE* const said = fdopen(dup(errors_), "r");
  if (!said) return;
  std::rewind(said);
  char line[400];
  for (int i = 0; i < kMostLines && std::fgets(line, sizeof line, said); ++i) std::printf("  %s", line);
  std::fclose(said);
}

Counts Worker::counts() const {
  Counts counts = progress_->counts;
  counts.asked += deaths_;
  counts.wrong += counts_.wrong;
  return counts;
}

}  // namespace linnet
