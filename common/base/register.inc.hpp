// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

// The groups of kernels of a backend for GPUs.

SPRUCE_GPU_KERNEL_GROUPS(SPRUCE_DECLARE_KERNEL_GROUP)

inline void register_kernels() { SPRUCE_GPU_KERNEL_GROUPS(SPRUCE_REGISTER_KERNEL_GROUP) }
