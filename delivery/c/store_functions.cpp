// The functions of fardel_fetch.h about stores.

#include "c_handles.h"

#include <fardel/format/reader_source.h>

#include <fardel/format/envelope.h>
#include <fardel/format/printable.h>

using namespace fardel;
using namespace fardel::c;

namespace {

// What the bytes of a stored token say, passed to the caller's function.
Status report_license(const Envelope& envelope, fardel_license_listed listed, void* context) {
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelope(envelope));
    FARDEL_TRY_ASSIGN(const LicenseToken token, license_token_of(envelope));
    const std::string pattern = printable(token.pattern);
    const std::string comment = printable(token.comment);
    fardel_stored_license out{};
    out.struct_size = sizeof out;
    out.token = {.bytes = bytes.data(), .size_bytes = bytes.size()};
    out.pattern = token.pattern.empty() ? nullptr : pattern.c_str();
    out.comment = comment.c_str();
    out.created_s = token.created.seconds;
    out.expires_s = token.expires.seconds;
    out.bundle = plain_id(token.bundle);
    std::memcpy(out.issuer, token.issuer.bytes.data(), sizeof out.issuer);
    listed(context, &out);
    return ok();
}

Status report_licenses(const std::vector<Envelope>& tokens, fardel_license_listed listed, void* context) {
    if (listed != nullptr)
        for (const Envelope& token : tokens)
            FARDEL_TRY(report_license(token, listed, context));
    return ok();
}

}  // namespace

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

fardel_code fardel_store_add_license(const fardel_store* store, const fardel_license_token* token,
                                     fardel_error* error) {
    return call(error, store != nullptr && token != nullptr && token->bytes != nullptr, [&](const Report& report) {
        const auto licenses = read_licenses(token, 1);
        return licenses ? report.end(store->store.add_license(licenses->front())) : report.fail(licenses.error());
    });
}

fardel_code fardel_store_list_licenses(const fardel_store* store, fardel_license_listed listed, void* context,
                                       size_t* count, fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, store != nullptr, [&](const Report& report) {
        const auto tokens = store->store.licenses();
        if (!tokens)
            return report.fail(tokens.error());
        if (count != nullptr)
            *count = tokens->size();
        return report.end(report_licenses(*tokens, listed, context));
    });
}
