// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <vector>

#include <spruce/base/types.hpp>

namespace spruce::bench {

enum class stencil_shape { star, box };

/// Describes a grid and the coupling of a point to neighbours within distance one. The coordinate x
/// runs fastest.
class grid_stencil {
public:
    using triple = std::array<int64, 3>;

    /// @param size  2 or 3 numbers
    grid_stencil(const std::vector<int64>& size, stencil_shape shape) : size_{size[0], size[1], 1}
    {
        const int64 depth = size.size() == 3 ? 1 : 0;
        if (depth > 0) {
            size_[2] = size[2];
        }
        for (int64 z = -depth; z <= depth; ++z) {
            for (int64 y = -1; y <= 1; ++y) {
                for (int64 x = -1; x <= 1; ++x) {
                    if (shape == stencil_shape::box || x * x + y * y + z * z <= 1) {
                        offsets_.push_back({x, y, z});
                    }
                }
            }
        }
    }

    const triple& size() const { return size_; }
    /// Returns the offsets in the order of their columns. The point itself is included.
    const std::vector<triple>& offsets() const { return offsets_; }
    /// Returns the number of points as double, because it may exceed integers before the parameters
    /// are checked.
    double num_points() const { return static_cast<double>(size_[0]) * size_[1] * size_[2]; }
    double num_entries() const
    {
        double sum = 0;
        for (const auto& offset : offsets_) {
            double product = 1;
            for (int d = 0; d < 3; ++d) {
                product *= static_cast<double>(size_[d] - (offset[d] != 0));
            }
            sum += product;
        }
        return sum;
    }

    template <typename Use>
    void for_each_point(Use&& use) const
    {
        triple point;
        for (point[2] = 0; point[2] < size_[2]; ++point[2]) {
            for (point[1] = 0; point[1] < size_[1]; ++point[1]) {
                for (point[0] = 0; point[0] < size_[0]; ++point[0]) {
                    use(point);
                }
            }
        }
    }

    int64 index(const triple& point) const { return (point[2] * size_[1] + point[1]) * size_[0] + point[0]; }
    triple neighbour(const triple& point, size_type k) const
    {
        return {point[0] + offsets_[k][0], point[1] + offsets_[k][1], point[2] + offsets_[k][2]};
    }
    bool contains(const triple& point) const
    {
        // The conversion turns a negative coordinate into a huge unsigned one.
        return static_cast<uint64>(point[0]) < static_cast<uint64>(size_[0]) &&
               static_cast<uint64>(point[1]) < static_cast<uint64>(size_[1]) &&
               static_cast<uint64>(point[2]) < static_cast<uint64>(size_[2]);
    }
    /// Calls use(column, k) for each stencil offset k that stays inside the grid.
    template <typename Use>
    void for_each_neighbour(const triple& point, Use&& use) const
    {
        for (size_type k = 0; k < offsets_.size(); ++k) {
            const auto other = this->neighbour(point, k);
            if (this->contains(other)) {
                use(this->index(other), k);
            }
        }
    }

private:
    triple size_;
    std::vector<triple> offsets_;
};

}  // namespace spruce::bench
