// Functions that the runtimes of sanitizers call. Other builds do not use them.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
const char* __asan_default_options();
const char* __ubsan_default_options();

/// A hang is aborted with a stack trace. An allocation beyond the limits is a failure.
const char* __asan_default_options() {
  return "allocator_may_return_null=1:handle_abort=1:max_allocation_size_mb=1024";
}
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
