# Toolchain file: builds for 64-bit ARM on another machine, with Debian's cross compiler (g++-aarch64-linux-gnu), and
# runs what it built by qemu-user. On such a machine itself, no toolchain file is needed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)
# Only headers, but Debian 12 installs its CMake package among the libraries of this machine.
file(GLOB xsimd_package /usr/lib/*-linux-gnu/cmake/xsimd)
if(xsimd_package)
  set(xsimd_DIR ${xsimd_package})
endif()
