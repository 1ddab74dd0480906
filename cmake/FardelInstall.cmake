# What an installed Fardel consists of besides libraries, headers and the program: fardelConfig.cmake for CMake, .pc
# files for everybody else, and the notices of the libraries of others. tests/consumer/ uses them.

include(CMakePackageConfigHelpers)

set(fardel_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fardel")

install(FILES "${PROJECT_SOURCE_DIR}/NOTICES.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT documents)

install(EXPORT fardel NAMESPACE fardel:: FILE fardelTargets.cmake DESTINATION "${fardel_cmake_dir}")

# With BLAKE3's objects inside libfardel_format.a there is nothing to find.
set(FARDEL_FINDS_BLAKE3 OFF)
if(TARGET BLAKE3::BLAKE3)
    set(FARDEL_FINDS_BLAKE3 ON)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/FindBLAKE3.cmake" DESTINATION "${fardel_cmake_dir}")
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/fardelConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/fardelConfig.cmake"
    INSTALL_DESTINATION "${fardel_cmake_dir}"
    NO_SET_AND_CHECK_MACRO
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fardelConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/fardelConfig.cmake"
    "${PROJECT_BINARY_DIR}/fardelConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FardelComponents.cmake"
    DESTINATION "${fardel_cmake_dir}")

# The prefix is written relative to the .pc file, so that an installed tree may be moved.
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

# fardel_install_pc(<name> <description> [LIBS <-lx>…] [REQUIRES <module>…])
# An archive is named before those that it needs; so pkg-config orders modules, too.
function(fardel_install_pc pc_NAME pc_DESCRIPTION)
    cmake_parse_arguments(PARSE_ARGV 2 pc "" "" "LIBS;REQUIRES")
    list(JOIN pc_LIBS " " pc_LIBS)
    list(JOIN pc_REQUIRES ", " pc_REQUIRES)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/fardel.pc.in" "${PROJECT_BINARY_DIR}/${pc_NAME}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc_NAME}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

fardel_install_pc(fardel "what a game links"
    LIBS -lfardel_vfs -lfardel_sources -lfardel_format -lfardel_base ${BLAKE3_PC_LIBS}
    REQUIRES ${FARDEL_PC_SODIUM} ${FARDEL_PC_ZSTD} ${FARDEL_PC_LZ4} ${FARDEL_PC_UTF8PROC} ${BLAKE3_PC_REQUIRES})
fardel_install_pc(fardel-c "the C API, shared" LIBS -lfardel)
if(TARGET fardel::sdl2)
    fardel_install_pc(fardel-sdl2 "SDL 2's RWops over the C API" LIBS -lfardel_sdl2 REQUIRES fardel-c ${FARDEL_PC_SDL2})
endif()
if(TARGET fardel::archives)
    fardel_install_pc(fardel-c-archives "legacy archives for the C API, shared"
        LIBS -lfardel-c-archives REQUIRES fardel-c)
    fardel_install_pc(fardel-archives "legacy archives"
        LIBS -lfardel_vfs_archives -lfardel_archives REQUIRES fardel ${FARDEL_PC_PHYSFS} ${FARDEL_PC_ZLIB})
    fardel_install_pc(fardel-physfs "bundles for programs that read through PhysicsFS"
        LIBS -lfardel_physfs REQUIRES fardel-archives)
endif()
if(TARGET fardel::delivery)
    list(TRANSFORM CMAKE_DL_LIBS PREPEND -l OUTPUT_VARIABLE fardel_pc_dl)  # to load libcurl at run time
    fardel_install_pc(fardel-http "ranges of files from servers" LIBS -lfardel_http ${fardel_pc_dl} REQUIRES fardel)
    fardel_install_pc(fardel-cache "caches of derived data" LIBS -lfardel_cache REQUIRES fardel-http)
    fardel_install_pc(fardel-c-cache "the cache of derived data for the C API, shared"
        LIBS -lfardel-c-cache REQUIRES fardel-c)
    fardel_install_pc(fardel-store "stored bundles" LIBS -lfardel_store REQUIRES fardel)
    fardel_install_pc(fardel-verifier "findings about bundles" LIBS -lfardel_verifier REQUIRES fardel)
    fardel_install_pc(fardel-delivery "bundles from servers"
        LIBS -lfardel_delivery REQUIRES fardel-verifier fardel-store fardel-http)
    fardel_install_pc(fardel-c-delivery "stores and fetches for the C API, shared"
        LIBS -lfardel-c-delivery REQUIRES fardel-c)
endif()
if(TARGET fardel::packer)
    fardel_install_pc(fardel-packer "the packer"
        LIBS -lfardel_packer
        REQUIRES fardel-cache fardel-archives ${FARDEL_PC_SQLITE})
    fardel_install_pc(fardel-tools "writing, packing, signing and verifying for C"
        LIBS -lfardel_tools REQUIRES fardel-packer fardel-verifier)
    fardel_install_pc(fardel-c-tools "writing, packing, signing and verifying for C, shared"
        LIBS -lfardel-c-tools REQUIRES fardel-c)
endif()
