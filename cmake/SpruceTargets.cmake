# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# What all of Spruce's own code is compiled with.
function(spruce_compile_settings target)
    target_compile_features(${target} PUBLIC cxx_std_17)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
        CUDA_VISIBILITY_PRESET hidden CXX_EXTENSIONS OFF CUDA_STANDARD 17 POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/private)
    set(warnings -Wall -Wextra -Wundef)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # -Wpass-failed is disabled: clang cannot vectorize complex loops.
        list(APPEND warnings -Wno-pass-failed)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # gcc collects garbage less often, which shortens the build.
        set(less_collection --param=ggc-min-expand=400 --param=ggc-min-heapsize=1048576)
    endif()
    set(cuda_warnings -Xcompiler=-Wall)
    if(SPRUCE_WERROR)
        list(APPEND warnings -Werror)
        string(APPEND cuda_warnings ",-Werror -Werror=all-warnings")
    endif()
    # Errors name files relative to the source folder: what is installed does not know where it was built.
    set(common -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
    if(SPRUCE_COVERAGE AND target MATCHES "^spruce_(core|reference)$")
        set(common -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)  # the data of coverage need whole paths
    endif()
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:${warnings};${common};${less_collection}>"
        "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--extended-lambda --expt-relaxed-constexpr ${cuda_warnings} -Xcompiler=${common}>")
    if(SPRUCE_SANITIZE)
        # Checks of pointers against null and of virtual tables are left out: they dominate the time of compilation, and a
        # null pointer that is used shows anyway.
        target_compile_options(${target} PRIVATE -fsanitize=${SPRUCE_SANITIZE} -fno-sanitize=vptr,null
            -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
        if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
            # Clang reports an offset from a null pointer, such as that of an array without elements, which is not accessed.
            target_compile_options(${target} PRIVATE -fno-sanitize=pointer-overflow)
        endif()
        target_link_options(${target} PUBLIC -fsanitize=${SPRUCE_SANITIZE})
        # Only kernels are optimised: everything else takes half as long to compile without, and has little work to do. Nor are
        # the alignment of every operand of it and sums of pointers checked, which would be a quarter of that time each.
        if(NOT target MATCHES "^spruce_(reference|omp|cuda|hip)")
            target_compile_options(${target} PRIVATE -O0 -fno-sanitize=alignment,pointer-overflow)
        endif()
        # What the tests themselves compute is not the library's behaviour: memory alone is checked.
        if(target MATCHES "^(spruce_test_utils|test_)")
            target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
        endif()
    endif()
    if(SPRUCE_COVERAGE)
        if(target MATCHES "^spruce_(core|reference)$")
            target_compile_options(${target} PRIVATE --coverage)
        endif()
        target_link_options(${target} PUBLIC --coverage)
    endif()
endfunction()

# Part of the library itself: core, reference, omp.
function(spruce_add_part name)
    add_library(spruce_${name} OBJECT ${ARGN})
    spruce_compile_settings(spruce_${name})
    target_include_directories(spruce_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
    target_precompile_headers(spruce_${name} PRIVATE <spruce/matrix/dense.hpp>)  # in nearly every file
    target_sources(spruce PRIVATE $<TARGET_OBJECTS:spruce_${name}>)
endfunction()

# The libraries are in one folder, in the build tree and when installed, so one run path serves for both. If CMake
# replaced run paths at installation, it would pad them with colons; the dynamic linker takes an empty element for the working directory.
set(spruce_library_rpath BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")

# A GPU backend: a library of its own that the core opens at run time, or part of the one archive. Further arguments of
# install() are in spruce_backend_install.
function(spruce_add_backend name)
    if(BUILD_SHARED_LIBS)
        add_library(spruce_${name} SHARED ${ARGN})
        target_link_libraries(spruce_${name} PRIVATE spruce)
        set_target_properties(spruce_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
            ${spruce_library_rpath})
        install(TARGETS spruce_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ${spruce_backend_install})
        set_property(GLOBAL APPEND PROPERTY SPRUCE_BACKENDS spruce_${name})
    else()
        add_library(spruce_${name} OBJECT ${ARGN})
        target_sources(spruce PRIVATE $<TARGET_OBJECTS:spruce_${name}>)
    endif()
    target_include_directories(spruce_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
    spruce_compile_settings(spruce_${name})
endfunction()
