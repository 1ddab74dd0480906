// TableImage: the tables of a bundle as bytes in one row: heads, manifest, layout, trailer. The tables of another
// bundle are described as a difference from them. A value; it reads nothing by itself.
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
    TableImage() = default;  // of no bundle: no bytes
    // The heads have passed verify_sections(). `end`: that of the file, or the trailer's offset, which leaves it out.
    TableImage(const BundleHead& head, const LayoutHead& layout, std::uint64_t end);

    std::uint64_t size_bytes() const noexcept { return size_bytes_; }
    // Returns the offset in this image that probably resembles `offset` in the image of another version of the bundle:
    // as far in the same table, else as far in the image.
    std::uint64_t counterpart(const TableImage& other, std::uint64_t offset) const noexcept;
    bool is_held_by(const ByteSource& file) const;
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
    struct Table {
        TableKind kind{};
        std::uint64_t offset = 0;        // in the image
        std::uint64_t length_bytes = 0;  // with its page tree
    };
    void add_section(std::span<const TableEntry> entries, const Part& section);
    void add_part(const Part& part);

    std::uint64_t size_bytes_ = 0;
    std::vector<Part> parts_;
    std::vector<Table> tables_;
};

// What a delta refers to: without the trailer, which is not bound to the ids of the bundle.
TableImage old_tables_of(const Bundle& old);
// What it gives.
TableImage new_tables_of(const Bundle& target);

}  // namespace fardel
