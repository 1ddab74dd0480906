# cpack reads this once per generator: what counts for Debian's packages alone.
if(CPACK_GENERATOR STREQUAL "DEB")
    if(NOT CPACK_INSTALL_PREFIX STREQUAL "/usr")  # programs and libraries know where their helpers are
        message(FATAL_ERROR
            "Debian's packages need a build that was configured with the prefix /usr: the preset debian")
    endif()
    set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # it would be the first line of each package
    set(CPACK_PRE_BUILD_SCRIPTS "${CPACK_FARDEL_SOURCE_DIR}/packaging/debian.cmake")
endif()
