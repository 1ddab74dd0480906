// The functions of fardel_fetch.h about stores.

#include "c_handles.h"

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_store_open(const char* path, int32_t create, fardel_store** store, fardel_error* error) {
    return open_handle(store, path != nullptr, error, [&] { return BundleStore::open(path, create != 0); });
}

void fardel_store_close(fardel_store* store) { delete store; }

fardel_code fardel_store_list(const fardel_store* store, fardel_bundle_listed listed, void* context, size_t* count,
                              fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, store != nullptr, [&](const Report& report) {
        return report.end(store->store.list(), [&](const std::vector<StoredBundle>& bundles) {
            if (count != nullptr)
                *count = bundles.size();
            if (listed == nullptr)
                return;
            for (const StoredBundle& bundle : bundles) {
                const fardel_stored_bundle out{.struct_size = sizeof out,
                                               .file_bytes = bundle.file_bytes,
                                               .held_bytes = bundle.held_bytes,
                                               .bundle = plain_id(bundle.bundle)};
                listed(context, &out);
            }
        });
    });
}

fardel_code fardel_store_find(const fardel_store* store, const char* digits, fardel_id* bundle, fardel_error* error) {
    return call(error, store != nullptr && digits != nullptr && bundle != nullptr, [&](const Report& report) {
        return report.end(store->store.find(digits), [&](const BundleId& found) { *bundle = plain_id(found); });
    });
}

fardel_code fardel_store_closure(const fardel_store* store, const fardel_id* bundle, fardel_bundle_named named,
                                 void* context, fardel_error* error) {
    return call(error, store != nullptr && bundle != nullptr && named != nullptr, [&](const Report& report) {
        return report.end(store->store.closure(id_of<BundleId>(*bundle)),
                          [&](const std::vector<BundleId>& bundles) { report_bundles(bundles, named, context); });
    });
}

fardel_code fardel_store_reader(const fardel_store* store, const fardel_id* bundle, fardel_reader* reader,
                                fardel_error* error) {
    return call(error, store != nullptr && bundle != nullptr && reader != nullptr, [&](const Report& report) {
        auto source = store->store.open_bundle(id_of<BundleId>(*bundle));
        return source ? give_reader(*std::move(source), reader, report) : report.fail(source.error());
    });
}
