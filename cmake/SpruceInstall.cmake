# SPDX-FileCopyrightText: 2026 The Spruce authors
# SPDX-License-Identifier: BSD-3-Clause

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Spruce)

install(TARGETS spruce EXPORT SpruceTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT SpruceTargets NAMESPACE Spruce:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/spruce ${PROJECT_BINARY_DIR}/include/spruce
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SpruceConfig.cmake.in
    ${PROJECT_BINARY_DIR}/SpruceConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SpruceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SpruceConfig.cmake ${PROJECT_BINARY_DIR}/SpruceConfigVersion.cmake
    DESTINATION ${package_dir})
# For projects that use the build tree: Spruce_DIR is the build folder.
export(EXPORT SpruceTargets NAMESPACE Spruce:: FILE ${PROJECT_BINARY_DIR}/SpruceTargets.cmake)

# pkg-config: where the libraries are is worked out from where the file is, so an installed tree can be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SPRUCE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH SPRUCE_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH SPRUCE_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(SPRUCE_PC_PRIVATE_LIBS "-lz -ldl -pthread")
if(SPRUCE_WITH_OMP)
    string(APPEND SPRUCE_PC_PRIVATE_LIBS " ${OpenMP_CXX_FLAGS}")
endif()
if(NOT BUILD_SHARED_LIBS AND SPRUCE_WITH_CUDA_TOOLKIT)
    string(APPEND SPRUCE_PC_PRIVATE_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcusparse -lcublas -lcudart_static -lrt")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/spruce.pc.in ${PROJECT_BINARY_DIR}/spruce.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spruce.pc DESTINATION ${pc_dir})

# Installs compatibility headers and packages, under the names that applications written to Ginkgo's interface look for.
if(SPRUCE_GINKGO_COMPATIBILITY)
    set(SPRUCE_GINKGO_VERSION 1.11.0)  # of the interface; as in include/ginkgo/config.hpp
    add_library(Ginkgo::ginkgo ALIAS spruce)
    # Some applications include single headers; each stands for all of them.
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include/spruce
        ${PROJECT_SOURCE_DIR}/include/spruce/*/*.hpp)
    # Headers of Ginkgo whose contents are in Spruce headers of other names.
    list(APPEND headers base/fwd_decls.hpp base/fwd_defs.hpp base/scoped_device_id_guard.hpp base/std_extensions.hpp
        base/temporary_conversion.hpp base/type_traits.hpp base/utils.hpp base/utils_helper.hpp
        solver/lower_trs.hpp solver/upper_trs.hpp)
    foreach(header IN LISTS headers)
        configure_file(${PROJECT_SOURCE_DIR}/cmake/ginkgo_header.hpp.in
            ${PROJECT_BINARY_DIR}/include/ginkgo/core/${header} COPYONLY)
    endforeach()
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ginkgo ${PROJECT_BINARY_DIR}/include/ginkgo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
    # Applications may search for a file libginkgo: it is a link to libspruce or, for a static library, a linker script that
    # names the archive and the libraries that it needs.
    if(BUILD_SHARED_LIBS)
        set(ginkgo_library ${PROJECT_BINARY_DIR}/lib/libginkgo${CMAKE_SHARED_LIBRARY_SUFFIX})
        file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
        file(CREATE_LINK libspruce${CMAKE_SHARED_LIBRARY_SUFFIX} ${ginkgo_library} SYMBOLIC)
    else()
        set(ginkgo_library ${PROJECT_BINARY_DIR}/lib/libginkgo.a)
        set(needed z dl pthread ${OpenMP_CXX_LIB_NAMES})
        list(TRANSFORM needed PREPEND "-l")
        if(SPRUCE_WITH_CUDA_TOOLKIT)
            list(APPEND needed ${CUDA_cusparse_LIBRARY} ${CUDA_cublas_LIBRARY} ${CUDA_cudart_static_LIBRARY} -lrt)
        endif()
        string(REPLACE ";" " " needed "${needed}")
        file(WRITE ${ginkgo_library} "INPUT(libspruce.a ${needed})\n")
    endif()
    install(FILES ${ginkgo_library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    # The simulated device is for tests, so applications see no HIP.
    set(GINKGO_WITH_HIP ${SPRUCE_WITH_HIP})
    if(SPRUCE_HIP_PLATFORM_USED STREQUAL "host")
        set(GINKGO_WITH_HIP 0)
    endif()
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/GinkgoConfig.cmake.in
        ${PROJECT_BINARY_DIR}/GinkgoConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ginkgo)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/GinkgoConfigVersion.cmake
        VERSION ${SPRUCE_GINKGO_VERSION} COMPATIBILITY SameMajorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/GinkgoConfig.cmake ${PROJECT_BINARY_DIR}/GinkgoConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Ginkgo)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/ginkgo.pc.in ${PROJECT_BINARY_DIR}/ginkgo.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/ginkgo.pc DESTINATION ${pc_dir})
endif()
