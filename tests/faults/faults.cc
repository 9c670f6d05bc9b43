#include "faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace {

using linnet::testing::Fault;

std::atomic<bool> armed{false}, forever_{false};
std::atomic<Fault> kind{Fault::kMemory};
std::atomic<int64_t> calls{0}, failing{0}, blocks{0};

bool fails(Fault fault) noexcept {
  if (!armed.load() || kind.load() != fault) return false;
  const int64_t call = calls++;
  return forever_.load() ? call >= failing.load() : call == failing.load();
}

void* counted(void* block) noexcept {
  if (block) ++blocks;
  return block;
}

bool file_fails() noexcept {
  if (!fails(Fault::kFile)) return false;
  errno = EIO;
  return true;
}

/// Whether a call that transfers bytes fails. If it does not, it may transfer fewer bytes.
bool transfer_fails(size_t& bytes) noexcept {
  if (file_fails()) return true;
  if (bytes > 1 && fails(Fault::kShort)) bytes /= 2;
  if (!fails(Fault::kInterrupted)) return false;
  errno = EINTR;
  return true;
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace linnet::testing {

void begin_fault(Fault fault, int64_t call, bool forever) {
  kind = fault, calls = 0, failing = call, forever_ = forever;
  armed = true;
}

int64_t end_fault() {
  armed = false;
  return calls;
}

int64_t live_blocks() { return blocks; }

}  // namespace linnet::testing

// Visible to the libraries.
#pragma GCC visibility push(default)
extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t bytes) { return fails(Fault::kMemory) ? nullptr : counted(__libc_malloc(bytes)); }
void* calloc(size_t count, size_t bytes) {
  return fails(Fault::kMemory) ? nullptr : counted(__libc_calloc(count, bytes));
}
void* realloc(void* block, size_t bytes) {
  if (fails(Fault::kMemory)) return nullptr;
  void* const result = __libc_realloc(block, bytes);
  if (!block && result) ++blocks;
  if (block && !result && bytes == 0) --blocks;
  return result;
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return fails(Fault::kMemory) ? nullptr : counted(__libc_memalign(alignment, bytes));
}
void* memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = aligned_alloc(alignment, bytes);
  return *block ? 0 : ENOMEM;
}
void free(void* block) {
  if (block) --blocks;
  __libc_free(block);
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  return file_fails() ? -1 : int(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int fstat(int fd, struct stat* status) { return file_fails() ? -1 : int(::syscall(SYS_fstat, fd, status)); }
ssize_t read(int fd, void* to, size_t bytes) { return transfer_fails(bytes) ? -1 : ::syscall(SYS_read, fd, to, bytes); }
ssize_t pread(int fd, void* to, size_t bytes, off_t offset) {
  return transfer_fails(bytes) ? -1 : ::syscall(SYS_pread64, fd, to, bytes, offset);
}
ssize_t write(int fd, const void* from, size_t bytes) {
  return transfer_fails(bytes) ? -1 : ::syscall(SYS_write, fd, from, bytes);
}
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  return transfer_fails(bytes) ? -1 : ::syscall(SYS_pwrite64, fd, from, bytes, offset);
}
int fdatasync(int fd) { return file_fails() ? -1 : int(::syscall(SYS_fdatasync, fd)); }
int rename(const char* from, const char* to) { return file_fails() ? -1 : int(::syscall(SYS_rename, from, to)); }

int mkostemp(char* name, int flags) {
  static auto* const real = next<int(char*, int)>("mkostemp");
  return file_fails() ? -1 : real(name, flags);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static auto* const real = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return fails(Fault::kThread) ? EAGAIN : real(thread, attributes, start, argument);
}

}  // extern "C"
#pragma GCC visibility pop
