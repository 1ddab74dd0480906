# Builds the tree that this port is in: `vcpkg install fardel --overlay-ports=packaging/vcpkg`. Libraries that a game
# links; with the feature `tools`, all of Fardel.
set(SOURCE_PATH "${CURRENT_PORT_DIR}/../../..")

set(parts runtime)
if("tools" IN_LIST FEATURES)
    set(parts all)
endif()

vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DFARDEL_PARTS=${parts}
        -DFARDEL_TESTS=OFF
        "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME fardel CONFIG_PATH lib/cmake/fardel)
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES fardel AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/NOTICES.md")
