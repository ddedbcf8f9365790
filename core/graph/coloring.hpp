// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spruce/base/array.hpp>
#include <spruce/matrix/csr.hpp>

namespace spruce::graph {

/// Assigns colours to the rows of a square matrix: if A has an entry (i, j) with i != j, rows i and
/// j have different colours. Colours are 0, 1, ... without gaps, and depend on the pattern of A
/// alone: all executors compute the same ones. Rows are coloured greedily in the order of
/// pseudo-random priorities, and twice more in the reverse order of colours, which does not
/// increase their number.
/// Sources: Jones and Plassmann 1993, A Parallel Graph Coloring Heuristic; Culberson 1992, Iterated
/// Greedy Graph Coloring and the Difficulty Landscape.
/// @param a  has sorted rows without repeated entries; its values are not used
/// @return  the colour of each row, on the executor of the matrix
template <typename V, typename I>
SPRUCE_EXPORT array<I> color_rows(const matrix::Csr<V, I>& a);

}  // namespace spruce::graph
