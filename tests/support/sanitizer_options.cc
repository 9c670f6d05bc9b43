// What the runtimes of sanitizers ask a program for; nobody calls these in other builds.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
const char* __asan_default_options();
const char* __lsan_default_suppressions();

/// Tests ask for more memory than there is, and expect an Error.
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
/// LLVM's runtime of OpenMP keeps what it allocates for threads that are no longer there.
const char* __lsan_default_suppressions() { return "leak:libomp.so"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
