# linnet_warnings(target): the warnings that all of our own code passes; errors where LINNET_WERROR is on.
option(LINNET_WERROR "Treat warnings as errors" OFF)

# GCC 13 and later suspect a function that returns a reference into one parameter of returning one into another, a
# temporary.
function(linnet_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wconversion -Wmissing-declarations
                                           $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-reference>
                                           $<$<BOOL:${LINNET_WERROR}>:-Werror>)
endfunction()

# linnet_c99(target): C as every compiler of the standard takes it.
function(linnet_c99 target)
  set_target_properties(${target} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -pedantic $<$<BOOL:${LINNET_WERROR}>:-Werror>)
endfunction()

# linnet_precompile(target): the headers that nearly every file of ours reads, parsed once per target.
function(linnet_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <complex> <functional> <map> <memory> <optional> <span>
                            <sstream> <string> <variant> <vector> ${ARGN})
endfunction()

# GCC's -O3 without the passes that copy whole loops: a fifth less code.
set(LINNET_O3_WITHOUT_COPIES -O3)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(LINNET_O3_WITHOUT_COPIES -O2 -ftree-vectorize -fvect-cost-model=dynamic -fgcse-after-reload
      --param=max-inline-insns-single=200 --param=max-inline-insns-auto=30 --param=inline-min-speedup=15)
endif()

# linnet_optimize(target small|loops|kernels): how releases are optimised, unless a user chose other flags. `small` is for
# what runs while a model is loaded and planned, `loops` for what computes outside of kernels/. `kernels` throw nothing and
# call nobody who does: they need no tables to unwind the stack.
function(linnet_optimize target what)
  if(NOT CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O2 -DNDEBUG")
    return()
  endif()
  set(flags ${LINNET_O3_WITHOUT_COPIES})
  if(what STREQUAL "kernels")
    set(flags -fno-asynchronous-unwind-tables)
  elseif(what STREQUAL "small")
    set(flags -Os)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which then suspects std::optional
      list(APPEND flags -ftree-vectorize -fvect-cost-model=dynamic -Wno-maybe-uninitialized)
    endif()
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${flags}>")
endfunction()
