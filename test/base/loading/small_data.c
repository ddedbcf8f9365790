/* SPDX-FileCopyrightText: 2026 The Spruce authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Contains a library in which the name of a backend's entry belongs to a smaller object. */

const char spruce_hip_entry[4] = {1, 2, 3, 4};
