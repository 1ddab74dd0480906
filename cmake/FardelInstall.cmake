# What an installed Fardel consists of besides libraries, headers and the program: fardelConfig.cmake for CMake, fardel.pc
# and fardel-c.pc (the shared library alone) for everybody else. tests/consumer/ uses both.

include(CMakePackageConfigHelpers)

set(fardel_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fardel")

install(EXPORT fardel NAMESPACE fardel:: FILE fardelTargets.cmake DESTINATION "${fardel_cmake_dir}")

# With BLAKE3's objects inside libfardel_format.a there is nothing to find.
set(FARDEL_FINDS_BLAKE3 OFF)
if(TARGET BLAKE3::BLAKE3)
    set(FARDEL_FINDS_BLAKE3 ON)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindBLAKE3.cmake" DESTINATION "${fardel_cmake_dir}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/fardelConfig.cmake.in" "${PROJECT_BINARY_DIR}/fardelConfig.cmake"
    INSTALL_DESTINATION "${fardel_cmake_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fardelConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/fardelConfig.cmake"
    "${PROJECT_BINARY_DIR}/fardelConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FardelDependencies.cmake"
    DESTINATION "${fardel_cmake_dir}")

# fardel.pc. Archives are named before those that they need. The prefix is told relative to the file, so that an
# installed tree may be moved.
get_property(fardel_libraries GLOBAL PROPERTY FARDEL_LIBRARIES)
list(REVERSE fardel_libraries)
list(TRANSFORM fardel_libraries PREPEND "-l")
list(JOIN fardel_libraries " " FARDEL_PC_LIBS)

set(FARDEL_PC_REQUIRES_ALL ${FARDEL_PC_REQUIRES} ${BLAKE3_PC_REQUIRES})
list(JOIN FARDEL_PC_REQUIRES_ALL ", " FARDEL_PC_REQUIRES_ALL)
set(FARDEL_PC_LIBS_OTHERS "${BLAKE3_PC_LIBS}")

if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(FARDEL_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
    set(FARDEL_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}")
    set(FARDEL_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
    file(RELATIVE_PATH fardel_pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" fardel_pc_up "${fardel_pc_up}")
    set(FARDEL_PC_PREFIX "\${pcfiledir}/${fardel_pc_up}")
    set(FARDEL_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(FARDEL_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/fardel.pc.in" "${PROJECT_BINARY_DIR}/fardel.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/fardel-c.pc.in" "${PROJECT_BINARY_DIR}/fardel-c.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/fardel.pc" "${PROJECT_BINARY_DIR}/fardel-c.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
