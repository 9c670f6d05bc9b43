include(${CMAKE_CURRENT_LIST_DIR}/LinnetFindLibrary.cmake)
linnet_find_library(OpenJPEG openjpeg.h openjp2 PATH_SUFFIXES openjpeg-2.5 openjpeg-2.4 openjpeg-2.3)
