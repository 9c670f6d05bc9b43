# linnet_warnings(target): the warnings that all of Linnet's code passes. They are errors if LINNET_WERROR is on.
option(LINNET_WERROR "Treat warnings as errors" OFF)

# If a function returns a reference into one parameter and another parameter is a temporary, GCC 13 and later wrongly
# suspect that the reference is into the temporary.
function(linnet_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wconversion -Wmissing-declarations
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-reference>
                                           $<$<BOOL:${LINNET_WERROR}>:-Werror>)
endfunction()

# linnet_c99(target): C99 without extensions, as every compiler of the standard accepts it.
function(linnet_c99 target)
  set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -pedantic $<$<BOOL:${LINNET_WERROR}>:-Werror>)
endfunction()

# linnet_precompile(target): the headers that nearly every source file includes, parsed once per target.
function(linnet_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <complex> <functional> <map> <memory> <optional> <span>
                            <sstream> <string> <variant> <vector> ${ARGN})
endfunction()

# GCC's -O3 without the passes that duplicate loops, which reduces the code by a fifth.
set(LINNET_O3_WITHOUT_COPIES -O3)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(LINNET_O3_WITHOUT_COPIES -O2 -ftree-vectorize -fvect-cost-model=dynamic -fgcse-after-reload
      --param=max-inline-insns-single=200 --param=max-inline-insns-auto=30 --param=inline-min-speedup=15)
endif()

# linnet_optimize(target small|loops|kernels): how releases are optimised, unless the user chose other flags. `small` is
# for code that runs while a model is loaded and planned, `loops` for code that computes outside of kernels/. `kernels`
# neither throw nor call functions that throw, so they need no tables to unwind the stack.
function(linnet_optimize target what)
  if(NOT CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O2 -DNDEBUG")
    return()
  endif()
  set(flags ${LINNET_O3_WITHOUT_COPIES})
  if(what STREQUAL "kernels")
    set(flags -fno-asynchronous-unwind-tables)
  elseif(what STREQUAL "small")
    set(flags -Os)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # GCC then warns about std::optional
      list(APPEND flags -ftree-vectorize -fvect-cost-model=dynamic -Wno-maybe-uninitialized)
    endif()
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${flags}>")
endfunction()
