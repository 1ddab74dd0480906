#include "fetch/library_blocks.h"

#include <fardel/base/fits.h>
#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

namespace fardel {

const LibraryBlocks::Location* LibraryBlocks::locate(const Hash& stored_hash, std::uint32_t stored_bytes) {
    if (library_ == nullptr)
        return nullptr;
    read_layouts();
    const auto found = blocks_.find(stored_hash);
    return found != blocks_.end() && found->second.stored_bytes == stored_bytes ? &found->second : nullptr;
}

bool LibraryBlocks::has(const Hash& stored_hash, std::uint32_t stored_bytes) {
    const std::scoped_lock lock(mutex_);
    return locate(stored_hash, stored_bytes) != nullptr;
}

std::optional<std::vector<std::byte>> LibraryBlocks::find(const Hash& stored_hash, std::uint32_t stored_bytes) {
    const std::scoped_lock lock(mutex_);
    const Location* const found = locate(stored_hash, stored_bytes);
    if (found == nullptr)
        return std::nullopt;
    const ByteSource* const file = open(found->bundle);
    if (file == nullptr || !fits(found->offset, stored_bytes, file->size_bytes()))
        return std::nullopt;
    std::vector<std::byte> bytes(stored_bytes);
    if (!file->read_at(found->offset, bytes) || blake3(bytes) != stored_hash)
        return std::nullopt;
    return bytes;
}

void LibraryBlocks::read_layouts() {
    if (std::exchange(is_read_, true))
        return;
    for (const LibraryBundle& one : library_->bundles())
        if (bundles_.empty() || bundles_.back() != one.bundle)
            if (bundles_.size() < kLibraryBundlesMax && blocks_.size() < kLibraryBlocksMax)
                add_blocks(one.bundle);
}

void LibraryBlocks::add_blocks(const BundleId& id) {
    bundles_.push_back(id);
    const auto number = static_cast<std::uint32_t>(bundles_.size() - 1);
    auto source = library_->open_bundle(id);
    const auto bundle = source ? Bundle::open(*std::move(source), {}) : std::move(source).error();
    if (!bundle)
        return;
    const std::uint64_t blocks_offset = (*bundle)->layout_head().blocks_offset;
    const std::uint64_t count = (*bundle)->table_count(TableKind::blocks);
    for (std::uint32_t i = 0; i < count && blocks_.size() < kLibraryBlocksMax; ++i) {
        const auto block = (*bundle)->block(i);
        if (!block)
            return;
        blocks_.try_emplace(block->stored_hash, Location{.bundle = number,
                                                         .stored_bytes = block->stored_bytes,
                                                         .offset = blocks_offset + block->stored_offset});
    }
}

const ByteSource* LibraryBlocks::open(std::uint32_t bundle) {
    if (open_.first != bundle) {
        auto source = library_->open_bundle(bundles_[bundle]);
        open_ = {bundle, source ? *std::move(source) : nullptr};
    }
    return open_.second.get();
}

}  // namespace fardel
