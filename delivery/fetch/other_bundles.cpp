#include "fetch/other_bundles.h"

#include <utility>

namespace fardel {

Result<std::unordered_set<BundleId>> list_whole_bundles(const BundleStore& store) {
    FARDEL_TRY_ASSIGN(const auto stored, store.list());
    std::unordered_set<BundleId> whole;
    for (const StoredBundle& bundle : stored)
        if (bundle.held_bytes == bundle.file_bytes)
            whole.insert(bundle.bundle);
    return whole;
}

Result<std::vector<std::shared_ptr<const Bundle>>> open_other_bundles(const BundleStore& store,
                                                                      const BundleLibrary* library,
                                                                      const BundleId& except) {
    std::vector<std::shared_ptr<const Bundle>> others;
    const auto add = [&](Result<std::shared_ptr<const ByteSource>> source) {
        auto bundle = source ? Bundle::open(*std::move(source), {}) : std::move(source).error();
        if (bundle && (*bundle)->id() != except)
            others.push_back(*std::move(bundle));
    };
    FARDEL_TRY_ASSIGN(const auto stored, store.list());
    for (const StoredBundle& one : stored)
        if (one.bundle != except && one.held_bytes == one.file_bytes && others.size() < kOthersMax)
            add(store.open_bundle(one.bundle));
    if (library != nullptr)
        for (const LibraryBundle& one : library->bundles()) {
            if (others.size() == kOthersMax)
                break;
            if (one.bundle != except)
                add(library->open_bundle(one.bundle));
        }
    return others;
}

Result<bool> share_block(IncomingBundle& incoming, LibraryBlocks& library, std::uint64_t file_offset,
                         const Hash& stored_hash, std::uint32_t stored_bytes) {
    FARDEL_TRY_ASSIGN(const bool is_shared, incoming.share(file_offset, stored_hash, stored_bytes));
    if (is_shared)
        return true;
    const auto bytes = library.find(stored_hash, stored_bytes);
    if (!bytes)
        return false;
    FARDEL_TRY(incoming.write(file_offset, *bytes));
    return true;
}

}  // namespace fardel
