#include <fardel/store/bundle_store.h>

#include <fardel/store/bundle_reference.h>
#include <fardel/store/retention.h>
#include <fardel/store/stored_signatures.h>

#include "bundles/add_bundle.h"
#include "bundles/bundle_closure.h"
#include "bundles/export_bundle.h"
#include "bundles/leftovers.h"
#include "bundles/retention_folder.h"
#include "bundles/store_collection.h"
#include "packs/growing_source.h"
#include "packs/record_source.h"
#include "packs/referred_file.h"
#include "packs/store_folder.h"
#include "retention/store_lease.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/source_pieces.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>

namespace fardel {
namespace {

Error not_here(const StoreFolder& folder, const BundleId& bundle) {
    if (const auto held = folder.hold(); !held)  // the whole store is gone
        return held.error();
    return Error(ErrorCode::missing,
                 folder.path() + ": bundle " + bundle.hex() + " is not in this store; 'fardel store ls' lists what is");
}

// Asks or changes the store in its open folder: what is away for a moment, with its disk, must not count as absent.
template <class Question>
std::invoke_result_t<Question, const StoreFolder&> ask_held(const StoreFolder& folder, const Question& question) {
    FARDEL_TRY_ASSIGN(const StoreFolder held, folder.hold());
    return question(held);
}

// ---- Reading --------------------------------------------------------------------------------------------------------

Result<FoundRecord> open_found(const StoreFolder& folder, const BundleId& bundle) {
    FARDEL_TRY_ASSIGN(auto found, open_stored_bundle(folder, bundle));
    if (!found)
        return not_here(folder, bundle);
    return *std::move(found);
}

// ---- Checking -------------------------------------------------------------------------------------------------------

class StoreCheck {
public:
    StoreCheck(const StoreFolder& folder, const StoreWork& work) : folder_(folder), work_(work) {}

    Result<StoreCheckReport> run(bool read_packs) {
        FARDEL_TRY_ASSIGN(const auto packs, folder_.list_packs());
        for (const StorePack& pack : packs) {
            report_.pack_bytes += pack.size_bytes;
            packs_.emplace(pack.id, PackState{.size_bytes = pack.size_bytes});
        }
        FARDEL_TRY_ASSIGN(const auto referred, folder_.list_references());
        total_bytes_ = report_.pack_bytes;
        for (const StorePack& pack : referred) {
            total_bytes_ += pack.size_bytes;
            packs_.emplace(pack.id, PackState{.size_bytes = pack.size_bytes, .is_referred = true});
        }
        // First the packs, each read once; then the records, which name ranges of them.
        read_packs_ = read_packs;
        if (read_packs)
            for (auto& [id, pack] : packs_)
                FARDEL_TRY(check_pack(id, pack));
        FARDEL_TRY_ASSIGN(const auto ids, folder_.list_records());
        report_.bundles = ids.size();
        for (const BundleId& id : ids)
            FARDEL_TRY(check_bundle(id));
        report_.incomplete = incomplete_.size();
        for (const auto& [id, pack] : packs_) {
            if (pack.is_referred)
                continue;
            ++report_.packs;
            report_.unused_packs += pack.used ? 0 : 1;
            report_.unused_bytes += pack.used ? 0 : pack.size_bytes;
        }
        const StoreLeftovers leftovers = count_leftovers(folder_);
        report_.incoming = leftovers.incoming;
        report_.incoming_bytes = leftovers.incoming_bytes;
        report_.abandoned_files = leftovers.abandoned_files;
        report_.abandoned_bytes = leftovers.abandoned_bytes;
        return std::move(report_);
    }

private:
    struct PackState {
        std::uint64_t size_bytes = 0;
        bool is_referred = false;  // its bytes are elsewhere
        bool used = false;
        bool damaged = false;
    };

    // Error: cancelled.
    Status check_pack(const PackId& id, PackState& pack) {
        std::string path = folder_.pack_path(id).text();
        if (const auto reference = folder_.find_reference(id); pack.is_referred && reference && *reference)
            path = (*reference)->path;
        Hasher hasher;
        Status read = ok();
        if (auto source = folder_.open_pack({.id = id, .size_bytes = pack.size_bytes}))
            read = read_pieces(**source, path, work_.stop, [&](std::uint64_t, std::span<const std::byte> bytes) {
                hasher.update(bytes);
                done_bytes_ += bytes.size();
                if (work_.progress)
                    work_.progress({.done_bytes = done_bytes_, .total_bytes = total_bytes_});
                return ok();
            });
        else
            read = std::move(source).error();
        if (!read && read.error().code() == ErrorCode::cancelled)
            return read;
        pack.damaged = !read || hasher.finish() != id;
        if (!read)
            report_.findings.push_back(read.error().text());
        else if (pack.damaged)
            report_.findings.push_back(path + ": its bytes are not those of its name");
        return ok();
    }

    // Returns nullptr if the store does not have the pack. Error: cancelled.
    Result<PackState*> find_pack(const StorePack& pack) {
        if (const auto found = packs_.find(pack.id); found != packs_.end())
            return &found->second;
        // It may have been added since the packs were listed.
        if (!folder_.open_pack(pack))
            return nullptr;
        PackState& added = packs_[pack.id];
        added.size_bytes = pack.size_bytes;
        report_.pack_bytes += pack.size_bytes;
        if (read_packs_)
            FARDEL_TRY(check_pack(pack.id, added));
        return &added;
    }

    // Error: cancelled.
    Status check_bundle(const BundleId& id) {
        Status damage = ok();
        for (bool changed = true; changed;) {
            const auto before = folder_.find_record_checksum(id);
            damage = find_damage(id);
            if (damage || damage.error().code() == ErrorCode::cancelled)
                return damage;
            // Another program may have replaced the record, and removed packs that it named.
            const auto after = folder_.find_record_checksum(id);
            changed = before && after && *before != *after;
        }
        report_.findings.push_back(damage.error().text());
        report_.damaged.push_back(id);
        return ok();
    }

    // Returns what is wrong with a bundle.
    Status find_damage(const BundleId& id) {
        FARDEL_TRY_ASSIGN(const auto record, folder_.find_record(id));
        if (!record)
            return ok();  // removed meanwhile
        const std::string label = "bundle " + id.hex();
        if (!record->is_complete())
            incomplete_.insert(id);
        std::string damaged;
        for (const StorePack& pack : record->packs) {
            FARDEL_TRY_ASSIGN(PackState* const found, find_pack(pack));
            if (found != nullptr)
                found->used = true;
            if (found == nullptr || found->damaged || found->size_bytes != pack.size_bytes)
                damaged = pack.id.hex();
        }
        if (!damaged.empty())
            return Error(ErrorCode::corrupt, label + ": pack " + damaged + " is missing or damaged");
        FARDEL_TRY_ASSIGN(auto source, open_record_source(folder_, *record));
        FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(source, {.label = label}));
        if (bundle->id() != id)
            return Error(ErrorCode::corrupt, label + ": its bytes are those of " + bundle->id().hex());
        return read_packs_ ? check_blocks(*record, *source, *bundle) : ok();
    }

    // Compares the tables with the heads and the blocks with their hashes: packs may be good and a record locate other
    // bytes in them. What several bundles have at the same location is read once.
    Status check_blocks(const StoreRecord& record, const ByteSource& source, const Bundle& bundle) {
        FARDEL_TRY(bundle.verify_tables());
        std::vector<std::byte> bytes;
        const std::uint64_t count = bundle.table_count(TableKind::blocks);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (work_.stop.stop_requested())
                return Error(ErrorCode::cancelled, bundle.label() + ": stopped");
            FARDEL_TRY_ASSIGN(const BlockRecord block, bundle.block(i));
            const std::uint64_t offset = bundle.layout_head().blocks_offset + block.stored_offset;
            const StoreExtent* const extent = record.find(offset, block.stored_bytes);
            if (extent == nullptr && !record.is_complete())
                continue;
            if (extent != nullptr &&
                !checked_
                     .emplace(record.packs[extent->pack].id, extent->pack_offset + (offset - extent->file_offset),
                              block.stored_hash)
                     .second)
                continue;
            bytes.resize(block.stored_bytes);
            FARDEL_TRY(source.read_at(offset, bytes));
            if (blake3(bytes) != block.stored_hash)
                return Error(ErrorCode::corrupt, bundle.label() + ": the block at offset " + std::to_string(offset) +
                                                     " does not have its hash");
        }
        return ok();
    }

    const StoreFolder& folder_;
    const StoreWork& work_;
    bool read_packs_ = false;
    std::uint64_t done_bytes_ = 0;
    std::uint64_t total_bytes_ = 0;
    StoreCheckReport report_;
    std::map<PackId, PackState> packs_;
    std::set<BundleId> incomplete_;
    std::set<std::tuple<PackId, std::uint64_t, Hash>> checked_;  // blocks: pack, offset, stored hash
};

// ---- References -----------------------------------------------------------------------------------------------------

// `is_stale`: of each pack that is only referred to.
StoredBundle describe_record(const StoreRecord& record, const std::map<PackId, bool>& is_stale) {
    StoredBundle stored{.bundle = record.bundle, .file_bytes = record.file_bytes, .packs = record.packs.size()};
    for (const StorePack& pack : record.packs) {
        const auto referred = is_stale.find(pack.id);
        stored.references += referred != is_stale.end() ? 1 : 0;
        stored.stale_references += referred != is_stale.end() && referred->second ? 1 : 0;
    }
    for (const StoreExtent& extent : record.extents) {
        const auto referred = is_stale.find(record.packs[extent.pack].id);
        stored.held_bytes += referred != is_stale.end() && referred->second ? 0 : extent.length_bytes;
        stored.referred_bytes += referred != is_stale.end() ? extent.length_bytes : 0;
    }
    return stored;
}

Result<std::vector<StoredBundle>> list_bundles(const StoreFolder& folder) {
    FARDEL_TRY_ASSIGN(const auto ids, folder.list_records());
    FARDEL_TRY_ASSIGN(const auto referred, list_referred_packs(folder));
    std::map<PackId, bool> is_stale;
    for (const ReferredPack& pack : referred)
        is_stale.emplace(pack.pack.id, pack.is_stale);
    std::vector<StoredBundle> bundles;
    for (const BundleId& id : ids)
        if (const auto record = folder.find_record(id); record && *record)
            bundles.push_back(describe_record(**record, is_stale));
    return bundles;
}

}  // namespace

// ---- The store ------------------------------------------------------------------------------------------------------

struct BundleStore::Impl {
    StoreFolder folder;
};

BundleStore::BundleStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BundleStore::~BundleStore() = default;
BundleStore::BundleStore(BundleStore&&) noexcept = default;
BundleStore& BundleStore::operator=(BundleStore&&) noexcept = default;

const std::string& BundleStore::path() const noexcept { return impl_->folder.path(); }

Result<BundleStore> BundleStore::open(const std::string& path, bool create) {
    FARDEL_TRY_ASSIGN(StoreFolder folder, StoreFolder::open(path, create));
    if (create)
        RetentionFolder(folder).keep_spare();
    return BundleStore(std::unique_ptr<Impl>(new Impl{std::move(folder)}));
}

Result<StoreAddition> BundleStore::add(const std::shared_ptr<const ByteSource>& file, const StoreWork& work) const {
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(file, {}));
    remove_leftovers();
    FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(impl_->folder)));
    FARDEL_TRY(lease.hold({.bundles = {bundle->id()}, .packs = {}}));
    auto added = add_bundle(impl_->folder, lease, *bundle, work);
    remove_needless_incoming(impl_->folder);
    return added;
}

Result<StoreAddition> add_reference(const BundleStore& store, const std::string& path, const StoreWork& work) {
    FARDEL_TRY_ASSIGN(const StoreFolder folder, StoreFolder::open(store.path(), false));
    FARDEL_TRY(folder.create_parts());
    const auto progress = [&work](std::uint64_t done_bytes, std::uint64_t total_bytes) {
        if (work.progress)
            work.progress({.done_bytes = done_bytes, .total_bytes = total_bytes});
    };
    FARDEL_TRY_ASSIGN(const PackReference reference, refer_to_file(path, work.stop, progress));
    FARDEL_TRY_ASSIGN(const auto file, open_referred_file(folder, reference));
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(file, {}));
    FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(folder)));
    FARDEL_TRY(lease.hold({.bundles = {bundle->id()}, .packs = {}}));
    if (is_stored_whole(folder, bundle->id()))
        return add_bundle(folder, lease, *bundle, work);
    auto added = add_referred_bundle(folder, lease, *bundle, reference);
    remove_needless_incoming(folder);
    return added;
}

Status add_signatures(const BundleStore& store, const BundleId& bundle, std::span<const Envelope> envelopes) {
    FARDEL_TRY_ASSIGN(const StoreFolder folder, StoreFolder::open(store.path(), false));
    FARDEL_TRY(folder.create_parts());
    FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(folder)));
    FARDEL_TRY(lease.hold({.bundles = {bundle}, .packs = {}}));
    FARDEL_TRY_ASSIGN(const auto record, folder.find_record(bundle));
    if (!record)
        return not_here(folder, bundle);
    FARDEL_TRY(add_envelopes(folder, lease, *record, envelopes));
    return ok();
}

void BundleStore::remove_leftovers() const {
    remove_abandoned_packs(impl_->folder);
    remove_needless_incoming(impl_->folder);
}

Result<std::vector<StoredBundle>> BundleStore::list() const {
    return ask_held(impl_->folder, [](const StoreFolder& held) { return list_bundles(held); });
}

Result<bool> BundleStore::has(const BundleId& bundle) const {
    return ask_held(impl_->folder, [&](const StoreFolder& held) -> Result<bool> {
        FARDEL_TRY_ASSIGN(const auto record, held.find_record(bundle));
        return record.has_value();
    });
}

Result<BundleId> BundleStore::find(std::string_view digits) const {
    FARDEL_TRY(verify_id_digits(digits));
    FARDEL_TRY_ASSIGN(const auto ids,
                      ask_held(impl_->folder, [](const StoreFolder& held) { return held.list_records(); }));
    std::optional<BundleId> found;
    for (const BundleId& id : ids) {
        if (!id.hex().starts_with(digits))
            continue;
        if (found)
            return Error(ErrorCode::conflict, path() + ": several bundles begin with " + std::string(digits));
        found = id;
    }
    if (!found)
        return Error(ErrorCode::missing,
                     path() + ": no bundle begins with " + std::string(digits) + "; 'fardel store ls' lists them");
    return *found;
}

Result<std::shared_ptr<const ByteSource>> BundleStore::open_bundle(const BundleId& bundle) const {
    RetentionFolder disk(impl_->folder);
    std::shared_ptr<DiskHold> use = use_bundle(disk, bundle);
    FARDEL_TRY_ASSIGN(FoundRecord opened, open_found(impl_->folder, bundle));
    auto source = opened.record.is_complete()
                      ? std::move(opened.source)
                      : make_growing_source(impl_->folder, opened.record, std::move(opened.source));
    const ByteSource* const bytes = source.get();
    struct UsedSource {
        std::shared_ptr<const ByteSource> source;
        std::shared_ptr<DiskHold> use;
    };
    // Both live as long as the returned source.
    auto owner = std::make_shared<const UsedSource>(UsedSource{std::move(source), std::move(use)});
    return std::shared_ptr<const ByteSource>(std::move(owner), bytes);
}

Result<std::shared_ptr<const ByteSource>> BundleStore::peek_bundle(const BundleId& bundle) const {
    FARDEL_TRY_ASSIGN(FoundRecord opened, open_found(impl_->folder, bundle));
    return std::move(opened.source);
}

Result<std::shared_ptr<const ByteSource>> BundleStore::open_whole_bundle(const BundleId& bundle) const {
    FARDEL_TRY_ASSIGN(const auto record, impl_->folder.find_record(bundle));
    if (!record || record->held_bytes() != record->file_bytes)
        return not_here(impl_->folder, bundle);
    return open_bundle(bundle);
}

Result<std::vector<BundleId>> BundleStore::closure(const BundleId& bundle) const {
    RetentionFolder disk(impl_->folder);
    std::vector<std::unique_ptr<DiskHold>> uses;
    const FindBundleSource find = [&](const BundleId& id) -> Result<std::shared_ptr<const ByteSource>> {
        uses.push_back(use_bundle(disk, id));
        FARDEL_TRY_ASSIGN(auto found, open_stored_bundle(impl_->folder, id));
        return found ? std::move(found->source) : nullptr;
    };
    return collect_closure(bundle, find, "the store " + path());
}

Status BundleStore::export_bundle(const BundleId& bundle, const std::string& path, const StoreWork& work) const {
    FARDEL_TRY_ASSIGN(const auto source, open_bundle(bundle));
    // Another program may replace the record; both records give the same file.
    FARDEL_TRY_ASSIGN(const auto record, impl_->folder.find_record(bundle));
    return export_stored_bundle(impl_->folder, *source, record, path, work);
}

Result<StoreCheckReport> BundleStore::check(bool read_packs, const StoreWork& work) const {
    return ask_held(impl_->folder, [&](const StoreFolder& held) { return StoreCheck(held, work).run(read_packs); });
}

// ---- Retention ------------------------------------------------------------------------------------------------------

Status BundleStore::pin(const BundlePin& pin) const {
    if (!is_pin_name(pin.name))
        return Error(ErrorCode::malformed, "the name of a pin has 1 to 64 characters of a-z, 0-9, '.', '_' and '-'");
    // Holding it takes it back if it is condemned.
    FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(impl_->folder)));
    FARDEL_TRY(lease.hold({.bundles = {pin.bundle}, .packs = {}}));
    RetentionFolder disk(impl_->folder);
    const auto lock = disk.lock();  // a collection removes pins that have ended under it
    if (!lock && lock.error().code() != ErrorCode::unsupported)
        return lock.error();
    return disk.write_pin(pin);
}

Status BundleStore::add_license(const Envelope& token) const {
    RetentionFolder disk(impl_->folder);
    FARDEL_TRY_ASSIGN(const auto lock, disk.lock());  // a collection decides before or after it
    return disk.write_license(token);
}

Result<std::vector<Envelope>> BundleStore::licenses() const {
    return ask_held(impl_->folder, [](const StoreFolder& held) { return RetentionFolder(held).list_licenses(); });
}

Result<bool> BundleStore::unpin(const BundleId& bundle, const std::string& name) const {
    if (!is_pin_name(name))
        return false;
    return ask_held(impl_->folder,
                    [&](const StoreFolder& held) { return RetentionFolder(held).remove_pin(bundle, name); });
}

Result<std::vector<BundlePin>> BundleStore::pins() const {
    return ask_held(impl_->folder, [](const StoreFolder& held) { return RetentionFolder(held).list_pins(); });
}

Status BundleStore::remove_bundles(std::span<const BundleId> bundles, UnixTime now) const {
    return ask_held(impl_->folder, [&](const StoreFolder& held) { return condemn_by_hand(held, bundles, now); });
}

Status BundleStore::release_bundles(std::span<const BundleId> bundles, UnixTime now) const {
    return ask_held(impl_->folder, [&](const StoreFolder& held) { return condemn_released(held, bundles, now); });
}

Result<CollectionReport> BundleStore::collect(const RetentionRules& rules) const {
    return ask_held(impl_->folder, [&](const StoreFolder& held) { return collect_store(held, rules); });
}

Result<std::vector<RetainedBundle>> BundleStore::retained(std::optional<UnixTime> now) const {
    return ask_held(impl_->folder, [&](const StoreFolder& held) { return list_retained(held, now); });
}

Result<StoreUsage> BundleStore::usage(UnixTime now) const {
    return ask_held(impl_->folder, [&](const StoreFolder& held) { return find_usage(held, now); });
}

struct StoreHold::Impl {
    StoreLease lease;
};

StoreHold::StoreHold(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoreHold::~StoreHold() = default;
StoreHold::StoreHold(StoreHold&&) noexcept = default;
StoreHold& StoreHold::operator=(StoreHold&&) noexcept = default;

Result<StoreHold> StoreHold::open(const BundleStore& store) {
    FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(store.impl_->folder)));
    return StoreHold(std::unique_ptr<Impl>(new Impl{std::move(lease)}));
}

Status StoreHold::hold(const BundleId& bundle) { return impl_->lease.hold({.bundles = {bundle}, .packs = {}}); }

}  // namespace fardel
