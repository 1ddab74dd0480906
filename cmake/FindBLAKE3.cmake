# BLAKE3, the official C library. Two ways, tried in this order:
#
# - installed: libblake3 of pkg-config, else blake3.h and a library. Creates the imported target BLAKE3::BLAKE3.
# - sources: the C and assembly files of the official crate, as Debian's librust-blake3-dev ships them. Creates the
#   object library fardel_blake3_objects; an archive that contains its objects exports no dependency on it.
#
# Either way: BLAKE3_FOUND, BLAKE3_INCLUDE_DIR, and for fardel.pc BLAKE3_PC_REQUIRES and BLAKE3_PC_LIBS.

set(BLAKE3_PC_REQUIRES "")
set(BLAKE3_PC_LIBS "")
set(BLAKE3_MODE "")

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(FARDEL_BLAKE3 QUIET IMPORTED_TARGET libblake3)
endif()

if(TARGET PkgConfig::FARDEL_BLAKE3)
    set(BLAKE3_MODE "pkg-config ${FARDEL_BLAKE3_VERSION}")
    set(BLAKE3_INCLUDE_DIR "${FARDEL_BLAKE3_INCLUDE_DIRS}")
    set(BLAKE3_PC_REQUIRES "libblake3")
    add_library(BLAKE3::BLAKE3 INTERFACE IMPORTED)
    target_link_libraries(BLAKE3::BLAKE3 INTERFACE PkgConfig::FARDEL_BLAKE3)
else()
    find_path(BLAKE3_INSTALLED_INCLUDE_DIR blake3.h)
    find_library(BLAKE3_LIBRARY blake3)
    mark_as_advanced(BLAKE3_INSTALLED_INCLUDE_DIR BLAKE3_LIBRARY)
    if(BLAKE3_INSTALLED_INCLUDE_DIR AND BLAKE3_LIBRARY)
        set(BLAKE3_MODE "${BLAKE3_LIBRARY}")
        set(BLAKE3_INCLUDE_DIR "${BLAKE3_INSTALLED_INCLUDE_DIR}")
        set(BLAKE3_PC_LIBS "${BLAKE3_LIBRARY}")
        add_library(BLAKE3::BLAKE3 UNKNOWN IMPORTED)
        set_target_properties(BLAKE3::BLAKE3 PROPERTIES
            IMPORTED_LOCATION "${BLAKE3_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${BLAKE3_INCLUDE_DIR}")
    endif()
endif()

if(NOT BLAKE3_MODE)
    if(NOT BLAKE3_SOURCE_DIR)
        file(GLOB blake3_candidates LIST_DIRECTORIES true "/usr/share/cargo/registry/blake3-*/c")
        list(SORT blake3_candidates COMPARE NATURAL ORDER DESCENDING)
        foreach(candidate IN LISTS blake3_candidates)
            if(EXISTS "${candidate}/blake3.c")
                set(BLAKE3_SOURCE_DIR "${candidate}" CACHE PATH "Folder of BLAKE3's official C sources" FORCE)
                break()
            endif()
        endforeach()
    endif()

    if(EXISTS "${BLAKE3_SOURCE_DIR}/blake3.c")
        set(BLAKE3_MODE "sources in ${BLAKE3_SOURCE_DIR}")
        set(BLAKE3_INCLUDE_DIR "${BLAKE3_SOURCE_DIR}")

        add_library(fardel_blake3_objects OBJECT
            "${BLAKE3_SOURCE_DIR}/blake3.c"
            "${BLAKE3_SOURCE_DIR}/blake3_dispatch.c"
            "${BLAKE3_SOURCE_DIR}/blake3_portable.c")
        # -O3 in every build type: tests hash a lot, and these files need no debugging.
        target_compile_options(fardel_blake3_objects PRIVATE $<$<COMPILE_LANG_AND_ID:C,GNU,Clang>:-O3> -w)
        set_target_properties(fardel_blake3_objects PROPERTIES C_STANDARD 11 C_VISIBILITY_PRESET hidden)

        # blake3_dispatch.c chooses at run time among the variants that are compiled; the macros name the others.
        string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" blake3_processor)
        if(UNIX AND blake3_processor MATCHES "^(x86_64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
            foreach(blake3_simd IN ITEMS sse2 sse41 avx2 avx512)
                target_sources(fardel_blake3_objects PRIVATE
                    "${BLAKE3_SOURCE_DIR}/blake3_${blake3_simd}_x86-64_unix.S")
            endforeach()
            # Older versions of clang need the flags even for assembly.
            set_source_files_properties("${BLAKE3_SOURCE_DIR}/blake3_avx512_x86-64_unix.S"
                PROPERTIES COMPILE_OPTIONS "-mavx512f;-mavx512vl")
        elseif(MINGW AND blake3_processor MATCHES "^(x86_64|amd64)$")
            foreach(blake3_simd IN ITEMS sse2 sse41 avx2 avx512)
                target_sources(fardel_blake3_objects PRIVATE
                    "${BLAKE3_SOURCE_DIR}/blake3_${blake3_simd}_x86-64_windows_gnu.S")
            endforeach()
        elseif(blake3_processor MATCHES "^(aarch64|arm64)$")
            target_sources(fardel_blake3_objects PRIVATE "${BLAKE3_SOURCE_DIR}/blake3_neon.c")
            target_compile_definitions(fardel_blake3_objects PRIVATE BLAKE3_USE_NEON=1)
        elseif(MSVC AND blake3_processor MATCHES "^(x86_64|amd64)$")
            enable_language(ASM_MASM)
            foreach(blake3_simd IN ITEMS sse2 sse41 avx2 avx512)
                target_sources(fardel_blake3_objects PRIVATE
                    "${BLAKE3_SOURCE_DIR}/blake3_${blake3_simd}_x86-64_windows_msvc.asm")
            endforeach()
        else()
            target_compile_definitions(fardel_blake3_objects PRIVATE
                BLAKE3_NO_SSE2 BLAKE3_NO_SSE41 BLAKE3_NO_AVX2 BLAKE3_NO_AVX512 BLAKE3_USE_NEON=0)
        endif()
    endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(BLAKE3
    REQUIRED_VARS BLAKE3_MODE BLAKE3_INCLUDE_DIR
    REASON_FAILURE_MESSAGE
        "install libblake3's development package, or set BLAKE3_SOURCE_DIR to the folder that contains blake3.c")
