# Toolchain file: builds for 64-bit ARM on another machine with Debian's cross compiler (g++-aarch64-linux-gnu), and
# runs the results with qemu-user. A build on an ARM machine needs no toolchain file.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig)
# The package has only headers, but Debian 12 installs its CMake files among the libraries of this machine.
file(GLOB xsimd_package /usr/lib/*-linux-gnu/cmake/xsimd)
if(xsimd_package)
  set(xsimd_DIR ${xsimd_package})
endif()
