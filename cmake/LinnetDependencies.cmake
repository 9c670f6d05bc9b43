# What liblinnet is linked with, found once: for the build, for users of the static library (linnetConfig.cmake,
# linnet.pc) and for the packages.
option(LINNET_WITH_TEXT "Build the operators on text that need libunistring and RE2" ON)
option(LINNET_WITH_IMAGES "Decode images by libjpeg, libpng, libtiff, libwebp, libopenjp2, where they are installed" ON)
set(LINNET_MODULES ${CMAKE_CURRENT_LIST_DIR}/modules)
list(APPEND CMAKE_MODULE_PATH ${LINNET_MODULES})

# linnet_require(found name package [what to do instead]): ends the configuration where something was not found.
function(linnet_require found name package)
  if(NOT ${found})
    message(FATAL_ERROR "${name} not found. Install it (Debian, Ubuntu: apt install ${package})${ARGN}.")
  endif()
endfunction()

# linnet_dependency(target find module package): a target, the arguments of find_package that define it, its module of
# pkg-config, or flag where it has none, and its package in Debian.
macro(linnet_dependency target find module package)
  list(APPEND LINNET_DEPENDENCIES ${target})
  string(APPEND LINNET_FIND_DEPENDENCIES "find_dependency(${find})\n")
  if("${module}" MATCHES "^-l")
    list(APPEND LINNET_PC_LIBS ${module})
  else()
    list(APPEND LINNET_PC_REQUIRES "${module}")
  endif()
  list(APPEND LINNET_DEV_PACKAGES ${package})
endmacro()

# The runtime of OpenMP that the objects are compiled for; LinnetLibrary links it.
find_package(OpenMP COMPONENTS CXX)
linnet_require(OpenMP_CXX_FOUND "OpenMP for C++" "g++, or libomp-dev for clang")
set(LINNET_DEPENDENCIES ${CMAKE_DL_LIBS})
set(LINNET_PC_LIBS ${OpenMP_CXX_LIB_NAMES} ${CMAKE_DL_LIBS})
list(TRANSFORM LINNET_PC_LIBS PREPEND -l)

find_package(xsimd QUIET)
linnet_require(xsimd_FOUND xsimd libxsimd-dev)

find_path(LINNET_XXHASH xxhash.h)
linnet_require(LINNET_XXHASH xxHash libxxhash-dev)

if(LINNET_BUILD_ONNX)
  find_package(Protobuf QUIET)
  linnet_require(Protobuf_FOUND "Protocol Buffers" "libprotobuf-dev protobuf-compiler")
  linnet_require(Protobuf_PROTOC_EXECUTABLE "The compiler of Protocol Buffers" protobuf-compiler)
  # Classes that protoc generates go with the library of the same version only. Not lite: see docs/design/protobuf.md.
  linnet_dependency(protobuf::libprotobuf "Protobuf ${Protobuf_VERSION} EXACT" "protobuf = ${Protobuf_VERSION}"
                    libprotobuf-dev)
endif()

if(LINNET_WITH_TEXT)
  set(or_without ", or build without the operators on text: -DLINNET_WITH_TEXT=OFF")
  find_package(Unistring)
  linnet_require(Unistring_FOUND libunistring libunistring-dev ${or_without})
  linnet_dependency(Unistring::Unistring Unistring -lunistring libunistring-dev)
  # Not by pkg-config, which takes half a minute over what newer releases of RE2 depend on.
  find_package(RE2)
  linnet_require(RE2_FOUND RE2 libre2-dev ${or_without})
  linnet_dependency(RE2::RE2 RE2 re2 libre2-dev)
endif()

# linnet_image_libraries: the libraries that decode images, as far as they are installed. A format whose library is
# missing is an error when such an image is decoded. BMP and PNM need none.
add_library(linnet_image_libraries INTERFACE)
macro(linnet_image_library format target find module package)
  find_package(${find} QUIET)
  if(TARGET ${target})
    linnet_dependency(${target} "${find}" ${module} ${package})
    target_link_libraries(linnet_image_libraries INTERFACE ${target})
    target_compile_definitions(linnet_image_libraries INTERFACE LINNET_HAS_${format})
  else()
    message(STATUS "Linnet: no ${format} images (library not found)")
  endif()
endmacro()

if(LINNET_WITH_IMAGES)
  linnet_image_library(JPEG JPEG::JPEG JPEG libjpeg libjpeg-dev)
  linnet_image_library(PNG PNG::PNG PNG libpng libpng-dev)
  linnet_image_library(TIFF TIFF::TIFF "TIFF;4.5" libtiff-4 libtiff-dev)
  linnet_image_library(WEBP WebP::WebP WebP libwebp libwebp-dev)
  linnet_image_library(OPENJPEG OpenJPEG::OpenJPEG OpenJPEG libopenjp2 libopenjp2-7-dev)
endif()
