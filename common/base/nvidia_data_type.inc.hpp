// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

/// CUDA's number for a value type.
template <typename T>
inline constexpr auto data_type = CUDA_R_32F;
template <>
inline constexpr auto data_type<double> = CUDA_R_64F;
template <>
inline constexpr auto data_type<std::complex<float>> = CUDA_C_32F;
template <>
inline constexpr auto data_type<std::complex<double>> = CUDA_C_64F;
