#include "open_blobs.h"

#include <fardel/base/fits.h>
#include <fardel/format/unpacked_bundle.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

Error changed(const PlannedBlob& blob) {
    return Error(ErrorCode::conflict, blob.key.text() + ": has not the size that it had when it was hashed");
}

Result<std::vector<std::byte>> read_whole(const PlannedBlob& blob) {
    if (blob.size_bytes > kStreamedBlobBytesMax)
        return Error(ErrorCode::limit, blob.key.text() + ": " + std::to_string(blob.size_bytes) +
                                           " bytes in an archive that can only be read from the start, more than " +
                                           std::to_string(kStreamedBlobBytesMax) + "; pack it into a bundle");
    FARDEL_TRY_ASSIGN(const auto stream, blob.source->open());
    std::vector<std::byte> bytes(in_memory(blob.size_bytes + 1));
    FARDEL_TRY_ASSIGN(const std::size_t size, read_full(*stream, bytes));
    if (size != blob.size_bytes)
        return changed(blob);
    bytes.resize(size);
    return bytes;
}

}  // namespace

Status OpenBlobs::read_at(std::uint32_t blob, std::uint64_t offset, std::span<std::byte> out) const {
    std::shared_ptr<const ByteSource> bytes = find(blob);
    if (!bytes) {
        FARDEL_TRY_ASSIGN(Open opened, open(blob));
        bytes = opened.bytes;
        add(std::move(opened));
    }
    return bytes->read_at(offset, out);
}

std::shared_ptr<const ByteSource> OpenBlobs::find(std::uint32_t blob) const {
    const std::scoped_lock lock(mutex_);
    const auto at = std::ranges::find(by_use_, blob, &Open::blob);
    if (at == by_use_.end())
        return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, at);
    return at->bytes;
}

Result<OpenBlobs::Open> OpenBlobs::open(std::uint32_t blob) const {
    const PlannedBlob& planned = blobs_[blob];
    FARDEL_TRY_ASSIGN(auto bytes, planned.source->open_bytes());
    if (bytes) {
        if (bytes->size_bytes() != planned.size_bytes)
            return changed(planned);
        return Open{.blob = blob, .memory_bytes = 0, .bytes = std::move(bytes)};
    }
    FARDEL_TRY_ASSIGN(std::vector<std::byte> whole, read_whole(planned));
    return Open{.blob = blob, .memory_bytes = planned.size_bytes, .bytes = make_memory_source(std::move(whole))};
}

void OpenBlobs::add(Open open) const {
    std::list<Open> leaving;  // closed after the lock is released
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(by_use_, open.blob, &Open::blob) != by_use_.end())
        return;
    memory_bytes_ += open.memory_bytes;
    by_use_.push_front(std::move(open));
    while (by_use_.size() > 1 && (by_use_.size() > kOpenMax || memory_bytes_ > kMemoryBytesMax)) {
        memory_bytes_ -= by_use_.back().memory_bytes;
        leaving.splice(leaving.begin(), by_use_, std::prev(by_use_.end()));
    }
}

}  // namespace fardel
