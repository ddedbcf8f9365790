// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/generators/generators.hpp"

#include <algorithm>
#include <new>

#include <spruce/base/exception.hpp>

#include "benchmark/generators/edit_distance.hpp"
#include "benchmark/generators/families.hpp"

namespace spruce::bench {
namespace {

struct family_entry {
    family_info info;
    generated_matrix (*make)(parameters&);
};

#define SPRUCE_POISSON_OPTIONS "[,aniso=EPSILON][,jump=FACTOR][,convection=PECLET][,shift=SIGMA][,neumann]"

const std::vector<family_entry>& entries()
{
    static const std::vector<family_entry> result{
        {{"poisson2d-5pt", "N or NxM" SPRUCE_POISSON_OPTIONS,
          "2D grid, 5-point stencil, Dirichlet: SPD, diagonal 4. aniso: coefficient in x; jump: coefficients 1 and "
          "FACTOR in a checkerboard of 8 blocks a direction; convection: upwind, cell Peclet number (nonsymmetric); "
          "shift: A - SIGMA I; neumann: singular"},
         family::poisson2d_5pt},
        {{"poisson2d-9pt", "N or NxM" SPRUCE_POISSON_OPTIONS, "2D grid, 9-point stencil: SPD, diagonal 8"},
         family::poisson2d_9pt},
        {{"poisson3d-7pt", "N or NxMxK" SPRUCE_POISSON_OPTIONS, "3D grid, 7-point stencil: SPD, diagonal 6"},
         family::poisson3d_7pt},
        {{"poisson3d-27pt", "N or NxMxK" SPRUCE_POISSON_OPTIONS, "3D grid, 27-point stencil (HPCG): SPD, diagonal 26"},
         family::poisson3d_27pt},
        {{"fem-block", "N or NxMxK,DOFS[,spd][,decades=D][,tail][,seed=S]",
          "dense symmetric DOFS x DOFS blocks s (I + 0.3 R) on a 27-point node graph, R random, s log-uniform over D "
          "decades; spd: diagonal raised to dominate; tail: 0.1 % of the nodes coupled to 80 to 280 random others"},
         family::fem_block},
        {{"fem-delaunay", "POINTS,DOFS[,spd][,decades=D][,seed=S]",
          "the same blocks on the 2D Delaunay graph of random points in Morton order"},
         family::fem_delaunay},
        {{"rmat",
          "SCALE,EDGEFACTOR[,a=A][,b=B][,c=C][,undirected][,diagonal][,shuffle|degree-falling|degree-rising][,seed=S]",
          "power-law graph (R-MAT) of 2^SCALE vertices, EDGEFACTOR 2^SCALE edges drawn, duplicates merged; A, B, C "
          "default to 0.57, 0.19, 0.19; undirected: mirrored, without loops; diagonal: added, dominating its row; then "
          "the order of the vertices"},
         family::rmat},
        {{"circuit", "ROWS,DENSE_ROWS,DENSE_LENGTH[,mean=M][,others=L][,seed=S]",
          "short rows, M entries in the mean (default 5), structurally symmetric, values over 12 decades, a fifth of "
          "them stored zeros; then DENSE_ROWS rows of DENSE_LENGTH entries, those after the first of L (default "
          "DENSE_LENGTH), and the same columns"},
         family::circuit},
        {{"one-dense-row", "N", "tridiagonal with row 0 full"}, family::one_dense_row},
        {{"one-dense-column", "N", "tridiagonal with column 0 full"}, family::one_dense_column},
        {{"arrow", "N", "diagonal, first row and first column: SPD"}, family::arrow},
        {{"bimodal", "N[,seed=S]", "58 % of the rows 6 long, the others 983 to 1000"}, family::bimodal},
        {{"nearly-dense", "N[,seed=S]", "about 400 entries a row in dense blocks of 13 to 21 rows: SPD"},
         family::nearly_dense},
        {{"wide", "ROWSxCOLS[,seed=S]", "columns of 1 to 12 entries, row lengths log-normal"}, family::wide},
        {{"empty-rows", "N[,seed=S]", "74 % of the rows empty, the others 1 to 17 long"}, family::empty_rows},
        {{"empty-row-runs", "N[,seed=S]",
          "the first and last tenth and every second block of 32 rows empty, the others 1 to 14 long"},
         family::empty_row_runs},
        {{"empty", "N or ROWSxCOLS", "no entry"}, family::empty},
        {{"full-row", "N[,COUNT][,seed=S]", "1 x N with COUNT entries, by default all"}, family::full_row},
        {{"full-column", "N[,COUNT][,seed=S]", "its transpose"}, family::full_column},
        {{"one-entry", "N,row|column", "a single entry, in the last row or in the last column"}, family::one_entry},
        {{"band", "N,B", "full band of half-width B: SPD"}, family::band},
        {{"random-band", "N,PER_ROW[,width=B][,unsymmetric][,seed=S]",
          "the diagonal and random places at most B (default 4 PER_ROW) from it, PER_ROW entries a row in the mean; "
          "diagonally dominant, SPD unless unsymmetric"},
         family::random_band},
        {{"tridiagonal", "N[,singular]",
          "-1, 2, -1: SPD; singular: last diagonal entry lowered, smallest eigenvalue 1e-14 of the largest (for N up "
          "to 1e5)"},
         family::tridiagonal},
        {{"block-tridiagonal", "N[,B][,seed=S]", "dense B x B blocks, by default 8 x 8, N rows in all: SPD"},
         family::block_tridiagonal},
        {{"block-diagonal", "N[,seed=S]", "dense blocks of 1 to 32 rows, N rows in all: SPD"}, family::block_diagonal},
        {{"saddle-point", "N or NxMxK", "[H A; A 0], H the 27-point, A the 7-point matrix: indefinite"},
         family::saddle_point},
        {{"skew", "N or NxM", "C - C^T of the upwind convection C on a 2D grid, no diagonal"}, family::skew},
        {{"hermitian", "N or NxM", "complex: 2D 5-point with link phases exp(2 pi i y / 8) in x, positive definite"},
         family::hermitian},
        {{"helmholtz", "N or NxMxK", "complex symmetric: 3D 7-point minus k^2 + 0.1 i k^2, ten points a wavelength"},
         family::helmholtz},
        {{"mesh2d", "POINTS[,order=random|x|morton|rcm][,spd][,seed=S]",
          "Laplacian of the Delaunay graph of random points in the unit square, singular; spd: plus 1e-3 I"},
         family::mesh2d},
        {{"mesh3d", "POINTS[,order=random|x|morton|rcm][,spd][,seed=S]", "the same in the unit cube"}, family::mesh3d},
        {{"road", "POINTS[,seed=S]",
          "adjacency of the spanning tree and the 0.4 POINTS shortest further edges of a 2D Delaunay graph"},
         family::road},
    };
    return result;
}

#undef SPRUCE_POISSON_OPTIONS

[[noreturn]] void fail_unknown(const std::string& name)
{
    const auto nearest = std::min_element(entries().begin(), entries().end(), [&](const auto& a, const auto& b) {
        return edit_distance(name, a.info.name) < edit_distance(name, b.info.name);
    });
    std::string names;
    for (const auto& entry : entries()) {
        names += std::string{names.empty() ? "" : ", "} + entry.info.name;
    }
    throw InvalidStateError(
        __FILE__, __LINE__, "generate",
        "unknown family '" + name + "', did you mean '" + nearest->info.name + "'? Known families: " + names);
}

}  // namespace

generated_matrix generate(const std::string& spec)
{
    const auto colon = std::min(spec.find(':'), spec.size());
    const auto name = spec.substr(0, colon);
    const auto entry =
        std::find_if(entries().begin(), entries().end(), [&](const auto& e) { return e.info.name == name; });
    if (entry == entries().end()) {
        fail_unknown(name);
    }
    parameters params{name, entry->info.parameters, colon == spec.size() ? "" : spec.substr(colon + 1)};
    try {
        return entry->make(params);
    } catch (const std::bad_alloc&) {
        throw AllocationError(__FILE__, __LINE__, "host, for " + spec, params.checked_bytes());
    }
}

const std::vector<family_info>& families()
{
    static const auto result = [] {
        std::vector<family_info> infos;
        for (const auto& entry : entries()) {
            infos.push_back(entry.info);
        }
        return infos;
    }();
    return result;
}

}  // namespace spruce::bench
