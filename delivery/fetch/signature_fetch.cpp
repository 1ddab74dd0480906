#include "fetch/signature_fetch.h"

#include "transfer/single_range.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>

#include <span>
#include <string>
#include <vector>

namespace fardel {
namespace {

// Returns the envelopes that the file has from there to its end; none if it is not there, too long, or something else.
// A file with other signatures has another size, so nothing is known of that.
Result<std::vector<Envelope>> fetch_envelopes(RangeClient& client, const std::string& url, std::uint64_t offset,
                                              const std::stop_token& stop) {
    // If the file ends there, a range that began there would be refused.
    const std::uint64_t before = offset == 0 ? 0 : 1;
    FARDEL_TRY_ASSIGN(
        const CollectedRange received,
        fetch_range(client, {url},
                    {.url = {}, .offset = offset - before, .length_bytes = limits::kTrailerBytesMax + before},
                    kOptionalAttempts, stop));
    if (received.bytes.size() <= before)
        return std::vector<Envelope>();
    auto envelopes = decode_trailer(std::span(received.bytes).subspan(static_cast<std::size_t>(before)));
    return envelopes ? *std::move(envelopes) : std::vector<Envelope>();
}

}  // namespace

Result<std::optional<AcceptedLater>> fetch_signatures(RangeClient& client, std::span<const std::string> trees,
                                                      const Bundle& bundle, const TrustPolicy& policy,
                                                      const TrustTime& time, SignatureFiles files,
                                                      const std::stop_token& stop) {
    std::vector<std::string> paths{signatures_path_of(bundle.id())};
    if (files == SignatureFiles::all)
        paths.push_back(tree_path_of(bundle.id()));
    // What one server has may complete what another one has.
    std::vector<Envelope> offered;
    for (const std::string& tree : trees)
        for (const std::string& path : paths) {
            const std::uint64_t offset = path.ends_with(".fardel") ? bundle.layout_head().trailer_offset : 0;
            FARDEL_TRY_ASSIGN(const auto envelopes, fetch_envelopes(client, tree + "/" + path, offset, stop));
            FARDEL_TRY_ASSIGN(auto accepted, accept_later(bundle, envelopes, policy, time));
            if (accepted)
                return accepted;
            offered.insert(offered.end(), envelopes.begin(), envelopes.end());
            FARDEL_TRY_ASSIGN(accepted, accept_later(bundle, offered, policy, time));
            if (accepted)
                return accepted;
        }
    return std::optional<AcceptedLater>();
}

Result<std::optional<AcceptedLater>> fetch_signatures(const FetchContext& context, const Bundle& bundle,
                                                      SignatureFiles files) {
    const FetchWork& work = context.options.work;
    return fetch_signatures(context.client, context.trees, bundle, *work.policy, work.time, files,
                            context.options.stop);
}

}  // namespace fardel
