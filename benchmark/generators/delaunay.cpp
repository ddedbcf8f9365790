// SPDX-FileCopyrightText: 2026 The Spruce authors
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/generators/delaunay.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace spruce::bench {
namespace {

__extension__ using int128 = __int128;

template <typename T>
int sign(T value)
{
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// Returns the coordinates relative to an origin.
template <int D>
point<D> difference(const point<D>& a, const point<D>& origin)
{
    point<D> result;
    for (int d = 0; d < D; ++d) {
        result[d] = a[d] - origin[d];
    }
    return result;
}

int64 determinant(const point<2>& a, const point<2>& b) { return a[0] * b[1] - a[1] * b[0]; }

// By Hadamard's inequality, the result and all intermediate sums are at most 2^62.4.
int64 determinant(const point<3>& a, const point<3>& b, const point<3>& c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

template <int D>
int64 squared_length(const point<D>& a)
{
    int64 sum = 0;
    for (const auto x : a) {
        sum += x * x;
    }
    return sum;
}

/// Returns the sign of the simplex's volume.
int orientation(const std::array<point<2>, 3>& v)
{
    return sign(determinant(difference<2>(v[0], v[2]), difference<2>(v[1], v[2])));
}

int orientation(const std::array<point<3>, 4>& v)
{
    return sign(determinant(difference<3>(v[0], v[3]), difference<3>(v[1], v[3]), difference<3>(v[2], v[3])));
}

/// Returns true if p lies strictly inside the circumsphere of the positively oriented simplex v.
/// The predicate is that of Shewchuk 1997, with integers.
bool is_in_sphere(const std::array<point<2>, 3>& v, const point<2>& p)
{
    const auto a = difference<2>(v[0], p);
    const auto b = difference<2>(v[1], p);
    const auto c = difference<2>(v[2], p);
    return int128{squared_length<2>(a)} * determinant(b, c) + int128{squared_length<2>(b)} * determinant(c, a) +
               int128{squared_length<2>(c)} * determinant(a, b) >
           0;
}

bool is_in_sphere(const std::array<point<3>, 4>& v, const point<3>& p)
{
    const auto a = difference<3>(v[0], p);
    const auto b = difference<3>(v[1], p);
    const auto c = difference<3>(v[2], p);
    const auto d = difference<3>(v[3], p);
    return int128{squared_length<3>(d)} * determinant(a, b, c) - int128{squared_length<3>(c)} * determinant(d, a, b) +
               int128{squared_length<3>(b)} * determinant(c, d, a) -
               int128{squared_length<3>(a)} * determinant(b, c, d) >
           0;
}

/// Represents a triangulation of the whole space. Outside of the convex hull, simplices join a
/// facet of the hull to a vertex at infinity.
template <int D>
class triangulation {
public:
    explicit triangulation(std::vector<point<D>>& points) : points_{points}, random_{points.size()} {}

    /// Creates the first simplex from D + 1 points.
    void start(const std::array<int32, D + 1>& vertices)
    {
        simplex first{vertices, {}};
        while (orientation(this->corners(first)) == 0) {
            for (const auto vertex : vertices) {
                this->nudge(vertex);
            }
        }
        if (orientation(this->corners(first)) < 0) {
            std::swap(first.vertices[0], first.vertices[1]);
        }
        for (int i = 0; i <= D; ++i) {
            first.neighbours[i] = i + 1;
        }
        simplices_.push_back(first);
        // In outer simplex i, the vertex at infinity replaces vertex i. The simplex lies on the
        // other side of the facet, so two vertices are swapped to make its orientation positive.
        for (int i = 0; i <= D; ++i) {
            auto outer = first;
            outer.vertices[i] = infinity;
            for (int j = 0; j <= D; ++j) {
                outer.neighbours[j] = j == i ? 0 : j + 1;
            }
            const auto other = i == 0 ? 1 : 0;
            std::swap(outer.vertices[i], outer.vertices[other]);
            std::swap(outer.neighbours[i], outer.neighbours[other]);
            simplices_.push_back(outer);
        }
        visitor_.resize(simplices_.size());
    }

    void insert(int32 vertex)
    {
        while (!this->find_cavity(vertex)) {
            this->nudge(vertex);
        }
        this->fill_cavity(vertex);
    }

    std::vector<edge> edges() const
    {
        std::vector<bool> is_dead(simplices_.size());
        for (const auto index : free_) {
            is_dead[index] = true;
        }
        std::vector<edge> result;
        for (size_type index = 0; index < simplices_.size(); ++index) {
            const auto& s = simplices_[index];
            for (int i = 0; i <= D && !is_dead[index]; ++i) {
                for (int j = 0; j < i; ++j) {
                    if (s.vertices[i] != infinity && s.vertices[j] != infinity) {
                        result.push_back({s.vertices[i], s.vertices[j]});
                    }
                }
            }
        }
        return result;
    }

private:
    static constexpr int32 infinity = -1;

    struct simplex {
        std::array<int32, D + 1> vertices;    // positively oriented
        std::array<int32, D + 1> neighbours;  // the i-th opposite to vertex i
    };

    struct facet {
        int32 simplex;
        int index;  // of the opposite vertex
    };

    template <typename T>
    static int index_of(const std::array<T, D + 1>& values, T value)
    {
        return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
    }

    /// Returns the coordinates of the vertices, with the vertex at index replaced (none for -1).
    std::array<point<D>, D + 1> corners(const simplex& s, int index = -1, const point<D>& replacement = {}) const
    {
        std::array<point<D>, D + 1> result;
        for (int i = 0; i <= D; ++i) {
            result[i] = i == index ? replacement : points_[s.vertices[i]];
        }
        return result;
    }

    void nudge(int32 vertex)
    {
        for (auto& x : points_[vertex]) {
            x = (x & ~int64{7}) + random_.below(8);
        }
    }

    /// Searches for the simplex of p by a walk from the last simplex. Each step crosses a facet
    /// that separates the current simplex from p. In a Delaunay triangulation the walk ends
    /// (De Floriani et al. 1991).
    int32 locate(const point<D>& p) const
    {
        auto current = last_;
        while (true) {
            const auto& s = simplices_[current];
            if (index_of(s.vertices, infinity) <= D) {
                return current;
            }
            int i = 0;
            while (i <= D && orientation(this->corners(s, i, p)) >= 0) {
                ++i;
            }
            if (i > D) {
                return current;
            }
            current = s.neighbours[i];
        }
    }

    bool is_in_conflict(const simplex& s, const point<D>& p) const
    {
        const auto outer = index_of(s.vertices, infinity);
        return outer <= D ? orientation(this->corners(s, outer, p)) > 0 : is_in_sphere(this->corners(s), p);
    }

    /// Finds the simplices whose circumsphere contains the vertex, and the facets that enclose
    /// them. Returns false if the vertex coincides with another or lies in the hyperplane of such a
    /// facet.
    bool find_cavity(int32 vertex)
    {
        const auto& p = points_[vertex];
        cavity_ = {this->locate(p)};
        border_.clear();
        ++visit_;
        if (!this->is_in_conflict(simplices_[cavity_[0]], p)) {
            return false;
        }
        visitor_[cavity_[0]] = visit_;
        for (size_type k = 0; k < cavity_.size(); ++k) {
            const auto current = cavity_[k];
            for (int i = 0; i <= D; ++i) {
                const auto& s = simplices_[current];
                const auto neighbour = s.neighbours[i];
                if (visitor_[neighbour] == visit_) {
                    continue;
                }
                if (this->is_in_conflict(simplices_[neighbour], p)) {
                    visitor_[neighbour] = visit_;
                    cavity_.push_back(neighbour);
                    continue;
                }
                border_.push_back({current, i});
                const auto outer = index_of(s.vertices, infinity);
                if ((outer > D || outer == i) && orientation(this->corners(s, i, p)) <= 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Replaces the cavity's simplices by those between the vertex and its border.
    void fill_cavity(int32 vertex)
    {
        created_.clear();
        for (const auto& [old, i] : border_) {
            auto s = simplices_[old];
            s.vertices[i] = vertex;
            const auto created = this->add(s);
            created_.push_back(created);
            auto& beyond = simplices_[s.neighbours[i]].neighbours;
            beyond[index_of(beyond, old)] = created;
            // A border facet of the removed simplex refers to the simplex that was created there.
            simplices_[old].neighbours[i] = ~created;
        }
        for (size_type k = 0; k < border_.size(); ++k) {
            const auto [old, i] = border_[k];
            for (int j = 0; j <= D; ++j) {
                if (j != i) {
                    simplices_[created_[k]].neighbours[j] = this->next_facet_around_ridge({old, j}, i);
                }
            }
        }
        free_.insert(free_.end(), cavity_.begin(), cavity_.end());
        for (const auto created : created_) {
            last_ = created;
            if (index_of(simplices_[created].vertices, infinity) > D) {
                break;
            }
        }
    }

    /// Visits the cavity's simplices around a ridge up to the next border facet. Returns the
    /// simplex that was created there. The ridge is shared by the facet leave, through which the
    /// walk starts, and the facet opposite to vertex opposite.
    int32 next_facet_around_ridge(facet leave, int opposite) const
    {
        auto next = simplices_[leave.simplex].neighbours[leave.index];
        while (next >= 0) {
            const auto opposite_vertex = simplices_[leave.simplex].vertices[opposite];
            opposite = index_of(simplices_[next].neighbours, leave.simplex);
            leave = {next, index_of(simplices_[next].vertices, opposite_vertex)};
            next = simplices_[leave.simplex].neighbours[leave.index];
        }
        return ~next;
    }

    int32 add(const simplex& s)
    {
        if (free_.empty()) {
            simplices_.push_back(s);
            visitor_.push_back(0);
            return static_cast<int32>(simplices_.size()) - 1;
        }
        const auto index = free_.back();
        free_.pop_back();
        simplices_[index] = s;
        return index;
    }

    std::vector<point<D>>& points_;
    random_stream random_;
    std::vector<simplex> simplices_;
    std::vector<int64> visitor_;  // the last visit of each simplex as part of a cavity
    int64 visit_{};
    int32 last_{};
    std::vector<int32> free_;  // positions of removed simplices
    std::vector<int32> cavity_;
    std::vector<facet> border_;
    std::vector<int32> created_;
};

}  // namespace

template <int D>
std::vector<point<D>> random_points(int64 count, uint64 seed)
{
    random_stream random{seed};
    std::vector<point<D>> points(count);
    for (auto& p : points) {
        for (auto& x : p) {
            x = static_cast<int64>(random.bits() >> (64 - coordinate_bits<D>));
        }
    }
    return points;
}

template <int D>
std::vector<int32> morton_order(const std::vector<point<D>>& points)
{
    std::vector<std::pair<uint64, int32>> keys(points.size());
    for (size_type i = 0; i < points.size(); ++i) {
        uint64 key = 0;
        for (int bit = coordinate_bits<D> - 1; bit >= 0; --bit) {
            for (const auto x : points[i]) {
                key = 2 * key + static_cast<uint64>((x >> bit) & 1);
            }
        }
        keys[i] = {key, static_cast<int32>(i)};
    }
    std::sort(keys.begin(), keys.end());
    std::vector<int32> order(points.size());
    for (size_type i = 0; i < points.size(); ++i) {
        order[i] = keys[i].second;
    }
    return order;
}

template <int D>
std::vector<edge> delaunay_edges(std::vector<point<D>>& points)
{
    // The points are sorted, so that walks are short. Rounds that double the number of points keep
    // the cavities small, too (Amenta, Choi and Rote 2003).
    const auto order = morton_order<D>(points);
    const auto num_points = static_cast<int64>(points.size());
    std::vector<uint8> round_of(num_points);
    uint8 num_rounds = 1;
    for (auto end = num_points; end > 1000; end /= 2, ++num_rounds) {
        std::fill(round_of.begin(), round_of.begin() + end / 2, num_rounds);
    }
    std::vector<int32> sequence;
    sequence.reserve(num_points);
    for (int round = num_rounds - 1; round >= 0; --round) {
        std::copy_if(order.begin(), order.end(), std::back_inserter(sequence),
                     [&](int32 i) { return round_of[i] == round; });
    }
    std::array<int32, D + 1> first;
    std::copy_n(sequence.begin(), D + 1, first.begin());
    triangulation<D> mesh{points};
    mesh.start(first);
    std::for_each(sequence.begin() + D + 1, sequence.end(), [&](int32 vertex) { mesh.insert(vertex); });
    return mesh.edges();
}

template std::vector<point<2>> random_points<2>(int64, uint64);
template std::vector<point<3>> random_points<3>(int64, uint64);
template std::vector<int32> morton_order<2>(const std::vector<point<2>>&);
template std::vector<int32> morton_order<3>(const std::vector<point<3>>&);
template std::vector<edge> delaunay_edges<2>(std::vector<point<2>>&);
template std::vector<edge> delaunay_edges<3>(std::vector<point<3>>&);

}  // namespace spruce::bench
