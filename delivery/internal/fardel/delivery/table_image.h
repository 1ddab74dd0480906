// TableImage: what a difference between the tables of two bundles is made from, as bytes in one row: heads, tables,
// trailer. A value; it reads nothing by itself.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fardel {

class TableImage {
public:
    // `derived`: whether the image has what derive_tables() gives. `trailer`: whether it ends with the trailer, which
    // is not bound to the bundle's ids. The heads have passed verify_sections().
    enum class Derived : bool { absent, present };
    enum class Trailer : bool { absent, present };
    TableImage(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes, Derived derived,
               Trailer trailer);

    struct Table {
        TableKind kind{};
        std::uint64_t offset = 0;  // in the image
        std::uint64_t length_bytes = 0;
    };

    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    std::span<const Table> tables() const noexcept { return tables_; }  // in the order of the image
    // Returns the offset in this image that probably resembles `offset` in the image of another version of the bundle:
    // as far in the same table, else as far in the image.
    std::uint64_t counterpart(const TableImage& other, std::uint64_t offset) const noexcept;
    // Fills `out` with the image's bytes from `offset` on, which the image has.
    Status read(const ByteSource& file, std::uint64_t offset, std::span<std::byte> out) const;
    // Calls `place` with the file offset of each part of `bytes`, which are the image's from `offset` on.
    Status scatter(std::uint64_t offset, std::span<const std::byte> bytes,
                   const std::function<Status(std::uint64_t file_offset, std::span<const std::byte>)>& place) const;

private:
    struct Part {
        std::uint64_t offset = 0;  // in the file
        std::uint64_t length_bytes = 0;
    };
    void add_tables(std::span<const TableEntry> entries, const Part& section, Derived derived);
    void add_part(const Part& part);

    std::uint64_t size_bytes_ = 0;
    std::vector<Part> parts_;
    std::vector<Table> tables_;
};

// What a delta refers to, and what it gives.
TableImage old_tables_of(const Bundle& old);
TableImage new_tables_of(const Bundle& target);
TableImage new_tables_of(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes);

}  // namespace fardel
