// Functions that the runtimes of sanitizers call. Other builds do not use them.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
const char* __asan_default_options();
const char* __lsan_default_suppressions();

/// Tests request more memory than there is, and expect an Error.
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
/// LLVM's runtime of OpenMP keeps its allocations for threads that have ended.
const char* __lsan_default_suppressions() { return "leak:libomp.so"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
