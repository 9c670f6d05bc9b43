# add_simd_kernels(target source...): compiles every *.simd.cc once per instruction set.
# Each copy sees LINNET_SIMD_NS (the namespace its symbols live in) and LINNET_SIMD_ARCH (the xsimd architecture).
# The units are always optimised: without inlining, untagged library templates compiled for a wide instruction
# set would be emitted as weak symbols and could replace the portable ones at link time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(LINNET_SIMD_ISAS baseline avx2 avx512)
else()
  set(LINNET_SIMD_ISAS baseline)
endif()
set(LINNET_SIMD_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(LINNET_SIMD_ARCH_avx2 "xsimd::fma3<xsimd::avx2>")
# -Wmaybe-uninitialized and -Wuninitialized: false positives inside GCC 12's own AVX-512 headers.
set(LINNET_SIMD_FLAGS_avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mf16c
                             -mprefer-vector-width=512 -Wno-maybe-uninitialized -Wno-uninitialized)
set(LINNET_SIMD_ARCH_avx512 "xsimd::avx512bw")
set(LINNET_SIMD_FLAGS_baseline "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(LINNET_SIMD_ARCH_baseline "xsimd::neon64")
  # GCC's first scheduling pass, which only runs on such processors, spills the sums of the largest tiles.
  set(LINNET_SIMD_FLAGS_baseline $<$<CXX_COMPILER_ID:GNU>:-fno-schedule-insns>)
else()
  set(LINNET_SIMD_ARCH_baseline "xsimd::sse2")
endif()

function(add_simd_kernels target)
  foreach(isa IN LISTS LINNET_SIMD_ISAS)
    set(library ${target}_${isa})
    add_library(${library} OBJECT ${ARGN})
    linnet_warnings(${library})
    target_compile_options(${library} PRIVATE -O3 -fno-exceptions -ffp-contract=off -fno-math-errno
                                              -Wno-psabi ${LINNET_SIMD_FLAGS_${isa}})
    target_compile_definitions(${library} PRIVATE LINNET_SIMD_NS=${isa} "LINNET_SIMD_ARCH=${LINNET_SIMD_ARCH_${isa}}")
    target_link_libraries(${library} PRIVATE linnet_engine xsimd)
    target_include_directories(${library} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${library}>)
    target_compile_definitions(${target} PRIVATE LINNET_HAS_ISA_${isa})
  endforeach()
endfunction()
