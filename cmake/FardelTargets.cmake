# Static libraries, shared libraries for C, and programs.

include(CheckLinkerFlag)

# fardel_add_library(<short>
#     SOURCES <file.cpp>…               listed by hand, one per line
#     C_SOURCES <file.cpp>…             of the C API: compiled once, for this library and for a shared one
#     COMPUTES <file.cpp>…              those of SOURCES that are optimised also where the library, which waits, is not
#     HEADERS <include/fardel/short/x.h>…   public ones, installed; private headers are not listed
#     INTERNAL_HEADERS <internal/fardel/short/x.h>…   for the other folders of Fardel, not installed
#     LINKS <fardel::other>…            what the public headers need
#     PRIVATE_LINKS <target>…)          what only the .cpp files need; third parties always
#
# Creates the target fardel_<short> with the alias fardel::<short>, and installs it. Without sources it creates none.
function(fardel_add_library short)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" ""
        "SOURCES;C_SOURCES;COMPUTES;HEADERS;INTERNAL_HEADERS;LINKS;PRIVATE_LINKS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "fardel_add_library(${short}): unexpected ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_SOURCES AND NOT arg_C_SOURCES)
        return()
    endif()

    set(target "fardel_${short}")
    add_library(${target} STATIC ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)  # CMake cannot tell from objects alone
    add_library(fardel::${short} ALIAS ${target})
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${arg_HEADERS})
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")  # private headers, from subfolders too
    if(arg_INTERNAL_HEADERS)
        target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/internal>")
        # No target links this one. Its header set, which no install rule names, lets
        # CMAKE_VERIFY_INTERFACE_HEADER_SETS prove that internal headers compile alone too; not in unity builds, in
        # which sources and private headers are not compiled alone either, and which would take a fifth longer.
        if(NOT CMAKE_UNITY_BUILD)
            add_library(${target}_internal INTERFACE)
            target_sources(${target}_internal INTERFACE
                FILE_SET HEADERS BASE_DIRS internal FILES ${arg_INTERNAL_HEADERS})
            target_link_libraries(${target}_internal INTERFACE ${target})
        endif()
    endif()
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
    target_link_libraries(${target} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${short})
    if(arg_COMPUTES AND FARDEL_OPTIMISE STREQUAL "computing")
        fardel_compile_optimised(${arg_COMPUTES})
    endif()
    set(compiled ${target})
    if(arg_C_SOURCES)
        add_library(${target}_c OBJECT ${arg_C_SOURCES})
        target_include_directories(${target}_c PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
        target_compile_features(${target}_c PRIVATE cxx_std_20)
        target_compile_definitions(${target}_c PRIVATE _FILE_OFFSET_BITS=64 FARDEL_BUILDING)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_c>)
        list(APPEND compiled ${target}_c)
    endif()
    foreach(part IN LISTS compiled)
        fardel_compile_strictly(${part})
        fardel_compile_for_fuzzing(${part})
        if(short IN_LIST FARDEL_WAITING_COMPONENTS)
            fardel_compile_quickly(${part} computing)
        endif()
    endforeach()

    install(TARGETS ${target} EXPORT fardel
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endfunction()

# fardel_add_shared_library(<target> <map> C_OF <short> LINKS <target>…): a library for C, of the C_SOURCES of
# fardel_add_library(<short>). It exports what the linker script `map` lists and nothing else, or, on Windows, what
# FARDEL_API marks; its interface is the public headers of the folder and of bundle-format.
# SOVERSION changes when a function is changed or removed. It is a package of its own, named by its component
# (FardelPackages.cmake).
function(fardel_add_shared_library target map)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "C_OF" "LINKS")
    add_library(${target} SHARED $<TARGET_OBJECTS:fardel_${arg_C_OF}_c>)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${target} PRIVATE ${arg_LINKS})
    target_include_directories(${target} INTERFACE
        "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include;${PROJECT_SOURCE_DIR}/bundle-format/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_compile_definitions(${target} INTERFACE FARDEL_SHARED)
    if(NOT WIN32 AND NOT APPLE)  # linkers that read no such script
        target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
    endif()
    set_target_properties(${target} PROPERTIES VERSION "${PROJECT_VERSION}" SOVERSION 0 LINK_DEPENDS "${map}")
    # Windows: the DLL is beside the program, and its import library among the libraries.
    string(REGEX REPLACE "^fardel_" "" component "${target}")
    install(TARGETS ${target} EXPORT fardel
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component}
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component} NAMELINK_COMPONENT development
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
endfunction()

# fardel_add_program(<target> SOURCES <file.cpp>… LINKS <target>… [INSTALL])
function(fardel_add_program target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "INSTALL" "" "SOURCES;LINKS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "fardel_add_program(${target}): unexpected ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_SOURCES)
        return()
    endif()

    add_executable(${target} ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE ${arg_LINKS})
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
    fardel_compile_strictly(${target})
    fardel_compile_quickly(${target} libraries computing)
    if(arg_INSTALL)
        install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
    endif()
endfunction()

# fardel_contain_libraries(<target>): the program has the runtime of C++, and those libraries of others that the system
# has as archives, in itself. Finding, mapping and relocating fourteen shared libraries takes longer than `fardel id`
# works: 2.5 ms became 1.1 ms. Not with sanitizers, which watch the shared runtime; on Windows, all programs are so.
function(fardel_contain_libraries target)
    check_linker_flag(CXX -static-libstdc++ FARDEL_CAN_CONTAIN_RUNTIME)  # some systems have it in a package of its own
    if(WIN32 OR APPLE OR CMAKE_CXX_FLAGS MATCHES "-fsanitize=" OR NOT FARDEL_CAN_CONTAIN_RUNTIME)
        return()
    endif()
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:--as-needed)
    set_target_properties(${target} PROPERTIES FARDEL_CONTAINS_LIBRARIES ON)
    foreach(library IN ITEMS SODIUM ZSTD LZ4 UTF8PROC ZLIB SQLITE EXPAT)
        get_target_property(shared PkgConfig::FARDEL_${library} INTERFACE_LINK_LIBRARIES)
        string(REGEX REPLACE "\\.so$" ".a" archive "${shared}")
        if(EXISTS "${archive}")
            set_target_properties(PkgConfig::FARDEL_${library} PROPERTIES INTERFACE_LINK_LIBRARIES
                "$<IF:$<BOOL:$<TARGET_PROPERTY:FARDEL_CONTAINS_LIBRARIES>>,${archive},${shared}>")
        endif()
    endforeach()
endfunction()
