include(${CMAKE_CURRENT_LIST_DIR}/LinnetFindLibrary.cmake)
linnet_find_library(RE2 re2/re2.h re2)
