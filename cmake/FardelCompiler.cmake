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
