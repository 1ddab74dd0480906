#include <fardel/hosting/published_signatures.h>

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/later_signatures.h>
#include <fardel/format/limits.h>

#include <utility>

namespace fardel {
namespace {

constexpr int kAttemptsMax = 8;

std::vector<Envelope> unpublished(const Bundle& published, const PublishedSignatures& there,
                                  std::span<const Envelope> offered) {
    return missing_envelopes(there.later, missing_envelopes(published.envelopes(), offered));
}

// A reader looks at all of them together, and at no more than a trailer has.
Status verify_room(const Bundle& published, std::span<const Envelope> later) {
    std::vector<Envelope> all = published.envelopes();
    all.insert(all.end(), later.begin(), later.end());
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelopes(all));
    if (decode_trailer(bytes))
        return ok();
    return Error(ErrorCode::limit, "bundle " + published.id().hex() + " would have more than " +
                                       std::to_string(limits::kSignaturesMax) +
                                       " signatures in the tree, and no reader looks at more; publish a new version");
}

}  // namespace

Result<PublishedSignatures> read_published_signatures(TreeTarget& tree, const BundleId& bundle) {
    const std::string path = signatures_path_of(bundle);
    FARDEL_TRY_ASSIGN(const auto head, tree.find_head(path));
    if (!head)
        return PublishedSignatures();
    auto later = decode_trailer(head->bytes);
    if (!later)
        return std::move(later).error().with_context(tree.name() + ", " + path);
    return PublishedSignatures{.later = *std::move(later), .version = head->version};
}

Result<std::vector<Envelope>> find_unpublished(TreeTarget& tree, const Bundle& published,
                                               std::span<const Envelope> offered) {
    FARDEL_TRY_ASSIGN(const PublishedSignatures there, read_published_signatures(tree, published.id()));
    return unpublished(published, there, offered);
}

Result<std::size_t> publish_signatures(TreeTarget& tree, const Bundle& published, std::span<const Envelope> offered) {
    for (int attempt = 1;; ++attempt) {
        FARDEL_TRY_ASSIGN(PublishedSignatures there, read_published_signatures(tree, published.id()));
        const std::vector<Envelope> added = unpublished(published, there, offered);
        if (added.empty())
            return std::size_t{0};
        there.later.insert(there.later.end(), added.begin(), added.end());
        FARDEL_TRY(verify_room(published, there.later));
        FARDEL_TRY_ASSIGN(const auto bytes, encode_envelopes(there.later));
        Status replaced = tree.replace_head(signatures_path_of(published.id()), bytes, there.version);
        if (replaced)
            return added.size();
        // Another publisher was quicker: what he has added stays.
        if (replaced.error().code() != ErrorCode::conflict || attempt == kAttemptsMax)
            return std::move(replaced).error();
    }
}

}  // namespace fardel
