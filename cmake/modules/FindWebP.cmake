include(${CMAKE_CURRENT_LIST_DIR}/LinnetFindLibrary.cmake)
linnet_find_library(WebP webp/decode.h webp)
