# What cpack makes of a build (docs/packages.md): Debian's packages, one per component; or of a build for Windows, one
# zip.

set(CPACK_PACKAGE_NAME fardel)
set(CPACK_PACKAGE_VENDOR fardel)
set(CPACK_PACKAGE_CONTACT "Fardel's packager <packager@fardel.invalid>" CACHE STRING
    "Name and address of who is responsible for the packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

if(WIN32)
    # One archive of all: bin/ (fardel.exe, DLLs), lib/ (import libraries, archives), include/, share/doc/.
    set(CPACK_GENERATOR ZIP)
    set(CPACK_PACKAGE_FILE_NAME "fardel-${PROJECT_VERSION}-windows-${CMAKE_SYSTEM_PROCESSOR}")
else()
    set(CPACK_GENERATOR DEB)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
set(CPACK_SOURCE_GENERATOR "")  # `git archive` makes the archive of the sources

# Two builds of one version have different commits, and apt is to see which is newer.
set(CPACK_DEBIAN_PACKAGE_VERSION "${PROJECT_VERSION}")
if(FARDEL_COMMIT)
    string(APPEND CPACK_DEBIAN_PACKAGE_VERSION "+${FARDEL_COMMIT_STAMP}.${FARDEL_COMMIT}")
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# fardel_package(<component> <Debian package> <section> <one line> [<field> <value>…]): the fields are CPack's: DEPENDS,
# RECOMMENDS, ….
macro(fardel_package component package section summary)
    string(TOUPPER "${component}" fardel_part)
    list(APPEND CPACK_COMPONENTS_ALL "${component}")
    set(CPACK_DEBIAN_${fardel_part}_PACKAGE_NAME "${package}")
    set(CPACK_DEBIAN_${fardel_part}_PACKAGE_SECTION "${section}")
    set(CPACK_DEBIAN_${fardel_part}_DESCRIPTION "${summary}\n${fardel_text}")
    set(fardel_fields ${ARGN})
    while(fardel_fields)
        list(POP_FRONT fardel_fields fardel_field fardel_value)
        set(CPACK_DEBIAN_${fardel_part}_PACKAGE_${fardel_field} "${fardel_value}")
    endwhile()
endmacro()

macro(fardel_library_package component package summary)
    fardel_package(${component} ${package} libs "${summary}" ${ARGN})
    string(APPEND fardel_libraries "${package} (= ${CPACK_DEBIAN_PACKAGE_VERSION}), ")
endmacro()

set(fardel_text "Fardel packs the assets of games into signed, content-addressed
bundles, which an engine mounts as one tree and verifies as it reads them.")

# dpkg-shlibdeps finds what a program links. Libraries that are opened at run time (NOTICES.md), and programs that are
# started, are named here.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/vfs")  # for what links libfardel.so.0
set(fardel_libraries "")
set(CPACK_COMPONENTS_ALL "")
fardel_library_package(c libfardel0 "virtual filesystem and bundles for games: the library")
if(FARDEL_PARTS STREQUAL "all")
    fardel_library_package(c_archives libfardel-c-archives0 "legacy archives of games for libfardel0"
        DEPENDS "libfardel0 (= ${CPACK_DEBIAN_PACKAGE_VERSION})"
        RECOMMENDS fardel)
endif()
if(TARGET fardel::delivery)
    fardel_library_package(c_delivery libfardel-c-delivery0 "stores and downloads of bundles for games"
        DEPENDS "libfardel0 (= ${CPACK_DEBIAN_PACKAGE_VERSION}), libcurl4"
        RECOMMENDS ca-certificates)
    fardel_library_package(c_cache libfardel-c-cache0 "cache of derived data for editors and tools of games"
        DEPENDS "libfardel0 (= ${CPACK_DEBIAN_PACKAGE_VERSION})"
        RECOMMENDS "libcurl4, ca-certificates")
endif()
if(FARDEL_PARTS STREQUAL "all")
    fardel_library_package(c_tools libfardel-c-tools0 "packing, signing and verifying bundles: the library"
        DEPENDS "libfardel0 (= ${CPACK_DEBIAN_PACKAGE_VERSION})"
        RECOMMENDS "fardel, libcurl4")
    fardel_package(program fardel utils "packs, signs, verifies, serves, fetches and mounts bundles of game assets"
        RECOMMENDS "libcurl4, libmicrohttpd12, ca-certificates, fuse3"
        SUGGESTS fardel-doc)
    fardel_package(documents fardel-doc doc "manuals of Fardel, and the format of its bundles"
        ARCHITECTURE all)
endif()
fardel_package(development libfardel-dev libdevel "virtual filesystem and bundles for games: headers and archives"
    DEPENDS "${fardel_libraries}libsodium-dev, libzstd-dev, liblz4-dev, libutf8proc-dev"
    RECOMMENDS pkg-config
    SUGGESTS "fardel-doc, libphysfs-dev, libsqlite3-dev, zlib1g-dev, libexpat1-dev, libsdl2-dev")

set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/packaging/generator.cmake")
set(CPACK_FARDEL_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_FARDEL_DATE "${FARDEL_COMMIT_MAIL_DATE}")
include(CPack)
