// TableImage: everything of a bundle file except its blocks, as bytes in one row: heads, manifest, layout, trailer.
//
// For differences between the tables of two bundles. A value; it reads nothing by itself.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace fardel {

class TableImage {
public:
    // `trailer`: whether the image ends with the trailer, which is not bound to the bundle's ids. The heads have passed
    // verify_sections().
    enum class Trailer : bool { absent, present };
    TableImage(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes, Trailer trailer) noexcept;

    std::uint64_t size_bytes() const noexcept;
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
    std::array<Part, 4> parts_;
};

}  // namespace fardel
