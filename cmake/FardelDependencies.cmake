# The libraries of others that Fardel's libraries link. fardelConfig.cmake includes this same file, so that a user's
# build finds what ours found. pkg-config knows all of them; the names carry FARDEL_ to leave the user's alone.
# Sets FARDEL_DEPENDENCIES_MISSING, and FARDEL_PC_REQUIRES for fardel.pc. BLAKE3 has a file of its own: FindBLAKE3.cmake.

set(FARDEL_PC_REQUIRES "libsodium >= 1.0.18" "libzstd >= 1.5.0" "libutf8proc" "physfs >= 3.0.2"
    "sqlite3 >= 3.37" "libcurl >= 7.80" "GraphicsMagick >= 1.3.36" "zlib >= 1.2.11")
set(FARDEL_DEPENDENCIES_MISSING "")

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(FARDEL_SODIUM QUIET IMPORTED_TARGET "libsodium>=1.0.18")
    pkg_check_modules(FARDEL_ZSTD QUIET IMPORTED_TARGET "libzstd>=1.5.0")
    # No version here: utf8proc's .pc file of some releases tells the version of its ABI.
    pkg_check_modules(FARDEL_UTF8PROC QUIET IMPORTED_TARGET libutf8proc)
    pkg_check_modules(FARDEL_PHYSFS QUIET IMPORTED_TARGET "physfs>=3.0.2")
    pkg_check_modules(FARDEL_SQLITE QUIET IMPORTED_TARGET "sqlite3>=3.37")
    pkg_check_modules(FARDEL_CURL QUIET IMPORTED_TARGET "libcurl>=7.80")
    pkg_check_modules(FARDEL_MAGICK QUIET IMPORTED_TARGET "GraphicsMagick>=1.3.36")
    pkg_check_modules(FARDEL_ZLIB QUIET IMPORTED_TARGET "zlib>=1.2.11")
    foreach(fardel_dependency IN ITEMS SODIUM ZSTD UTF8PROC PHYSFS SQLITE CURL MAGICK ZLIB)
        if(NOT FARDEL_${fardel_dependency}_FOUND)
            string(TOLOWER "${fardel_dependency}" fardel_dependency)
            list(APPEND FARDEL_DEPENDENCIES_MISSING "${fardel_dependency}")
        endif()
    endforeach()
    unset(fardel_dependency)
else()
    set(FARDEL_DEPENDENCIES_MISSING "pkg-config")
endif()
