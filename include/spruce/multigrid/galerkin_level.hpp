// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <functional>
#include <memory>

#include <spruce/base/lin_op.hpp>
#include <spruce/base/refreshable.hpp>
#include <spruce/matrix/csr.hpp>
#include <spruce/multigrid/multigrid_level.hpp>

namespace spruce {
namespace multigrid {
namespace detail {

template <typename ValueType, typename IndexType>
struct level_matrix;
struct spectrum;

/// Holds a level with the restriction R = P^H and the coarse matrix A_c = R A P. apply() computes
/// x = P A_c R b.
template <typename ValueType, typename IndexType>
class SPRUCE_EXPORT GalerkinLevel : public EnableLinOp<GalerkinLevel<ValueType, IndexType>>,
                                    public EnableMultigridLevel<ValueType>,
                                    public Refreshable {
    friend class EnablePolymorphicObject<GalerkinLevel, LinOp>;
    using Base = EnableLinOp<GalerkinLevel>;

public:
    using value_type = ValueType;
    using index_type = IndexType;
    using matrix_type = matrix::Csr<ValueType, IndexType>;

    /// Recomputes P, R and A_c in place for a matrix with the pattern of A, in the patterns that
    /// generate() found. The matrix becomes the fine operator. On CPUs it allocates nothing if the
    /// matrix is a sorted Csr of these types on the executor of this object and, for Sa, if A is
    /// Hermitian. GPUs allocate the workspace of sparse products.
    /// @throws UnsupportedMatrixProperty  with the row, if the pattern differs
    /// @throws InvalidStateError  by Sa, as its generate(). Pgm and FixedCoarsening do not check
    ///         values.
    /// @throws NotSupported  if the matrix is null, or this object is empty or was copied from
    ///         another executor
    void refresh(std::shared_ptr<const LinOp> matrix) override;
    bool can_be_refreshed() const override;
    bool shares_memory_with(const memory_extent& memory) const noexcept override;

    /// Returns what is known of the eigenvalues of D^-1 A, for the smoother, or null. refresh()
    /// changes it.
    std::shared_ptr<const spectrum> get_spectrum() const;

    /// Copies share P, R and A_c if they are on the same executor, but not the fine operator:
    /// refresh() of one changes the three of all.
    GalerkinLevel(const GalerkinLevel& other);
    GalerkinLevel(GalerkinLevel&& other);
    GalerkinLevel& operator=(const GalerkinLevel& other);
    GalerkinLevel& operator=(GalerkinLevel&& other);
    ~GalerkinLevel() override;

protected:
    /// Recomputes the values of P for other values of A. Throws before it changes P.
    using prolongation_update = std::function<void(const matrix_type& a, matrix_type& p)>;

    explicit GalerkinLevel(std::shared_ptr<const Executor> exec);

    /// Computes R and A_c.
    /// @param name    of the class in messages
    /// @param fine    A in its own format
    /// @param a       A as sorted Csr on the executor of this object
    /// @param p       n x m, on the same executor
    /// @param update  null: P does not depend on the values of A
    /// @param eigenvalues  of D^-1 A, which update changes; null if they are not known
    /// @param num_vectors  unknowns at a coarse node, among which the diagonal of A_c is completed
    ///                     where P^H A P is zero; 0: it is not completed
    void compute_galerkin(const char* name, std::shared_ptr<const LinOp> fine,
                          const level_matrix<ValueType, IndexType>& a, std::unique_ptr<matrix_type> p,
                          prolongation_update update, std::shared_ptr<const spectrum> eigenvalues = nullptr,
                          size_type num_vectors = 0);

    void apply_impl(const LinOp* b, LinOp* x) const override;
    void apply_impl(const LinOp* alpha, const LinOp* b, const LinOp* beta, LinOp* x) const override;

private:
    struct data;

    std::shared_ptr<data> data_;
    std::shared_ptr<const LinOp> product_;  ///< P A_c R
};

}  // namespace detail
}  // namespace multigrid
}  // namespace spruce
