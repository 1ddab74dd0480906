# How Fardel's own code is compiled. Nothing here affects a user of the installed package.

if(PROJECT_IS_TOP_LEVEL)
    find_program(FARDEL_CCACHE ccache)
    mark_as_advanced(FARDEL_CCACHE)
    if(FARDEL_CCACHE)
        foreach(language IN ITEMS C CXX)
            if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
                set(CMAKE_${language}_COMPILER_LAUNCHER "${FARDEL_CCACHE}")
            endif()
        endforeach()
    endif()
endif()

# On processors of 32 bits, sizes of files and times have 64 bits in tests, too.
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    add_compile_definitions(_FILE_OFFSET_BITS=64 _TIME_BITS=64)
endif()

# Optimising all takes minutes and saves seconds of running tests.
set(FARDEL_OPTIMISE all CACHE STRING
    "What is optimised: all; libraries; or computing, the libraries that do not mostly wait. The rest has -O0")
set_property(CACHE FARDEL_OPTIMISE PROPERTY STRINGS all libraries computing)
set(FARDEL_WAITING_COMPONENTS http cache store packer delivery hosting)  # for disks, jobs and servers

# fardel_compile_quickly(<target> <value>…): without optimisation, if FARDEL_OPTIMISE is one of the values.
function(fardel_compile_quickly target)
    if(FARDEL_OPTIMISE IN_LIST ARGN)
        target_compile_options(${target} PRIVATE $<IF:$<BOOL:${MSVC}>,/Od,-O0>)
    endif()
endfunction()

# fardel_compile_optimised(<file.cpp>…): files of this folder, whatever their target is; each by itself in unity builds.
function(fardel_compile_optimised)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O2)
endfunction()

# fardel_compile_for_fuzzing(<target>): for what a fuzzing engine is to watch. Compiling takes a quarter longer so, and
# the program and the tests do without.
function(fardel_compile_for_fuzzing target)
    target_compile_options(${target} PRIVATE ${FARDEL_FUZZ_COVERAGE})
endfunction()

# The compiler sees one file at a time, and the linker takes any definition of a name. With this option, g++ keeps with
# each object what it read, and fardel_compare_definitions() compares all of it (-Wodr). It sees what tests/arrows
# cannot, such as types that a macro makes different.
option(FARDEL_ONE_DEFINITION "Fail if files of the program and its libraries define one name differently; g++" OFF)
if(FARDEL_ONE_DEFINITION)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        message(FATAL_ERROR "FARDEL_ONE_DEFINITION needs g++, not ${CMAKE_CXX_COMPILER_ID}")
    endif()
    add_link_options(-fno-lto)  # programs and libraries are linked from the machine code that the objects have as well
endif()

# fardel_compile_for_comparison(<target>): for what fardel_compare_definitions() compares: the program and the libraries
# that it links. The sources of the shared libraries are in these, too.
function(fardel_compile_for_comparison target)
    if(FARDEL_ONE_DEFINITION)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-flto;-ffat-lto-objects>)
        set_property(GLOBAL APPEND PROPERTY FARDEL_COMPARED ${target})
    endif()
endfunction()

# fardel_compare_definitions(): compares them whenever all is built. The link ends before any code is optimised, and its
# result is of no use.
function(fardel_compare_definitions)
    if(NOT FARDEL_ONE_DEFINITION)
        return()
    endif()
    get_property(targets GLOBAL PROPERTY FARDEL_COMPARED)
    list(TRANSFORM targets REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
    set(result "${PROJECT_BINARY_DIR}/one_definition")
    add_custom_command(OUTPUT "${result}.stamp"
        COMMAND "${CMAKE_CXX_COMPILER}" -flto -r -flinker-output=rel -nostdlib
            -Wodr -Werror=odr -Wlto-type-mismatch -Werror=lto-type-mismatch
            ${objects} -o "${result}.o"
        COMMAND "${CMAKE_COMMAND}" -E rm "${result}.o"
        COMMAND "${CMAKE_COMMAND}" -E touch "${result}.stamp"
        DEPENDS ${objects}
        COMMENT "Comparing the definitions of all files of the program"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(fardel_one_definition ALL DEPENDS "${result}.stamp")
endfunction()

# Applied to every library, program and test of Fardel; not to third-party code. The presets make warnings errors; a
# plain configure does not, because other compilers may have other warnings.
function(fardel_compile_strictly target)
    if(MSVC)
        # Sources and literals are UTF-8; narrowing by intent is what -Wconversion finds elsewhere.
        target_compile_options(${target} PRIVATE /W4 /utf-8 /permissive- /Zc:preprocessor /Zc:__cplusplus /EHsc)
        target_compile_definitions(${target} PRIVATE NOMINMAX WIN32_LEAN_AND_MEAN)
        return()
    endif()
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wpedantic
        -Wshadow
        -Wconversion -Wno-sign-conversion
        $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
        $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
        -Wno-missing-field-initializers  # designated initialisers leave the rest at their defaults
    )
    if(FARDEL_COUNTS_IN_MEMORY AND CMAKE_SIZEOF_VOID_P EQUAL 4)
        target_compile_options(${target} PRIVATE -Wno-conversion)
    endif()
    if(CMAKE_UNITY_BUILD)
        target_compile_options(${target} PRIVATE
            -Wno-shadow  # a local of one file beside a constant of another
            # Anonymous namespaces of what is not the main file.
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE
            -Wno-restrict             # false alarms on std::string operator+: GCC bug 105651
            -Wno-maybe-uninitialized  # false alarms on std::optional: GCC bug 80635
        )
    endif()
endfunction()
