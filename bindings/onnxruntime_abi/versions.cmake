# Clients are linked against one release and ask the loader for its version node: VERS_1.MINOR.PATCH, VERS_1.MINOR where
# a distribution built it. Both symbols of the library are defined in the nodes of all releases, so that it loads for
# each.
macro(linnet_ort_node release sign hidden)
  string(APPEND LINNET_ORT_VERSION_NODES "VERS_${release} { global: Ort*; ${hidden}};\n")
  string(APPEND LINNET_ORT_VERSION_ALIASES "ALIASES(\"${release}\", \"${sign}\")\n")
endmacro()

foreach(minor RANGE 40)
  linnet_ort_node(1.${minor} "@" "")
  foreach(patch RANGE 3)
    set(release 1.${minor}.${patch})
    if(release STREQUAL "1.32.0")  # what a reference without a version is bound to
      linnet_ort_node(${release} "@@" "local: *; ")
    else()
      linnet_ort_node(${release} "@" "")
    endif()
  endforeach()
endforeach()

# File names that clients ask for besides: before 1.19 the whole release, and MINOR where a distribution built it.
foreach(minor RANGE 18)
  foreach(patch RANGE 3)
    list(APPEND LINNET_ORT_FILE_NAMES libonnxruntime.so.1.${minor}.${patch})
  endforeach()
endforeach()
foreach(minor RANGE 40)
  list(APPEND LINNET_ORT_FILE_NAMES libonnxruntime.so.1.${minor})
endforeach()
