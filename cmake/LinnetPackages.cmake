# Debian packages of the components, by `cpack -G DEB`. LinnetPackageFiles.cmake adds what CPack does not support.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Linnet <linnet@linnet.invalid>" CACHE STRING "The maintainer of the packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Before 3.28, CPack calls ldconfig in scripts and does not write the trigger that Debian's policy requires.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/LinnetPackageFiles.cmake)
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# linnet_package(component package section description depends...)
function(linnet_package component package section description)
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${COMPONENT}_DESCRIPTION "${description}" PARENT_SCOPE)
  list(JOIN ARGN ", " depends)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

set(about "Linnet loads ONNX models, plans them and runs them by kernels for the\ninstruction set of the processor.")
linnet_package(runtime liblinnet0 libs "${about}\nThis package holds the shared library.")
linnet_package(development liblinnet-dev libdevel "${about}\nThis package holds headers and the static library."
               "liblinnet0 (= ${version})" ${LINNET_DEV_PACKAGES})
if(LINNET_BUILD_TOOLS)
  linnet_package(tools linnet-tools science "${about}\nThis package holds the commands run_model and export_model."
                 "liblinnet0 (= ${version})")
endif()
if(LINNET_BUILD_ONNXRUNTIME)
  linnet_package(onnxruntime linnet-onnxruntime libs
                 "${about}\nThis package holds libonnxruntime.so.1, the C interface of ONNX Runtime over Linnet,\nin a folder where only programs that are told to find it."
                 "liblinnet0 (= ${version})")
endif()
include(CPack)
