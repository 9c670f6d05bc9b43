# add_simd_kernels(target families source...): compiles every NAME.simd.cc once per base set of instructions. It
# compiles every NAME.FEATURE.simd.cc once per base set that FEATURE extends, if the compiler supports it. `families` is
# a file with a line for each NAME: see ops/kernels/families.txt.
# Each copy sees LINNET_SIMD_NS (the namespace of its symbols) and LINNET_SIMD_ARCH (the xsimd architecture of the base
# set). The target can include simd_units.h, which lists the copies.
# The units are always optimised. Without inlining, untagged library templates compiled for a wide instruction set would
# be emitted as weak symbols and could replace the portable ones at link time.
include(CheckCXXCompilerFlag)
set(all_isas baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(all_isas avx512 avx2 baseline)
endif()
set(LINNET_SIMD_ISAS ${all_isas} CACHE STRING "Base sets of instructions to compile for, the best first")
set(LINNET_SIMD_OPTIMIZATION -O3 CACHE STRING "How the units are optimised")
mark_as_advanced(LINNET_SIMD_ISAS LINNET_SIMD_OPTIMIZATION)
set(LINNET_SIMD_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(LINNET_SIMD_ARCH_avx2 "xsimd::fma3<xsimd::avx2>")
# -Wmaybe-uninitialized and -Wuninitialized report false positives in GCC 12's own AVX-512 headers.
set(LINNET_SIMD_FLAGS_avx512 -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mf16c
                             -mprefer-vector-width=512 -Wno-maybe-uninitialized -Wno-uninitialized)
set(LINNET_SIMD_ARCH_avx512 "xsimd::avx512bw")
set(LINNET_SIMD_FLAGS_baseline "")
set(LINNET_SIMD_NAME_avx512 avx512)
set(LINNET_SIMD_NAME_avx2 avx2)
set(LINNET_SIMD_NAME_baseline baseline)
# The features of kernels/isa.cc, best first, and their flags for each base set that has them.
set(LINNET_SIMD_FEATURES amx_int8 amx_bf16 sve i8mm fp16 bf16 vnni dotprod)
set(LINNET_SIMD_FLAGS_avx512_amx_int8 -mamx-tile -mamx-int8)
set(LINNET_SIMD_FLAGS_avx512_amx_bf16 -mamx-tile -mamx-bf16)
set(LINNET_SIMD_FLAGS_avx512_fp16 -mavx512fp16)
set(LINNET_SIMD_FLAGS_avx512_bf16 -mavx512bf16)
set(LINNET_SIMD_FLAGS_avx512_vnni -mavx512vnni)
set(LINNET_SIMD_FLAGS_avx2_vnni -mavxvnni)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(LINNET_SIMD_ARCH_baseline "xsimd::neon64")
  set(LINNET_SIMD_NAME_baseline neon)
  set(LINNET_SIMD_FLAGS_baseline_sve -march=armv8.2-a+sve)
  set(LINNET_SIMD_FLAGS_baseline_i8mm -march=armv8.2-a+i8mm)
  set(LINNET_SIMD_FLAGS_baseline_bf16 -march=armv8.2-a+bf16)
  set(LINNET_SIMD_FLAGS_baseline_dotprod -march=armv8.2-a+dotprod)
  set(LINNET_SIMD_FLAGS_baseline_fp16 -march=armv8.2-a+fp16)
  # GCC's first scheduling pass, which runs only for such processors, spills the sums of the largest tiles.
  set(LINNET_SIMD_FLAGS_baseline $<$<CXX_COMPILER_ID:GNU>:-fno-schedule-insns>)
else()
  set(LINNET_SIMD_ARCH_baseline "xsimd::sse2")
  # Few machines run these units, so they are optimised for size.
  set(LINNET_SIMD_FLAGS_baseline $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Os>)
endif()

# Compiles sources for a base set and, if given, a feature of it. Appends them to units_of_NAME of the caller.
function(add_simd_library target isa feature)
  set(variant ${isa})
  set(name ${LINNET_SIMD_NAME_${isa}})
  set(flags ${LINNET_SIMD_FLAGS_${isa}})
  if(feature)
    string(APPEND variant _${feature})
    string(APPEND name +${feature})
    list(APPEND flags ${LINNET_SIMD_FLAGS_${variant}})
    string(JOIN " " feature_flags ${LINNET_SIMD_FLAGS_${variant}})
    check_cxx_compiler_flag("${feature_flags}" LINNET_COMPILER_HAS_${variant})
    if(NOT LINNET_COMPILER_HAS_${variant})
      return()
    endif()
  endif()
  set(library ${target}_${variant})
  add_library(${library} OBJECT ${ARGN})
  linnet_warnings(${library})
  linnet_optimize(${library} kernels)
  target_compile_options(${library} PRIVATE ${LINNET_SIMD_OPTIMIZATION} -fno-exceptions -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi ${flags})
  target_compile_definitions(${library} PRIVATE LINNET_SIMD_NS=${variant} "LINNET_SIMD_ARCH=${LINNET_SIMD_ARCH_${isa}}")
  target_link_libraries(${library} PRIVATE linnet_engine xsimd)
  target_include_directories(${library} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/ops)
  if(NOT feature)
    target_precompile_headers(${library} PRIVATE "${PROJECT_SOURCE_DIR}/ops/kernels/simd.h")
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${library}>)
  foreach(source IN LISTS ARGN)
    get_filename_component(unit ${source} NAME_WE)
    list(APPEND units_of_${unit} ${variant} ${name})
    set(units_of_${unit} ${units_of_${unit}} PARENT_SCOPE)
  endforeach()
endfunction()

# Writes simd_units.h: SimdUnits of every family, and LINNET_FAMILIES.
function(write_simd_units families)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${families})
  file(STRINGS ${families} lines REGEX "^[^#]")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z0-9_]+) ([^ ]+) ([^ ]+)" line "${line}")
    set(unit ${CMAKE_MATCH_1})
    set(family "${CMAKE_MATCH_3}")
    list(APPEND includes "#include \"${CMAKE_MATCH_2}\"\n")
    string(APPEND list " \\\n  LINNET_FAMILY(${unit}, ${family})")
    list(LENGTH units_of_${unit} count)
    math(EXPR count "${count} / 2")
    set(isas "")
    set(fills "")
    while(units_of_${unit})
      list(POP_FRONT units_of_${unit} variant name)
      string(APPEND declarations "namespace ${variant} {\nvoid fill(${family}& kernels);\n}\n")
      list(APPEND isas "\"${name}\"")
      list(APPEND fills "fill_kernels<${family}, ${variant}::fill>")
    endwhile()
    string(JOIN ", " isas ${isas})
    string(JOIN ", " fills ${fills})
    string(APPEND rows "    {\"${unit}\", SimdUnits<${family}>::kIsas},\n")
    string(APPEND structs "
template <>
struct SimdUnits<${family}> {
  static constexpr std::string_view kName = \"${unit}\";
  static constexpr std::array<std::string_view, ${count}> kIsas = {${isas}};
  static constexpr std::array<void (*)(void*), ${count}> kFills = {${fills}};
};
")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  string(JOIN "" includes ${includes})
  file(CONFIGURE OUTPUT simd_units.h @ONLY CONTENT [=[// Written by the build from families.txt.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "kernels/simd_unit.h"
@includes@
#define LINNET_FAMILIES@list@

namespace linnet {
@declarations@
namespace {

/// The SIMD units of a family that are built, the best first: the instruction set that each needs, as isa_name() writes
/// it, and what writes its functions into a struct of the family.
template <class Family>
struct SimdUnits;
@structs@
/// The name and the instruction sets of each family.
[[maybe_unused]] constexpr std::pair<std::string_view, std::span<const std::string_view>> kFamilies[] = {
@rows@};

}  // namespace
}  // namespace linnet
]=])
endfunction()

function(add_simd_kernels target families)
  string(JOIN "|" known ${LINNET_SIMD_FEATURES})
  set(strangers ${ARGN})
  list(FILTER strangers EXCLUDE REGEX "(^|/)[^./]+(\\.(${known}))?\\.simd\\.cc$")
  if(strangers)
    message(FATAL_ERROR "Not NAME.simd.cc or NAME.FEATURE.simd.cc with one of ${known}: ${strangers}")
  endif()
  foreach(isa IN LISTS LINNET_SIMD_ISAS)
    foreach(feature IN LISTS LINNET_SIMD_FEATURES)
      set(sources ${ARGN})
      list(FILTER sources INCLUDE REGEX "\\.${feature}\\.simd\\.cc$")
      if(sources AND LINNET_SIMD_FLAGS_${isa}_${feature})
        add_simd_library(${target} ${isa} ${feature} ${sources})
      endif()
    endforeach()
    set(sources ${ARGN})
    list(FILTER sources INCLUDE REGEX "(^|/)[^./]+\\.simd\\.cc$")
    add_simd_library(${target} ${isa} "" ${sources})
    target_compile_definitions(${target} PRIVATE LINNET_HAS_ISA_${isa})
  endforeach()
  write_simd_units(${families})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
