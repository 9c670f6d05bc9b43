# CPack runs this before it packs the installed files. It adds the files that Debian's policy requires of every package,
# and removes the search paths from programs and libraries, whose libraries are in the system's search path.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog "linnet (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Linnet ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Linnet

Files: *
Copyright: 2026 the authors of Linnet
License: Apache-2.0
 On Debian systems the text of the licence is in /usr/share/common-licenses/Apache-2.0.
")

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(usr ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  string(TOUPPER ${component} COMPONENT)
  set(documents ${usr}/share/doc/${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME})
  file(WRITE ${documents}/copyright "${copyright}")
  file(WRITE ${documents}/changelog.Debian "${changelog}")
  file(GLOB pages ${usr}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${documents}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB programs ${usr}/bin/* ${usr}/lib/linnet-onnxruntime/*.so.*.*.*)
  foreach(program IN LISTS programs)
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endforeach()
