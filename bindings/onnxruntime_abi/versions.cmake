# Clients are linked against one release and ask the loader for its version node: VERS_1.MINOR.PATCH. Both symbols of the
# library are defined in the nodes of all releases, so that it loads for each.
foreach(minor RANGE 40)
  foreach(patch RANGE 5)
    set(release 1.${minor}.${patch})
    set(sign "@")
    set(hidden "")
    if(release STREQUAL "1.32.0")  # what a reference without a version is bound to
      set(sign "@@")
      set(hidden "local: *; ")
    endif()
    string(APPEND LINNET_ORT_VERSION_NODES "VERS_${release} { global: Ort*; ${hidden}};\n")
    string(APPEND LINNET_ORT_VERSION_ALIASES "ALIASES(\"${release}\", \"${sign}\")\n")
  endforeach()
endforeach()
