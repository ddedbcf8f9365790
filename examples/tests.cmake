# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# Runs the examples on the executors of this build.

set(executors reference)
if(SPRUCE_WITH_OMP)
    list(APPEND executors omp)
    add_test(NAME example_first-program COMMAND first-program ${PROJECT_SOURCE_DIR}/benchmark/matrices/1138_bus.mtx.gz)
    set_tests_properties(example_first-program PROPERTIES PASS_REGULAR_EXPRESSION "array real general\n1138 1\n[0-9]")
endif()
set(programs adaptiveprecision-blockjacobi custom-logger custom-stopping-criterion format-conversion heat-equation
    ilu-preconditioned-solver ir-ilu-preconditioned-solver matrix-assembly multigrid-preconditioned-solver
    multigrid-preconditioned-solver-customized multigrid-refresh par-ilu-convergence preconditioned-solver simple-spmv)
if(NOT SPRUCE_TYPES STREQUAL "minimal")
    list(APPEND programs iterative-refinement mixed-multigrid-solver mixed-spmv)
endif()
foreach(program IN LISTS programs)
    foreach(executor IN LISTS executors)
        add_test(NAME example_${program}_${executor} COMMAND ${program} ${executor})
    endforeach()
    if(SPRUCE_WITH_CUDA)
        add_test(NAME example_${program}_cuda COMMAND ${program} cuda)
        set_tests_properties(example_${program}_cuda PROPERTIES LABELS gpu)
    endif()
    # The simulated device is slow, and what most examples do there other tests do, too.
    if(SPRUCE_WITH_HIP AND SPRUCE_HIP_PLATFORM_USED STREQUAL "host"
            AND (SPRUCE_TEST_EVERY_COMBINATION OR program MATCHES "^(custom-logger|preconditioned-solver|multigrid-refresh|simple-spmv)$"))
        foreach(width IN LISTS SPRUCE_HIP_WARP_SIZES)
            add_test(NAME example_${program}_hip${width} COMMAND ${program} hip)
            set_tests_properties(example_${program}_hip${width} PROPERTIES
                ENVIRONMENT SPRUCE_HIP_WARP_SIZE=${width} LABELS hip)
        endforeach()
    endif()
endforeach()
foreach(executor IN LISTS executors)
    add_test(NAME example_custom-matrix-format_${executor} COMMAND custom-matrix-format ${executor})
endforeach()
if(SPRUCE_WITH_CUDA)
    add_test(NAME example_custom-matrix-format_cuda COMMAND custom-matrix-format cuda)
    set_tests_properties(example_custom-matrix-format_cuda PROPERTIES LABELS gpu)
endif()
if(SPRUCE_WITH_HIP AND SPRUCE_HIP_PLATFORM_USED STREQUAL "host" AND BUILD_SHARED_LIBS)
    foreach(width IN LISTS SPRUCE_HIP_WARP_SIZES)
        add_test(NAME example_custom-matrix-format_hip${width} COMMAND custom-matrix-format_hip${width} hip)
        set_tests_properties(example_custom-matrix-format_hip${width} PROPERTIES
            ENVIRONMENT SPRUCE_HIP_WARP_SIZE=${width} LABELS hip)
    endforeach()
endif()
foreach(executor IN LISTS executors)
    add_test(NAME example_preconditioner-export_${executor} COMMAND preconditioner-export ${executor} export-${executor}
        ${PROJECT_SOURCE_DIR}/benchmark/matrices/1138_bus.mtx.gz)
endforeach()
add_test(NAME example_minimal-gpu-solver COMMAND minimal-gpu-solver)
add_test(NAME example_simple-spmv_file COMMAND simple-spmv reference
    ${PROJECT_SOURCE_DIR}/benchmark/matrices/1138_bus.mtx.gz)
foreach(executor IN LISTS executors)
    add_test(NAME example_simple-solver_${executor} COMMAND simple-solver ${executor})
    add_test(NAME example_simple-solver_file_${executor}
        COMMAND simple-solver ${executor} ${PROJECT_SOURCE_DIR}/benchmark/matrices/1138_bus.mtx.gz)
endforeach()
if(SPRUCE_WITH_CUDA)
    add_test(NAME example_simple-solver_cuda COMMAND simple-solver cuda)
    set_tests_properties(example_simple-solver_cuda PROPERTIES LABELS gpu)
endif()
if(SPRUCE_WITH_HIP AND SPRUCE_HIP_PLATFORM_USED STREQUAL "host")
    foreach(width IN LISTS SPRUCE_HIP_WARP_SIZES)
        add_test(NAME example_simple-solver_hip${width} COMMAND simple-solver hip
            ${PROJECT_SOURCE_DIR}/benchmark/matrices/1138_bus.mtx.gz)
        set_tests_properties(example_simple-solver_hip${width} PROPERTIES
            ENVIRONMENT SPRUCE_HIP_WARP_SIZE=${width} LABELS hip)
    endforeach()
endif()
add_test(NAME example_simple-solver_unknown_executor COMMAND simple-solver no-such-executor)
add_test(NAME example_simple-solver_missing_file COMMAND simple-solver reference no-such-file.mtx)
set_tests_properties(example_simple-solver_unknown_executor example_simple-solver_missing_file
    PROPERTIES WILL_FAIL ON)
