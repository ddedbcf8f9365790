// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include <spruce/multigrid/sa.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "core/base/define_factory.hpp"
#include "core/base/dispatch.hpp"
#include "core/base/instantiate.hpp"
#include "core/components/array_kernels.hpp"
#include "core/graph/aggregation.hpp"
#include "core/matrix/csr_rearrange_kernels.hpp"
#include "core/multigrid/level_matrix.hpp"
#include "core/multigrid/multigrid_kernels.hpp"
#include "core/multigrid/piecewise_constants.hpp"
#include "core/multigrid/spectral_radius.hpp"

namespace spruce::multigrid {
namespace {

constexpr auto name_of_sa = "multigrid::Sa";
/// Matrices with a mean number of neighbours between these bounds, like those of finite differences
/// in three dimensions, get larger aggregates (doc/tuning/multigrid.md).
constexpr double min_neighbors_for_one_phase = 4.5;
constexpr double max_neighbors_for_one_phase = 8;

/// Returns the sums of |a_ij| over the blocks of a matrix.
template <typename V, typename I>
std::unique_ptr<matrix::Csr<V, I>> sum_blocks(const matrix::Csr<V, I>& a, size_type block_size)
{
    const auto exec = a.get_executor();
    const auto size = a.get_size()[0];
    array<I> blocks{exec, size};
    kernels::multigrid::expand_blocks<I>(*exec, nullptr, block_size, size, blocks.get_data());
    const auto of_blocks = detail::create_tentative<V, I>(blocks, size / block_size);
    const auto magnitudes = clone(&a);
    magnitudes->compute_absolute_inplace();
    return as<matrix::Csr<V, I>>(of_blocks->transpose())->multiply(magnitudes->multiply(of_blocks));
}

/// Computes the prolongation, and recomputes it for other values of A in the same pattern.
template <typename V, typename I>
class SmoothedProlongation {
public:
    using Real = remove_complex<V>;
    using Csr = matrix::Csr<V, I>;

    /// @param vectors  of the near-null space, on the executor of a; null: constants
    SmoothedProlongation(const Csr& a, double threshold, const matrix::Dense<V>* vectors, size_type block_size)
        : diagonal_{detail::find_suitable_diagonal(a, name_of_sa)},
          scale_{a.get_executor(), a.get_size()[0]},
          sources_{a.get_executor()},
          filtered_diagonal_{a.get_executor()},
          found_row_{a.get_executor(), 1},
          aggregates_{a.get_executor()}
    {
        this->update_scale(a);
        if (vectors) {
            this->aggregate_nodes(a, static_cast<Real>(threshold), block_size);
            this->interpolate(*vectors);
        } else {
            const auto drops_entries = this->aggregate_strong(a, scale_, static_cast<Real>(threshold));
            tentative_ = detail::create_tentative<V, I>(aggregates_, num_aggregates_);
            if (drops_entries) {
                this->filter(a, static_cast<Real>(threshold));
            }
        }
        this->create_smoothing_matrix(a);
    }

    /// Returns P.
    std::unique_ptr<Csr> create(const Csr& a)
    {
        this->compute_smoothing_matrix(a);
        auto product = smoothing_matrix_->multiply_reuse(tentative_);
        product_ = std::move(product.second);
        return std::move(product.first);
    }

    /// Recomputes P.
    void update(const Csr& a, Csr& p)
    {
        detail::require_suitable_entries(a, diagonal_, found_row_, name_of_sa);
        this->update_scale(a);
        this->update_filtered(a);
        this->compute_smoothing_matrix(a);
        product_.update_values(smoothing_matrix_, tentative_, &p);
    }

    array<I> take_aggregates() { return std::move(aggregates_); }
    /// Returns the coefficients of the near-null space on the coarse level.
    std::shared_ptr<const matrix::Dense<V>> get_coarse_vectors() const { return coarse_vectors_; }
    /// Returns the eigenvalues of D^-1 A, which update() changes.
    std::shared_ptr<const detail::spectrum> get_spectrum() const { return spectrum_; }

private:
    void update_scale(const Csr& a)
    {
        kernels::multigrid::scale_by_diagonal<V, I>(*a.get_executor(), a.get_const_values(), diagonal_.get_const_data(),
                                                    a.get_size()[0], scale_.get_data());
    }

    /// Finds aggregates along strong entries. Returns false if all entries are strong.
    /// @param scale  1 / sqrt(|a_ii|)
    bool aggregate_strong(const Csr& a, const array<Real>& scale, Real threshold)
    {
        array<I> sources{a.get_executor()};
        const auto graph = this->select_strong(a, scale, threshold, false, sources);
        if (!graph) {
            this->aggregate(a, scale);
            return false;
        }
        kernels::csr::gather_values<V, I>(*a.get_executor(), a.get_const_values(), sources.get_const_data(),
                                          sources.get_size(), graph->get_values());
        this->aggregate(*graph, scale);
        return true;
    }

    /// Finds aggregates of nodes.
    void aggregate_nodes(const Csr& a, Real threshold, size_type block_size)
    {
        if (block_size == 1) {
            this->aggregate_strong(a, scale_, threshold);
            return;
        }
        const auto exec = a.get_executor();
        const auto nodes = sum_blocks(a, block_size);
        const auto num_nodes = nodes->get_size()[0];
        array<I> diagonal{exec};
        factorization::detail::find_diagonal(*nodes, diagonal);
        array<Real> scale{exec, num_nodes};
        kernels::multigrid::scale_by_diagonal<V, I>(*exec, nodes->get_const_values(), diagonal.get_const_data(),
                                                    num_nodes, scale.get_data());
        this->aggregate_strong(*nodes, scale, threshold);
        const auto size = a.get_size()[0];
        array<I> of_rows{exec, size};
        kernels::multigrid::expand_blocks<I>(*exec, aggregates_.get_const_data(), block_size, size, of_rows.get_data());
        aggregates_ = std::move(of_rows);
    }

    /// Creates T with an orthonormal basis of the vectors on each aggregate.
    void interpolate(const matrix::Dense<V>& vectors)
    {
        const auto exec = vectors.get_executor();
        const auto size = vectors.get_size()[0];
        const auto num_vectors = vectors.get_size()[1];
        const auto constants = detail::create_tentative<V, I>(aggregates_, num_aggregates_);
        const auto rows_of_aggregates = as<Csr>(constants->transpose());
        const auto nnz = constants->get_num_stored_elements();
        if (std::max(nnz, num_aggregates_) * num_vectors > static_cast<size_type>(std::numeric_limits<I>::max())) {
            throw OverflowError(__FILE__, __LINE__,
                                std::string(name_of_sa) + ": a prolongation with " + std::to_string(num_vectors) +
                                    " entries in each of " + std::to_string(nnz) + " rows (use int64)");
        }
        auto row_ptrs = array<I>::const_view(exec, size + 1, constants->get_const_row_ptrs()).copy_to_array();
        array<I> col_idxs{exec, nnz * num_vectors};
        array<V> values{exec, nnz * num_vectors};
        const auto coarse = share(matrix::Dense<V>::create(exec, dim<2>{num_aggregates_ * num_vectors, num_vectors}));
        kernels::multigrid::fill_vector_columns<I>(*exec, aggregates_.get_const_data(), size, num_vectors,
                                                   row_ptrs.get_data(), col_idxs.get_data());
        kernels::multigrid::orthonormalize<V, I>(*exec, rows_of_aggregates->get_const_row_ptrs(),
                                                 rows_of_aggregates->get_const_col_idxs(), num_aggregates_,
                                                 row_ptrs.get_const_data(), vectors, values.get_data(), *coarse);
        coarse_vectors_ = coarse;
        tentative_ = Csr::create(exec, dim<2>{size, num_aggregates_ * num_vectors}, std::move(values),
                                 std::move(col_idxs), std::move(row_ptrs));
    }

    /// Creates the filtered matrix, unless it is A. It also has the entries that are large for
    /// their row: where coefficients jump, an unknown of the smaller coefficient depends on its
    /// neighbours beyond the jump, which hardly depend on it.
    void filter(const Csr& a, Real threshold)
    {
        filtered_ = this->select_strong(a, scale_, threshold, true, sources_);
        if (filtered_) {
            factorization::detail::find_diagonal(*filtered_, filtered_diagonal_);
            this->update_filtered(a);
        }
    }

    /// Returns a matrix of the strong entries, whose values are not set; null if all are strong.
    std::unique_ptr<Csr> select_strong(const Csr& a, const array<Real>& scale, Real threshold, bool includes_row_strong,
                                       array<I>& sources)
    {
        const auto exec = a.get_executor();
        const auto nnz = a.get_num_stored_elements();
        const auto size = a.get_size()[0];
        array<I> targets{exec, nnz + 1};
        kernels::multigrid::mark_strong<V, I>(*exec, a, scale.get_const_data(), threshold, includes_row_strong,
                                              targets.get_data());
        size_type num_strong{};
        kernels::components::prefix_sum<I>(*exec, targets.get_data(), nnz + 1, num_strong);
        if (num_strong == nnz) {
            return nullptr;
        }
        array<I> row_ptrs{exec, size + 1};
        array<I> col_idxs{exec, num_strong};
        sources.resize_and_reset(num_strong);
        kernels::multigrid::select_entries<V, I>(*exec, a, targets.get_const_data(), row_ptrs.get_data(),
                                                 col_idxs.get_data(), sources.get_data());
        return Csr::create(exec, a.get_size(), array<V>{exec, num_strong}, std::move(col_idxs), std::move(row_ptrs));
    }

    void update_filtered(const Csr& a)
    {
        if (!filtered_) {
            return;
        }
        const auto exec = a.get_executor();
        auto& work = workspace_.get();
        const auto column = dim<2>{a.get_size()[0], 1};
        const auto ones = work.dense<V>("ones", exec, column);
        const auto a_sums = work.dense<V>("row sums of A", exec, column);
        const auto filtered_sums = work.dense<V>("row sums of A_F", exec, column);
        kernels::csr::gather_values<V, I>(*exec, a.get_const_values(), sources_.get_const_data(), sources_.get_size(),
                                          filtered_->get_values());
        ones->fill(one<V>());
        a.apply(ones, a_sums);
        filtered_->apply(ones, filtered_sums);
        kernels::multigrid::lump_dropped<V, I>(*exec, *a_sums, *filtered_sums, filtered_diagonal_.get_const_data(),
                                               *filtered_);
    }

    void aggregate(const Csr& graph, const array<Real>& scale)
    {
        const auto size = graph.get_size()[0];
        const auto num_entries = static_cast<double>(graph.get_num_stored_elements());
        const auto mean_neighbors = num_entries / std::max(1.0, static_cast<double>(size)) - 1;
        const auto is_one_phase =
            mean_neighbors > min_neighbors_for_one_phase && mean_neighbors < max_neighbors_for_one_phase;
        auto found = graph::aggregate_rows(graph, scale, !is_one_phase);
        aggregates_ = std::move(found.aggregates);
        num_aggregates_ = found.num_aggregates;
    }

    void create_smoothing_matrix(const Csr& a)
    {
        const auto exec = a.get_executor();
        const auto& f = this->get_filtered(a);
        const auto nnz = f.get_num_stored_elements();
        smoothing_matrix_ =
            Csr::create(exec, f.get_size(), array<V>{exec, nnz},
                        array<I>::const_view(exec, nnz, f.get_const_col_idxs()).copy_to_array(),
                        array<I>::const_view(exec, f.get_size()[0] + 1, f.get_const_row_ptrs()).copy_to_array());
    }

    void compute_smoothing_matrix(const Csr& a)
    {
        const auto& f = this->get_filtered(a);
        const auto& diagonal = filtered_ ? filtered_diagonal_ : diagonal_;
        const auto exec = a.get_executor();
        *spectrum_ = detail::estimate_spectrum(a, scale_, workspace_);
        const auto omega = spectrum_->radius > 0 ? 4 / (3 * spectrum_->radius) : 0.0;
        kernels::multigrid::compute_smoothing_matrix<V, I>(*exec, f, diagonal.get_const_data(),
                                                           static_cast<Real>(omega), smoothing_matrix_->get_values());
    }

    const Csr& get_filtered(const Csr& a) const { return filtered_ ? *filtered_ : a; }

    array<I> diagonal_;              ///< the diagonal entries of A
    array<Real> scale_;              ///< 1 / sqrt(|a_ii|)
    std::unique_ptr<Csr> filtered_;  ///< A_F; null if it is A
    array<I> sources_;               ///< the entry of A for each entry of A_F
    array<I> filtered_diagonal_;     ///< the diagonal entries of A_F
    array<I> found_row_;             ///< one element
    array<I> aggregates_;
    size_type num_aggregates_{};
    std::shared_ptr<const matrix::Dense<V>> coarse_vectors_;
    std::unique_ptr<Csr> tentative_;         ///< T
    std::unique_ptr<Csr> smoothing_matrix_;  ///< I - omega D_F^-1 A_F
    typename Csr::multiply_reuse_info product_;
    std::shared_ptr<detail::spectrum> spectrum_{std::make_shared<detail::spectrum>()};  ///< of D^-1 A
    spruce::detail::Workspace workspace_;
};

void require_threshold(double threshold)
{
    if (!(threshold >= 0 && std::isfinite(threshold))) {
        std::ostringstream message;
        message << name_of_sa << ": strength_threshold " << threshold << " (it has to be finite and not negative)";
        throw OutOfBoundsError(__FILE__, __LINE__, message.str());
    }
}

/// Checks the vectors of the near-null space and the block size for a matrix with size rows.
template <typename V>
void require_vectors(const matrix::Dense<V>* vectors, size_type block_size, size_type size)
{
    if (block_size == 0) {
        throw OutOfBoundsError(__FILE__, __LINE__,
                               std::string(name_of_sa) + ": block_size 0 (it has to be at least 1)");
    }
    if (!vectors) {
        if (block_size != 1) {
            throw NotSupported(__FILE__, __LINE__, name_of_sa,
                               "block_size " + std::to_string(block_size) + " without near_null_space");
        }
        return;
    }
    if (vectors->get_size()[0] != size || vectors->get_size()[1] == 0) {
        throw DimensionMismatch(__FILE__, __LINE__, name_of_sa, "near_null_space", vectors->get_size()[0],
                                vectors->get_size()[1], "system_matrix", size, size,
                                "expected as many rows as the matrix has, and at least one column");
    }
    if (size % block_size != 0) {
        throw BadDimension(__FILE__, __LINE__, name_of_sa, "system_matrix", size, size,
                           "block_size " + std::to_string(block_size) + " does not divide its number of rows");
    }
    const auto exec = vectors->get_executor();
    const auto norms = matrix::Dense<remove_complex<V>>::create(exec, dim<2>{1, vectors->get_size()[1]});
    vectors->compute_norm2(norms);
    const auto host = clone(exec->get_master(), norms);
    for (size_type col = 0; col < host->get_size()[1]; ++col) {
        if (!is_finite(host->at(0, col))) {
            throw InvalidStateError(
                __FILE__, __LINE__, name_of_sa,
                "column " + std::to_string(col) + " of near_null_space has an entry that is not finite");
        }
    }
}

/// Moves the mean of each column to zero.
template <typename Real>
void subtract_means(matrix::Dense<Real>& points)
{
    for (size_type c = 0; c < points.get_size()[1]; ++c) {
        double sum{};
        for (size_type row = 0; row < points.get_size()[0]; ++row) {
            sum += static_cast<double>(points.at(row, c));
        }
        const auto mean = sum / static_cast<double>(points.get_size()[0]);
        for (size_type row = 0; row < points.get_size()[0]; ++row) {
            points.at(row, c) = static_cast<Real>(static_cast<double>(points.at(row, c)) - mean);
        }
    }
}

}  // namespace

template <typename V, typename I>
Sa<V, I>::Sa(std::shared_ptr<const Executor> exec) : Base(exec), aggregates_{exec}
{}

template <typename V, typename I>
Sa<V, I>::Sa(const Factory* factory, std::shared_ptr<const LinOp> system_matrix)
    : Base(factory->get_executor()), parameters_{factory->get_parameters()}, aggregates_{factory->get_executor()}
{
    require_threshold(parameters_.strength_threshold);
    const auto exec = this->get_executor();
    const auto a = detail::sorted_csr<V, I>(exec, system_matrix, parameters_.skip_sorting, name_of_sa);
    const auto& given = parameters_.near_null_space;
    require_vectors(given.get(), parameters_.block_size, a.sorted->get_size()[0]);
    const auto vectors = given ? solver::detail::on_executor(exec, given) : nullptr;
    const auto prolongation = std::make_shared<SmoothedProlongation<V, I>>(*a.sorted, parameters_.strength_threshold,
                                                                           vectors.get(), parameters_.block_size);
    aggregates_ = prolongation->take_aggregates();
    coarse_vectors_ = prolongation->get_coarse_vectors();
    auto p = prolongation->create(*a.sorted);
    this->compute_galerkin(
        name_of_sa, std::move(system_matrix), a, std::move(p),
        [prolongation](const matrix_type& a, matrix_type& p) { prolongation->update(a, p); },
        prolongation->get_spectrum(), coarse_vectors_ ? coarse_vectors_->get_size()[1] : 1);
}

template <typename V, typename I>
std::shared_ptr<const LinOpFactory> Sa<V, I>::get_next_factory() const
{
    if (!coarse_vectors_) {
        return nullptr;
    }
    return Sa::build()
        .with_loggers(parameters_.loggers)
        .with_strength_threshold(parameters_.strength_threshold)
        .with_near_null_space(coarse_vectors_)
        .with_block_size(coarse_vectors_->get_size()[1])
        .on(this->get_executor());
}

template <typename V>
std::unique_ptr<matrix::Dense<V>> create_rigid_body_modes(const matrix::Dense<remove_complex<V>>& coordinates)
{
    const auto num_directions = coordinates.get_size()[1];
    const auto num_nodes = coordinates.get_size()[0];
    if (num_directions != 2 && num_directions != 3) {
        throw DimensionMismatch(__FILE__, __LINE__, "create_rigid_body_modes", "coordinates", num_nodes, num_directions,
                                "expected", num_nodes, 3, "expected two or three coordinates");
    }
    const auto exec = coordinates.get_executor();
    const auto host = clone(exec->get_master(), &coordinates);
    subtract_means(*host);
    const auto num_rotations = num_directions == 2 ? size_type{1} : size_type{3};
    const auto modes = matrix::Dense<V>::create(exec->get_master(),
                                                dim<2>{num_nodes * num_directions, num_directions + num_rotations});
    modes->fill(zero<V>());
    for (size_type node = 0; node < num_nodes; ++node) {
        const auto row = node * num_directions;
        for (size_type c = 0; c < num_directions; ++c) {
            modes->at(row + c, c) = one<V>();
        }
        // Rotation r is in the plane of directions c and d.
        for (size_type r = 0; r < num_rotations; ++r) {
            const auto c = r == 2 ? size_type{1} : size_type{0};
            const auto d = r == 0 ? size_type{1} : size_type{2};
            modes->at(row + c, num_directions + r) = -host->at(node, d);
            modes->at(row + d, num_directions + r) = host->at(node, c);
        }
    }
    return clone(exec, modes);
}

SPRUCE_DEFINE_FACTORY((template <typename V, typename I>), Sa<V, I>);

#define SPRUCE_SA(_value, _index) class SPRUCE_EXPORT Sa<_value, _index>
SPRUCE_INSTANTIATE_FOR_EACH_BUILT_VALUE_AND_INDEX_TYPE(SPRUCE_SA);
#define SPRUCE_RIGID_BODY_MODES(_value)                                           \
    SPRUCE_EXPORT std::unique_ptr<matrix::Dense<_value>> create_rigid_body_modes( \
        const matrix::Dense<remove_complex<_value>>&)
SPRUCE_INSTANTIATE_FOR_EACH_VALUE_TYPE(SPRUCE_RIGID_BODY_MODES);

}  // namespace spruce::multigrid
