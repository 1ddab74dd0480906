# The components of Fardel and the libraries of others that each one needs. A component `x` is the target fardel::x.
# fardelConfig.cmake includes this same file, so a user's build looks for the same libraries as Fardel's own build did,
# but only for the components that it asks for.

# What a game links. -DFARDEL_PARTS=runtime builds these alone.
set(FARDEL_RUNTIME_COMPONENTS base format sources vfs c)
# What keeps and moves bundles. -DFARDEL_PARTS=delivery builds these, too.
set(FARDEL_DELIVERY_COMPONENTS http cache c_cache store verifier delivery c_delivery hosting)
# Faces for the libraries of others that a game may use: built where these are found.
set(FARDEL_FACE_COMPONENTS sdl2)
set(FARDEL_COMPONENTS ${FARDEL_RUNTIME_COMPONENTS}
    archives vfs_archives c_archives physfs ${FARDEL_DELIVERY_COMPONENTS} packer tools c_tools
    ${FARDEL_FACE_COMPONENTS})

# The libraries as pkg-config names them; BLAKE3 has a file of its own, FindBLAKE3.cmake. The prefix FARDEL_ keeps the
# user's own variables apart. utf8proc has no version here: the .pc files of some releases state that of its ABI.
set(FARDEL_PC_SODIUM "libsodium >= 1.0.18")
set(FARDEL_PC_ZSTD "libzstd >= 1.5.0")
set(FARDEL_PC_LZ4 "liblz4 >= 1.9.0")
set(FARDEL_PC_UTF8PROC "libutf8proc")
set(FARDEL_PC_PHYSFS "physfs >= 3.0.2")
set(FARDEL_PC_SQLITE "sqlite3 >= 3.37")
set(FARDEL_PC_CURL "libcurl >= 7.80")
set(FARDEL_PC_MAGICK "GraphicsMagick >= 1.3.36")
set(FARDEL_PC_MICROHTTPD "libmicrohttpd >= 0.9.75")
set(FARDEL_PC_ZLIB "zlib >= 1.2.11")
set(FARDEL_PC_SDL2 "sdl2 >= 2.0.10")
set(FARDEL_PC_EXPAT "expat >= 2.4")  # bounds what entities expand to

# The shared libraries `c`, `c_archives`, `c_cache`, `c_delivery` and `c_tools` contain all they need; a program that
# links them needs nothing more.
set(FARDEL_base_NEEDS)
set(FARDEL_format_NEEDS SODIUM ZSTD LZ4 UTF8PROC)
set(FARDEL_sources_NEEDS ${FARDEL_format_NEEDS})
set(FARDEL_vfs_NEEDS ${FARDEL_format_NEEDS})
set(FARDEL_c_NEEDS)
set(FARDEL_sdl2_NEEDS SDL2)
set(FARDEL_archives_NEEDS ${FARDEL_format_NEEDS} PHYSFS ZLIB)
set(FARDEL_vfs_archives_NEEDS ${FARDEL_archives_NEEDS})
set(FARDEL_c_archives_NEEDS)
set(FARDEL_physfs_NEEDS ${FARDEL_archives_NEEDS})
set(FARDEL_http_NEEDS ${FARDEL_format_NEEDS})
set(FARDEL_cache_NEEDS ${FARDEL_format_NEEDS})
set(FARDEL_c_cache_NEEDS)
set(FARDEL_store_NEEDS ${FARDEL_format_NEEDS})
set(FARDEL_verifier_NEEDS ${FARDEL_format_NEEDS})
set(FARDEL_delivery_NEEDS ${FARDEL_format_NEEDS})
set(FARDEL_c_delivery_NEEDS)
set(FARDEL_hosting_NEEDS ${FARDEL_format_NEEDS} EXPAT)
set(FARDEL_packer_NEEDS ${FARDEL_archives_NEEDS} SQLITE)
set(FARDEL_tools_NEEDS ${FARDEL_packer_NEEDS})
set(FARDEL_c_tools_NEEDS)

# Only to build: `http` loads libcurl when a server is first used, `hosting` loads libmicrohttpd when it serves, and the
# packer decodes images in a program. On Windows, `http` links libcurl, nothing serves, and no images are decoded.
if(WIN32)
    list(APPEND FARDEL_http_NEEDS CURL)
else()
    set(FARDEL_http_BUILD_NEEDS CURL)
    set(FARDEL_hosting_BUILD_NEEDS MICROHTTPD)
    set(FARDEL_packer_BUILD_NEEDS MAGICK)
endif()

# fardel_find_libraries(<missing> <NAME>…): PkgConfig::FARDEL_<NAME> for each; `missing` lists what pkg-config does not
# find, by the names that it has there. A macro, so that what pkg_check_modules sets is seen by the caller.
macro(fardel_find_libraries missing)
    set(${missing} "")
    find_package(PkgConfig QUIET)
    foreach(fardel_library IN ITEMS ${ARGN})
        if(TARGET PkgConfig::FARDEL_${fardel_library})
            continue()
        endif()
        if(PkgConfig_FOUND)
            string(REPLACE " " "" fardel_module "${FARDEL_PC_${fardel_library}}")
            pkg_check_modules(FARDEL_${fardel_library} QUIET IMPORTED_TARGET "${fardel_module}")
        endif()
        if(NOT FARDEL_${fardel_library}_FOUND)
            list(APPEND ${missing} "${FARDEL_PC_${fardel_library}}")
        endif()
    endforeach()
    unset(fardel_library)
    unset(fardel_module)
endmacro()
