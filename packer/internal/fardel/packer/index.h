// Index types: positions in lists; a position in one kind of list cannot be used for another.
//
// Each is a scoped enumeration over std::uint32_t, as AssetIndex of manifest.h is. An IndexedList is a vector that
// accepts only its own index type.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace fardel {

enum class ProcessorIndex : std::uint32_t {};   // Project::processors
enum class FileIndex : std::uint32_t {};        // JobGraph::files
enum class JobIndex : std::uint32_t {};         // JobGraph::jobs
enum class DefinitionIndex : std::uint32_t {};  // ResolveIndex::definitions

template <class Index>
concept IndexType = std::is_enum_v<Index> && std::same_as<std::underlying_type_t<Index>, std::uint32_t> &&
    !std::is_convertible_v<Index, std::uint32_t>;

constexpr std::size_t position_of(IndexType auto index) noexcept { return static_cast<std::size_t>(index); }

template <IndexType Index>
constexpr Index& operator++(Index& index) noexcept {
    return index = Index{static_cast<std::uint32_t>(index) + 1};
}

template <class Item, IndexType Index>
class IndexedList {
public:
    IndexedList() = default;
    explicit IndexedList(std::size_t count) : items_(count) {}
    explicit IndexedList(std::vector<Item> items) : items_(std::move(items)) {}

    Item& operator[](Index index) { return items_[position_of(index)]; }
    const Item& operator[](Index index) const { return items_[position_of(index)]; }

    // Returns the index that the next added item will have.
    Index end_index() const noexcept { return Index{static_cast<std::uint32_t>(items_.size())}; }
    Index add(Item item) {
        const Index index = end_index();
        items_.push_back(std::move(item));
        return index;
    }

    std::size_t size() const noexcept { return items_.size(); }
    bool empty() const noexcept { return items_.empty(); }
    void resize(std::size_t count) { items_.resize(count); }
    void reserve(std::size_t count) { items_.reserve(count); }
    auto begin() noexcept { return items_.begin(); }
    auto end() noexcept { return items_.end(); }
    auto begin() const noexcept { return items_.begin(); }
    auto end() const noexcept { return items_.end(); }

private:
    std::vector<Item> items_;
};

}  // namespace fardel
