# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

# Builds a simulated device: the kernels are ordinary C++, run by fibres (doc/hip_host_platform.md).
# It is part of the tests and is installed by cmake --install BUILD_DIR --component simulated_device only.
set(spruce_backend_install COMPONENT simulated_device EXCLUDE_FROM_ALL)
add_subdirectory(platform/host)
foreach(width IN LISTS SPRUCE_HIP_WARP_SIZES)
    spruce_add_backend(hip${width} ${sources})
    target_link_libraries(spruce_hip${width} PRIVATE spruce_hip_host_${width})
    target_compile_definitions(spruce_hip${width} PRIVATE SPRUCE_GPU_ARCHITECTURES="host")
    # It runs tests, not benchmarks. Therefore it is optimised for a short build.
    # "#pragma unroll" is for the compilers of GPUs.
    target_compile_options(spruce_hip${width} PRIVATE -Og -Wno-unknown-pragmas)
    target_precompile_headers(spruce_hip${width} PRIVATE <spruce/matrix/dense.hpp> ${PROJECT_SOURCE_DIR}/hip/base/backend.hpp
        ${PROJECT_SOURCE_DIR}/common/gpu/base/prelude.hpp)
endforeach()
