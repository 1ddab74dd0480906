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

}  // namespace fardel
