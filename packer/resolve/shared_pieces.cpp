#include "shared_pieces.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// If there are more pieces, neighbours are joined first, because the cost of all pairs is computed.
constexpr std::size_t kPartsMax = 512;
// A cost counts at most so many bytes per part: with 2^20 roots it stays below 2^60.
constexpr std::uint64_t kCountedBytesMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

class Bits {
public:
    explicit Bits(std::size_t count) : words_((count + 63) / 64) {}
    void set(std::size_t at) { words_[at / 64] |= std::uint64_t{1} << (at % 64); }
    void clear(std::size_t at) { words_[at / 64] &= ~(std::uint64_t{1} << (at % 64)); }
    bool test(std::size_t at) const { return (words_[at / 64] >> (at % 64) & 1) != 0; }
    void add(const Bits& other) {
        for (std::size_t i = 0; i < words_.size(); ++i)
            words_[i] |= other.words_[i];
    }
    std::uint64_t count() const { return count_with(*this); }
    std::uint64_t count_with(const Bits& other) const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < words_.size(); ++i)
            sum += static_cast<std::uint64_t>(std::popcount(words_[i] | other.words_[i]));
        return sum;
    }
    bool meets(const Bits& other) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            if ((words_[i] & other.words_[i]) != 0)
                return true;
        return false;
    }

private:
    std::vector<std::uint64_t> words_;
};

struct Part {
    std::vector<std::uint32_t> pieces;
    std::uint64_t size_bytes = 0;
    Bits roots;           // that load the part: they use it, or a part above it
    Bits below;           // parts that it uses, directly or indirectly
    Bits above;           // parts that use it, directly or indirectly
    bool joined = false;  // into another part
};

std::uint64_t cost(std::uint64_t roots, std::uint64_t size_bytes) {
    return roots * std::min(size_bytes, kCountedBytesMax);
}

class Join {
public:
    explicit Join(std::span<const SharedPiece> pieces) {
        const std::size_t pieces_each = (pieces.size() + kPartsMax - 1) / kPartsMax;
        count_ = pieces_each == 0 ? 0 : (pieces.size() + pieces_each - 1) / pieces_each;
        std::size_t roots = 0;
        for (const SharedPiece& piece : pieces)
            roots = piece.roots.empty() ? roots : std::max<std::size_t>(roots, piece.roots.back() + std::size_t{1});
        parts_.assign(count_, {.roots = Bits(roots), .below = Bits(count_), .above = Bits(count_)});
        for (std::uint32_t piece = 0; piece < pieces.size(); ++piece) {
            Part& part = parts_[piece / pieces_each];
            part.pieces.push_back(piece);
            part.size_bytes += pieces[piece].size_bytes;
            for (const std::uint32_t root : pieces[piece].roots)
                part.roots.set(root);
            for (const std::uint32_t used : pieces[piece].uses) {
                assert(used < piece);
                if (used / pieces_each != piece / pieces_each)
                    part.below.set(used / pieces_each);
            }
        }
        for (std::size_t part = 0; part < count_; ++part) {  // the parts below are complete already
            const Bits direct = parts_[part].below;
            for (std::size_t used = 0; used < part; ++used)
                if (direct.test(used))
                    parts_[part].below.add(parts_[used].below);
            for (std::size_t used = 0; used < part; ++used)
                if (parts_[part].below.test(used)) {
                    parts_[used].above.set(part);
                    parts_[used].roots.add(parts_[part].roots);
                }
        }
    }

    std::vector<std::vector<std::uint32_t>> run(std::size_t count_max, std::uint64_t bytes_max) && {
        costs_.assign(count_ * count_, kNever);
        for (std::size_t part = 0; part < count_; ++part)
            count_costs(part);
        std::size_t left = count_;
        for (; left > std::max<std::size_t>(count_max, 1); --left)
            join(*find_cheapest([](const Part&, const Part&) { return true; }));
        for (; left > 1; --left) {
            const auto pair = find_cheapest(
                [&](const Part& a, const Part& b) { return a.size_bytes <= bytes_max || b.size_bytes <= bytes_max; });
            if (!pair)
                break;
            join(*pair);
        }
        return in_order();
    }

private:
    using Pair = std::pair<std::size_t, std::size_t>;

    std::uint64_t& cost_of(std::size_t a, std::size_t b) { return costs_[std::min(a, b) * count_ + std::max(a, b)]; }

    void count_costs(std::size_t part) {
        const Part& a = parts_[part];
        for (std::size_t other = 0; other < count_; ++other) {
            const Part& b = parts_[other];
            if (other == part || b.joined)
                continue;
            const std::uint64_t apart = cost(a.roots.count(), a.size_bytes) + cost(b.roots.count(), b.size_bytes);
            cost_of(part, other) =
                std::max(cost(a.roots.count_with(b.roots), a.size_bytes + b.size_bytes), apart) - apart;
        }
    }

    // Joining a and b would create a cycle if a third part is above one of them and below the other.
    bool has_part_between(const Part& a, const Part& b) const {
        return a.below.meets(b.above) || b.below.meets(a.above);
    }

    // Returns the first of the pairs with the least cost. If any two parts may be joined, there always is such a pair:
    // neighbours in order have no part between them.
    template <class May>
    std::optional<Pair> find_cheapest(May may) {
        std::optional<Pair> best;
        std::uint64_t least = kNever;
        for (std::size_t a = 0; a < count_; ++a) {
            if (parts_[a].joined)
                continue;
            for (std::size_t b = a + 1; b < count_; ++b)
                if (!parts_[b].joined && (!best || costs_[a * count_ + b] < least) && may(parts_[a], parts_[b]) &&
                    !has_part_between(parts_[a], parts_[b])) {
                    best = {a, b};
                    least = costs_[a * count_ + b];
                }
        }
        return best;
    }

    // Joins the second part into the first.
    void join(Pair pair) {
        Part& into = parts_[pair.first];
        Part& from = parts_[pair.second];
        from.joined = true;
        into.pieces.insert(into.pieces.end(), from.pieces.begin(), from.pieces.end());
        into.size_bytes += from.size_bytes;
        into.roots.add(from.roots);
        into.below.add(from.below);
        into.above.add(from.above);
        // Both were below or above others, and perhaps each other: the joined part is neither of itself.
        for (Bits* const bits : {&into.below, &into.above}) {
            bits->clear(pair.first);
            bits->clear(pair.second);
        }
        for (std::size_t other = 0; other < count_; ++other) {
            Part& part = parts_[other];
            part.below.clear(pair.second);
            part.above.clear(pair.second);
            // What is above the joined part now reaches all that is below it, and passes its roots down.
            if (into.above.test(other)) {
                part.below.add(into.below);
                part.below.set(pair.first);
            }
            if (into.below.test(other)) {
                part.above.add(into.above);
                part.above.set(pair.first);
                part.roots.add(into.roots);
            }
        }
        count_costs(pair.first);
        for (std::size_t other = 0; other < count_; ++other)
            if (into.below.test(other))
                count_costs(other);
    }

    // Lists each part after those that it uses; of several possible parts the one with the first piece comes first.
    std::vector<std::vector<std::uint32_t>> in_order() {
        std::vector<std::vector<std::uint32_t>> out;
        std::vector<bool> listed(count_);
        for (bool more = true; more;) {
            more = false;
            for (std::size_t part = 0; part < count_; ++part) {
                if (parts_[part].joined || listed[part] || !is_ready(part, listed))
                    continue;
                listed[part] = true;
                more = true;
                std::ranges::sort(parts_[part].pieces);
                out.push_back(std::move(parts_[part].pieces));
                break;
            }
        }
        return out;
    }

    bool is_ready(std::size_t part, const std::vector<bool>& listed) const {
        for (std::size_t used = 0; used < count_; ++used)
            if (parts_[part].below.test(used) && !listed[used])
                return false;
        return true;
    }

    std::size_t count_ = 0;
    std::vector<Part> parts_;
    std::vector<std::uint64_t> costs_;  // additional cost of joining two parts; the smaller index selects the row
};

}  // namespace

std::vector<std::vector<std::uint32_t>> join_pieces(std::span<const SharedPiece> pieces, std::size_t count_max,
                                                    std::uint64_t bytes_max) {
    return Join(pieces).run(count_max, bytes_max);
}

}  // namespace fardel
