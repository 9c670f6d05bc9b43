#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "command/model_limits.h"
#include "command/session.h"
#include "command/verbs.h"
#include "linnet/error.h"
#include "report/report.h"
#include "tensor/printable.h"
#include "values/files.h"

namespace linnet::tool {
namespace {

ExitCode dispatch(const Options& options) {
  using Verb = ExitCode (*)(const Options&);
  static constexpr std::array<std::pair<const char*, Verb>, 8> kVerbs{{{"run", run_verb},
                                                                       {"bench", bench_verb},
                                                                       {"check", check_verb},
                                                                       {"compare", compare_verb},
                                                                       {"inspect", inspect_verb},
                                                                       {"quantize", quantize_verb},
                                                                       {"ops", ops_verb},
                                                                       {"devices", devices_verb}}};
  const auto found = std::find_if(kVerbs.begin(), kVerbs.end(), [&](auto& verb) { return options.verb == verb.first; });
  return found->second(options);
}

/// If a memory limit is set, makes the C library return freed memory to the system; it would otherwise keep blocks of
/// up to 32 MiB between used ones.
void give_back_memory([[maybe_unused]] const ModelFlags& flags) {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLeastOwnPages = 1 << 20;
  if (flags.untrusted || flags.max_memory > 0) mallopt(M_MMAP_THRESHOLD, kLeastOwnPages);
#endif
}

/// Occupies closed standard streams, so that no file that the command opens gets their numbers. Writing to stdout then
/// fails.
void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", O_RDONLY);
  }
}

// Runs a verb. Errors of a run do not name the file, so the path is added here.
ExitCode dispatch_named(const Options& options) {
  give_back_memory(options.model);
  const std::shared_ptr<MemoryAccount> account = memory_account(options.model);
  const MemoryAccount::Scope counted(account);
  try {
    return dispatch(options);
  } catch (const Error& error) {
    throw options.model.path.empty() ? error : error.with_context(options.model.path);
  }
}

/// The name of a kind of failure in JSON.
const char* kind_name(ExitCode code) {
  static constexpr std::array kNames{"", "usage", "load", "run", "difference", "limit"};
  return kNames.at(size_t(code));
}

/// Writes the error as JSON. If it cannot be written, it is reported only on stderr.
void try_to_write_error(const Failure& failure, const std::string& json_path) {
  try {
    write_json({{"error", {{"kind", kind_name(failure.code())}, {"message", failure.what()}}}}, json_path);
  } catch (const Failure&) {
  }
}

Failure as_failure(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const Failure& failure) {
    return failure;
  } catch (const Error& error) {
    const bool limit = error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kCancelled;
    return {limit ? ExitCode::kLimit : ExitCode::kRun, error.message()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::kLimit, "out of memory"};
  } catch (const std::exception& error) {
    return {ExitCode::kRun, error.what()};
  }
}

int fail(const Failure& cause, const std::string& json_path) {
  std::string message = cause.what();
  if (cause.code() == ExitCode::kLimit) message = with_remedy(message);
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (!json_path.empty() && !cause.reported()) try_to_write_error({cause.code(), message}, json_path);
  std::fflush(stdout);
  std::fprintf(stderr, "run_model: %s\n", printable(message).c_str());
  return int(cause.code());
}

int main_of(int argc, char** argv) {
  occupy_closed_streams();
  try {
    Options options;
    const ExitCode code = parse_options(argc, argv, options) ? dispatch_named(options) : ExitCode::kOk;
    flush_stdout();
    return int(code);
  } catch (...) {
    return fail(as_failure(std::current_exception()), json_target(argc, argv));
  }
}

}  // namespace
}  // namespace linnet::tool

int main(int argc, char** argv) { return linnet::tool::main_of(argc, argv); }
