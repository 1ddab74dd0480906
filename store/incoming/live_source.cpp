#include "incoming/live_source.h"

#include <fardel/base/fits.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace fardel {

LiveSource::LiveSource(std::string subject, std::uint64_t file_bytes)
    : subject_(std::move(subject)), file_bytes_(file_bytes) {}

void LiveSource::add(std::uint64_t offset, std::uint64_t length_bytes, std::shared_ptr<const ByteSource> pack,
                     std::uint64_t pack_offset) {
    const std::unique_lock lock(mutex_);
    if (const auto after = parts_.lower_bound(offset); after != parts_.begin()) {
        Part& before = std::prev(after)->second;
        if (std::prev(after)->first + before.length_bytes == offset && before.pack == pack &&
            before.pack_offset + before.length_bytes == pack_offset) {
            before.length_bytes += length_bytes;
            return;
        }
    }
    parts_.emplace(offset, Part{length_bytes, std::move(pack), pack_offset});
}

void LiveSource::clear() {
    const std::unique_lock lock(mutex_);
    parts_.clear();
}

Status LiveSource::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        const auto part = find(offset);
        if (!part)
            return Error(ErrorCode::missing,
                         subject_ + ": the bytes at offset " + std::to_string(offset) + " are not here");
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part->length_bytes, out.size()));
        FARDEL_TRY(part->pack->read_at(part->pack_offset, out.first(count)));
        out = out.subspan(count);
        offset += count;
    }
    return ok();
}

bool LiveSource::holds(std::uint64_t offset, std::uint64_t length) const {
    if (!fits(offset, length, file_bytes_))
        return false;
    for (const std::uint64_t end = offset + length; offset < end;) {
        const auto part = find(offset);
        if (!part)
            return false;
        offset += part->length_bytes;
    }
    return true;
}

std::optional<LiveSource::Part> LiveSource::find(std::uint64_t offset) const {
    const std::shared_lock lock(mutex_);
    const auto after = parts_.upper_bound(offset);
    if (after == parts_.begin())
        return std::nullopt;
    const auto& [start, part] = *std::prev(after);
    const std::uint64_t skipped = offset - start;
    if (skipped >= part.length_bytes)
        return std::nullopt;
    return Part{part.length_bytes - skipped, part.pack, part.pack_offset + skipped};
}

}  // namespace fardel
