# FARDEL_COMMIT and FARDEL_COMMIT_DATE: the commit that this tree is, of 12 digits, and its day, `2026-11-28`; both are
# empty where nothing says so. FARDEL_COMMIT_STAMP has the minute, too: `20261128.1123`; FARDEL_COMMIT_MAIL_DATE is the
# time as mails have it. SOURCE_DATE_EPOCH, if it is set, takes the place of the commit's time. What is changed and not
# committed is not seen.

# `git archive` replaces what stands between the $ signs of this file: an archive says itself what it is made of.
file(READ "${PROJECT_SOURCE_DIR}/cmake/commit.txt" fardel_commit)
if(fardel_commit MATCHES "Format:" AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    find_package(Git QUIET)
    if(Git_FOUND)
        execute_process(COMMAND "${GIT_EXECUTABLE}" log -1 "--format=%H %ct"
            WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE fardel_commit ERROR_QUIET)
        # Each commit and checkout appends to this file, and thereby has the next build configure again.
        execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --git-path logs/HEAD
            WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE fardel_commit_log ERROR_QUIET
            OUTPUT_STRIP_TRAILING_WHITESPACE)
        cmake_path(ABSOLUTE_PATH fardel_commit_log BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
        if(EXISTS "${fardel_commit_log}")
            set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${fardel_commit_log}")
        endif()
    endif()
endif()

set(FARDEL_COMMIT "")
set(FARDEL_COMMIT_DATE "")
set(FARDEL_COMMIT_STAMP "")
set(FARDEL_COMMIT_MAIL_DATE "Thu, 01 Jan 1970 00:00:00 +0000")
if(fardel_commit MATCHES "^([0-9a-f]+) ([0-9]+)")
    string(SUBSTRING "${CMAKE_MATCH_1}" 0 12 FARDEL_COMMIT)
    set(fardel_epoch "$ENV{SOURCE_DATE_EPOCH}")
    if(fardel_epoch STREQUAL "")
        set(ENV{SOURCE_DATE_EPOCH} "${CMAKE_MATCH_2}")
    endif()
    string(TIMESTAMP FARDEL_COMMIT_DATE "%Y-%m-%d" UTC)
    string(TIMESTAMP FARDEL_COMMIT_STAMP "%Y%m%d.%H%M" UTC)
    string(TIMESTAMP FARDEL_COMMIT_MAIL_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
    set(ENV{SOURCE_DATE_EPOCH} "${fardel_epoch}")
endif()
