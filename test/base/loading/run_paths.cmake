# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# Fails if a run path of one of the FILES has an empty element, which denotes the current
# directory.
# usage: cmake -DREADELF=... "-DFILES=..." -P run_paths.cmake

foreach(file IN LISTS FILES)
    execute_process(COMMAND ${READELF} -d ${file} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "R(UN)?PATH[^\n]*" lines "${dynamic}")
    foreach(line IN LISTS lines)
        message(STATUS "${file}: ${line}")
        if(line MATCHES "\\[(:|\\])|::|:\\]")
            message(SEND_ERROR "an empty element in the run path of ${file}: ${line}")
        endif()
    endforeach()
endforeach()
