#include "bundles/add_bundle.h"

#include "index/block_index.h"
#include "packs/record_source.h"
#include "packs/store_record.h"

#include <fardel/base/free_space.h>
#include <fardel/format/envelope.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/later_signatures.h>
#include <fardel/format/manifest.h>
#include <fardel/format/source_descriptor.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kCopiedPartBytes = 1u << 20;
constexpr StorePack kNewPack{};  // stands for the pack under construction until it has an id

std::span<const std::byte> read_into(std::vector<std::byte>& buffer, std::size_t size_bytes) {
    buffer.resize(size_bytes);
    return buffer;
}

// One pass over the file, in the order of its bytes.
class FileAddition {
public:
    FileAddition(const StoreFolder& folder, StoreLease& lease, const Bundle& bundle, BlockIndex index, PackWriter pack,
                 const StoreWork& work, const CloneFile& clone)
        : folder_(folder),
          lease_(lease),
          bundle_(bundle),
          file_(bundle.source()),
          index_(std::move(index)),
          pack_(std::move(pack)),
          work_(work),
          clone_(clone) {}

    Result<StoreAddition> run() {
        FARDEL_TRY(read_blocks());
        FARDEL_TRY(choose_packs());
        FARDEL_TRY(clone_file_to_pack());
        FARDEL_TRY(verify_space());
        const std::uint64_t blocks_offset = bundle_.layout_head().blocks_offset;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            const BlockRecord& block = blocks_[i];
            const std::uint64_t offset = blocks_offset + block.stored_offset;
            if (offset < done_bytes_)
                return Error(ErrorCode::malformed, bundle_.label() + ": two blocks overlap");
            FARDEL_TRY(add_between(offset));
            FARDEL_TRY(add_block(block, stored_[i]));
        }
        FARDEL_TRY(add_between(file_->size_bytes()));
        return finish();
    }

private:
    struct Shared {
        StorePack pack;
        std::uint64_t end = 0;  // offset in the pack after the shared bytes
    };

    Status read_blocks() {
        const std::uint64_t count = bundle_.table_count(TableKind::blocks);
        for (std::uint32_t i = 0; i < count; ++i) {
            FARDEL_TRY_ASSIGN(const BlockRecord block, bundle_.block(i));
            blocks_.push_back(block);
        }
        std::ranges::sort(blocks_, {}, &BlockRecord::stored_offset);
        return ok();
    }

    Status choose_packs() {
        std::vector<Hash> hashes;
        for (const BlockRecord& block : blocks_)
            hashes.push_back(block.stored_hash);
        // All hashes at once, in the order of the index, so that each of its pages is read once.
        stored_ = index_.find_all(hashes);
        std::map<PackId, std::uint64_t> bytes_of;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (stored_[i] && stored_[i]->stored_bytes != blocks_[i].stored_bytes)
                stored_[i].reset();
            if (stored_[i])
                bytes_of[stored_[i]->pack.id] += blocks_[i].stored_bytes;
        }
        std::vector<std::pair<std::uint64_t, PackId>> packs;
        for (const auto& [id, bytes] : bytes_of)
            packs.emplace_back(bytes, id);
        std::ranges::sort(packs, std::greater<>());
        // Each shared pack is an open file while the bundle is mounted, so those with the most bytes are chosen.
        packs.resize(std::min(packs.size(), kSharedPacksMax));  // the rest is written again
        LeasedIds shared;
        for (const auto& [bytes, id] : packs) {
            sources_.emplace(id, nullptr);
            shared.packs.push_back(id);
        }
        // Before it is looked whether they are there: from then on no collection removes them.
        return lease_.hold(shared);
    }

    // If nothing is shared with other bundles, the pack is equal to the file, and may share its blocks of the disk.
    // From then on the bytes of the pack are read and hashed, so a program that writes to the file meanwhile changes
    // nothing that was compared.
    Status clone_file_to_pack() {
        const Descriptor* const descriptor = find_descriptor(*file_);
        // Only whole files are cloned, since later bundles have the blocks at offsets that a disk cannot share. No hard
        // link either: whoever may write to the file outside could then write to the pack, whose name is the hash of
        // its bytes.
        if (!sources_.empty() || descriptor == nullptr)
            return ok();
        FARDEL_TRY_ASSIGN(is_clone_, pack_.begin_as(*descriptor, clone_));
        if (!is_clone_)
            return ok();
        FARDEL_TRY_ASSIGN(auto contents, pack_.contents());
        if (contents->size_bytes() != file_->size_bytes())
            return Error(ErrorCode::conflict, bundle_.label() + ": the file was changed while it was read");
        file_ = std::move(contents);
        return ok();
    }

    // Blocks that the index says are here count as here.
    Status verify_space() const {
        if (is_clone_)
            return ok();
        std::uint64_t shared_bytes = 0;
        for (std::size_t i = 0; i < blocks_.size(); ++i)
            shared_bytes += stored_[i] && sources_.contains(stored_[i]->pack.id) ? blocks_[i].stored_bytes : 0;
        return verify_free_space(folder_.path(), file_->size_bytes() - std::min(shared_bytes, file_->size_bytes()),
                                 "adding " + bundle_.label());
    }

    // Adds bytes that belong to no block: heads, tables, signatures, and padding.
    Status add_between(std::uint64_t end) {
        while (done_bytes_ < end) {
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(end - done_bytes_, kCopiedPartBytes));
            FARDEL_TRY(read_file(size));
            // What lies between shared blocks, such as padding, is mostly what lies there in the other bundle, too.
            if (latest_ && is_stored(*latest_, latest_->end, bytes_))
                share(latest_->pack, latest_->end);
            else
                FARDEL_TRY(write());
        }
        return ok();
    }

    Status add_block(const BlockRecord& block, const std::optional<StoredBlock>& stored) {
        FARDEL_TRY(read_file(block.stored_bytes));
        if (blake3(bytes_) != block.stored_hash)
            return Error(ErrorCode::corrupt, bundle_.label() + ": a block at offset " + std::to_string(done_bytes_) +
                                                 " does not have its hash");
        // The index is a hint, and a damaged pack must not damage the next bundle: bytes are compared, not only hashes.
        if (stored && is_stored({.pack = stored->pack}, stored->pack_offset, bytes_)) {
            share(stored->pack, stored->pack_offset);
            return ok();
        }
        return write();
    }

    Status read_file(std::size_t size_bytes) {
        if (work_.stop.stop_requested())
            return Error(ErrorCode::cancelled, bundle_.label() + ": not added");
        bytes_.resize(size_bytes);
        return file_->read_at(done_bytes_, bytes_);
    }

    // Whether the pack really has these bytes there; false also if it cannot be read.
    bool is_stored(const Shared& shared, std::uint64_t offset, std::span<const std::byte> bytes) {
        const auto source = sources_.find(shared.pack.id);
        if (source == sources_.end())
            return false;
        if (source->second == nullptr) {
            auto opened = folder_.open_pack(shared.pack);
            if (!opened) {
                sources_.erase(source);
                return false;
            }
            source->second = *std::move(opened);
        }
        const auto stored = read_into(compared_, bytes.size());
        return source->second->read_at(offset, compared_) &&
               std::memcmp(stored.data(), bytes.data(), bytes.size()) == 0;
    }

    void share(const StorePack& pack, std::uint64_t pack_offset) {
        builder_.add(done_bytes_, bytes_.size(), pack, pack_offset);
        latest_ = {.pack = pack, .end = pack_offset + bytes_.size()};
        shared_bytes_ += bytes_.size();
        advance();
    }
    Status write() {
        FARDEL_TRY_ASSIGN(const std::uint64_t offset, pack_.append(bytes_));
        builder_.add(done_bytes_, bytes_.size(), kNewPack, offset);
        latest_.reset();
        advance();
        return ok();
    }
    void advance() {
        done_bytes_ += bytes_.size();
        if (work_.progress)
            work_.progress({.done_bytes = done_bytes_, .total_bytes = file_->size_bytes()});
    }

    Result<StoreAddition> finish() {
        StoreRecord record = std::move(builder_).finish(bundle_.id(), bundle_.layout_id(), file_->size_bytes());
        const auto added = std::ranges::find(record.packs, kNewPack.id, &StorePack::id);
        if (added != record.packs.end()) {
            FARDEL_TRY_ASSIGN(*added, std::move(pack_).seal(lease_));
        }
        // Last: a record names only packs that are sealed and synced, so a kill leaves the old state or the new one.
        FARDEL_TRY(publish_record(folder_, lease_, record));
        return StoreAddition{.bundle = bundle_.id(),
                             .file_bytes = file_->size_bytes(),
                             .written_bytes = file_->size_bytes() - shared_bytes_,
                             .shared_bytes = shared_bytes_};
    }

    const StoreFolder& folder_;
    StoreLease& lease_;
    const Bundle& bundle_;
    std::shared_ptr<const ByteSource> file_;  // or what was cloned from it
    BlockIndex index_;
    PackWriter pack_;
    const StoreWork& work_;
    const CloneFile& clone_;

    std::vector<BlockRecord> blocks_;                              // by offset
    std::vector<std::optional<StoredBlock>> stored_;               // where the index says that each of them is
    std::map<PackId, std::shared_ptr<const ByteSource>> sources_;  // packs to share with; nullptr: not opened yet
    StoreRecordBuilder builder_;
    std::uint64_t done_bytes_ = 0;  // of the file
    std::uint64_t shared_bytes_ = 0;
    bool is_clone_ = false;         // the pack has the bytes of the file, and needs no space of its own
    std::optional<Shared> latest_;  // where the bytes before done_bytes_ are, if they are shared
    std::vector<std::byte> bytes_;  // those at done_bytes_
    std::vector<std::byte> compared_;
};

// Compares the stored bytes with those of the file, up to the trailer. Errors: corrupt (they differ), cancelled, those
// of reading.
Status compare_bytes(const ByteSource& stored, const Bundle& bundle, std::uint64_t trailer_offset,
                     const StoreWork& work) {
    std::vector<std::byte> stored_bytes;
    std::vector<std::byte> file_bytes;
    for (std::uint64_t at = 0; at < trailer_offset; at += stored_bytes.size()) {
        if (work.stop.stop_requested())
            return Error(ErrorCode::cancelled, bundle.label() + ": not added");
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(trailer_offset - at, kCopiedPartBytes));
        stored_bytes.resize(size);
        file_bytes.resize(size);
        FARDEL_TRY(stored.read_at(at, stored_bytes));
        FARDEL_TRY(bundle.source()->read_at(at, file_bytes));
        if (std::memcmp(stored_bytes.data(), file_bytes.data(), size) != 0)
            return Error(ErrorCode::corrupt, bundle.label() + ": the store has other bytes");
        if (work.progress)
            work.progress({.done_bytes = at + size, .total_bytes = bundle.source()->size_bytes()});
    }
    return ok();
}

// Compares the bytes, and adds the envelopes that the stored bundle lacks. Errors: corrupt (the stored bytes are not
// those of the file).
Result<StoreAddition> add_signatures_of(const StoreFolder& folder, StoreLease& lease, const StoreRecord& record,
                                        const Bundle& bundle, const StoreWork& work) {
    StoreAddition addition{.bundle = bundle.id(), .was_there = true, .file_bytes = bundle.source()->size_bytes()};
    FARDEL_TRY_ASSIGN(auto source, open_record_source(folder, record));
    FARDEL_TRY_ASSIGN(const auto stored, Bundle::open(source, {}));
    const std::uint64_t trailer_offset = stored->layout_head().trailer_offset;
    FARDEL_TRY(compare_bytes(*source, bundle, trailer_offset, work));
    FARDEL_TRY_ASSIGN(addition.written_bytes, add_envelopes(folder, lease, record, bundle.envelopes()));
    if (addition.written_bytes == 0)
        return addition;
    addition.was_there = false;
    addition.shared_bytes = trailer_offset;
    return addition;
}

}  // namespace

bool is_stored_whole(const StoreFolder& folder, const BundleId& bundle) {
    const auto record = folder.find_record(bundle);
    return record && *record && (*record)->is_complete() && open_record_source(folder, **record);
}

Result<std::uint64_t> add_envelopes(const StoreFolder& folder, StoreLease& lease, const StoreRecord& record,
                                    std::span<const Envelope> envelopes) {
    FARDEL_TRY_ASSIGN(auto source, open_record_source(folder, record));
    FARDEL_TRY_ASSIGN(const auto stored, Bundle::open(source, {}));
    const std::uint64_t trailer_offset = stored->layout_head().trailer_offset;
    std::vector<std::byte> trailer(static_cast<std::size_t>(record.file_bytes - trailer_offset));
    FARDEL_TRY(source->read_at(trailer_offset, trailer));
    FARDEL_TRY_ASSIGN(const auto added, encode_envelopes(missing_envelopes(stored->envelopes(), envelopes)));
    trailer.insert(trailer.end(), added.begin(), added.end());
    // With too many signatures, those that were there first stay.
    if (added.empty() || !decode_trailer(trailer))
        return std::uint64_t{0};

    FARDEL_TRY_ASSIGN(PackWriter writer, PackWriter::open(folder));
    FARDEL_TRY(writer.append(trailer));
    FARDEL_TRY_ASSIGN(const StorePack pack, std::move(writer).seal(lease));
    StoreRecordBuilder builder;
    for (const StoreExtent& extent : record.extents)
        if (extent.file_offset < trailer_offset)
            builder.add(extent.file_offset, std::min(extent.end(), trailer_offset) - extent.file_offset,
                        record.packs[extent.pack], extent.pack_offset);
    builder.add(trailer_offset, trailer.size(), pack, 0);
    FARDEL_TRY(publish_record(
        folder, lease, std::move(builder).finish(record.bundle, record.layout, trailer_offset + trailer.size())));
    return std::uint64_t{trailer.size()};
}

Result<StoreAddition> add_referred_bundle(const StoreFolder& folder, StoreLease& lease, const Bundle& bundle,
                                          const PackReference& reference) {
    const StorePack& pack = reference.pack;
    if (bundle.source()->size_bytes() != pack.size_bytes)
        return Error(ErrorCode::conflict, reference.path + ": the file was changed while it was read");
    FARDEL_TRY(lease.hold({.bundles = {}, .packs = {pack.id}}));
    // The record stays as it is and names a pack by its hash; the reference says that the bytes of that pack are in a
    // file elsewhere. So leases, collections, export and fsck need to know one kind of range only.
    FARDEL_TRY(folder.write_reference(reference));
    StoreRecordBuilder builder;
    builder.add(0, pack.size_bytes, pack, 0);
    FARDEL_TRY(
        publish_record(folder, lease, std::move(builder).finish(bundle.id(), bundle.layout_id(), pack.size_bytes)));
    return StoreAddition{.bundle = bundle.id(), .file_bytes = pack.size_bytes};
}

Result<StoreAddition> add_bundle(const StoreFolder& folder, StoreLease& lease, const Bundle& bundle,
                                 const StoreWork& work, const CloneFile& clone) {
    // What is damaged is replaced.
    if (is_stored_whole(folder, bundle.id())) {
        FARDEL_TRY_ASSIGN(const auto record, folder.find_record(bundle.id()));
        if (!record)
            return Error(ErrorCode::busy, bundle.label() + ": another program removes it at this moment; try again");
        // The content is the same, and open readers have that layout.
        if (record->layout != bundle.layout_id())
            return StoreAddition{.bundle = bundle.id(), .was_there = true, .file_bytes = bundle.source()->size_bytes()};
        auto added = add_signatures_of(folder, lease, *record, bundle, work);
        if (added || added.error().code() == ErrorCode::cancelled)
            return added;  // otherwise a pack is damaged, or the record is wrong
    }
    FARDEL_TRY_ASSIGN(BlockIndex index, BlockIndex::open(folder));
    FARDEL_TRY_ASSIGN(PackWriter pack, PackWriter::open(folder));
    return FileAddition(folder, lease, bundle, std::move(index), std::move(pack), work, clone).run();
}

}  // namespace fardel
