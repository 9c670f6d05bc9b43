# Clients are linked to one release and request its version node from the loader: VERS_1.MINOR.PATCH, or VERS_1.MINOR
# for a distribution's build. Both symbols of the library are defined in the nodes of all releases, so that it loads for
# each client.
macro(linnet_ort_node release sign hidden)
  string(APPEND LINNET_ORT_VERSION_NODES "VERS_${release} { global: Ort*; ${hidden}};\n")
  string(APPEND LINNET_ORT_VERSION_ALIASES "ALIASES(\"${release}\", \"${sign}\")\n")
endmacro()

foreach(minor RANGE 40)
  linnet_ort_node(1.${minor} "@" "")
  foreach(patch RANGE 3)
    set(release 1.${minor}.${patch})
    if(release STREQUAL "1.32.0")  # the node to which a reference without a version is bound
      linnet_ort_node(${release} "@@" "local: *; ")
    else()
      linnet_ort_node(${release} "@" "")
    endif()
  endforeach()
endforeach()

# Additional file names that clients load: the full release before 1.19, and MINOR for a distribution's build.
foreach(minor RANGE 18)
  foreach(patch RANGE 3)
    list(APPEND LINNET_ORT_FILE_NAMES libonnxruntime.so.1.${minor}.${patch})
  endforeach()
endforeach()
foreach(minor RANGE 40)
  list(APPEND LINNET_ORT_FILE_NAMES libonnxruntime.so.1.${minor})
endforeach()
