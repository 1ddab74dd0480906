#include "delta/table_image.h"

#include <algorithm>

namespace fardel {

TableImage::TableImage(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes,
                       Trailer trailer) noexcept
    : parts_{{{0, 2 * std::uint64_t{limits::kHeadBytes}},
              {layout.manifest_offset, head.manifest_bytes},
              {layout.layout_offset, layout.layout_bytes},
              {layout.trailer_offset, trailer == Trailer::present ? file_bytes - layout.trailer_offset : 0}}} {}

std::uint64_t TableImage::size_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const Part& part : parts_)
        bytes += part.length_bytes;
    return bytes;
}

Status TableImage::read(const ByteSource& file, std::uint64_t offset, std::span<std::byte> out) const {
    // scatter() knows where the bytes are; what it passes on is this memory.
    return scatter(offset, out, [&](std::uint64_t file_offset, std::span<const std::byte> part) {
        return file.read_at(file_offset, out.subspan(static_cast<std::size_t>(part.data() - out.data()), part.size()));
    });
}

Status TableImage::scatter(std::uint64_t offset, std::span<const std::byte> bytes,
                           const std::function<Status(std::uint64_t, std::span<const std::byte>)>& place) const {
    for (const Part& part : parts_) {
        if (offset >= part.length_bytes) {
            offset -= part.length_bytes;
            continue;
        }
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part.length_bytes - offset, bytes.size()));
        if (count != 0)
            FARDEL_TRY(place(part.offset + offset, bytes.first(count)));
        bytes = bytes.subspan(count);
        offset = 0;
    }
    return bytes.empty() ? ok() : Error(ErrorCode::malformed, "more bytes than the tables have");
}

}  // namespace fardel
