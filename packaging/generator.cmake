# cpack reads this once per generator: what counts for Debian's packages alone.
if(CPACK_GENERATOR STREQUAL "DEB")
    set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # it would be the first line of each package
    set(CPACK_PRE_BUILD_SCRIPTS "${CPACK_FARDEL_SOURCE_DIR}/packaging/debian.cmake")
endif()
