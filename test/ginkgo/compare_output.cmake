# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a program and compares its standard output with a file. Prints the difference and fails if
# there is one, or if the program fails.
#
# usage: cmake -DPROGRAM=FILE -DEXPECTED=FILE -P compare_output.cmake
execute_process(COMMAND "${PROGRAM}" COMMAND diff -u "${EXPECTED}" - RESULTS_VARIABLE statuses)
if(NOT statuses STREQUAL "0;0")
    message(FATAL_ERROR "exit statuses of ${PROGRAM} and of diff: ${statuses}")
endif()
