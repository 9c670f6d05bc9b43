// What the runtimes of sanitizers ask a program for; nobody calls these in other builds.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
const char* __asan_default_options();
const char* __ubsan_default_options();

/// A hang is aborted, and says where. More than limits allow at once is wrong.
const char* __asan_default_options() {
  return "allocator_may_return_null=1:handle_abort=1:max_allocation_size_mb=1024";
}
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
