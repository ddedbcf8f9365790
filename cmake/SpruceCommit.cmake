# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs at build time, as a script:
#   cmake -D SOURCE_DIR=... -D OUTPUT=... [-D GIT=...] [-D COMMIT=...] -P SpruceCommit.cmake
# Writes a header that defines SPRUCE_COMMIT, the commit of SOURCE_DIR with "-dirty" if tracked files differ from it. Where
# SOURCE_DIR is no git repository, or GIT is not there, it is COMMIT, the environment variable SPRUCE_COMMIT, or "unknown". The
# header is written only if it changes.

set(commit "")
# The repository has to be Spruce's: sources without one may be in a folder of another repository. The options of git override
# the environment of a git hook, which names another repository if the build is part of the hook.
if(GIT AND EXISTS ${SOURCE_DIR}/.git)
    set(git ${CMAKE_COMMAND} -E env --unset=GIT_INDEX_FILE
        ${GIT} --no-optional-locks --git-dir=${SOURCE_DIR}/.git --work-tree=${SOURCE_DIR})
    execute_process(COMMAND ${git} rev-parse --short=10 HEAD WORKING_DIRECTORY ${SOURCE_DIR}
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        set(commit "")
    else()
        execute_process(COMMAND ${git} diff --quiet --no-ext-diff HEAD -- WORKING_DIRECTORY ${SOURCE_DIR}
            OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE status)
        if(NOT status EQUAL 0)
            string(APPEND commit "-dirty")
        endif()
    endif()
endif()

foreach(other IN ITEMS "${COMMIT}" "$ENV{SPRUCE_COMMIT}" "unknown")
    if(commit STREQUAL "")
        set(commit "${other}")
    endif()
endforeach()
if(NOT commit MATCHES "^[0-9A-Za-z._+-]+$")
    message(FATAL_ERROR "SPRUCE_COMMIT is '${commit}'; it can have letters, digits and . _ + -")
endif()

set(content "#define SPRUCE_COMMIT \"${commit}\"\n")
set(old_content "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old_content)
endif()
if(NOT content STREQUAL old_content)
    file(WRITE ${OUTPUT} "${content}")
endif()
