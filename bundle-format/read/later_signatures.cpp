#include <fardel/format/later_signatures.h>

#include <fardel/format/bundle.h>
#include <fardel/format/extended_source.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

bool is_sound(const Envelope& envelope) {
    const bool is_known = envelope.type == EnvelopeType::statement || envelope.type == EnvelopeType::countersignature;
    return is_known && std::ranges::all_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
               return verify_envelope_signature(envelope, entry);
           });
}

// Whether the error is about the signatures, so that others may do.
bool is_refusal(ErrorCode code) {
    return code == ErrorCode::untrusted || code == ErrorCode::revoked || code == ErrorCode::expired ||
           code == ErrorCode::unsupported || code == ErrorCode::limit;
}

// Returns nullptr if the policy does not accept the bundle with these envelopes at its end.
Result<std::shared_ptr<const Bundle>> open_with(const Bundle& bundle, std::span<const Envelope> added,
                                                const TrustPolicy& policy, const TrustTime& time) {
    FARDEL_TRY_ASSIGN(auto end, encode_envelopes(added));
    auto opened = Bundle::open(extend_source(bundle.source(), std::move(end)),
                               {.policy = &policy, .time = time, .cache = {}, .label = bundle.label()});
    if (!opened && is_refusal(opened.error().code()))
        return std::shared_ptr<const Bundle>();
    return opened;
}

}  // namespace

std::vector<Envelope> missing_envelopes(std::span<const Envelope> there, std::span<const Envelope> offered) {
    std::vector<Envelope> missing;
    for (const Envelope& envelope : offered)
        if (std::ranges::find(there, envelope) == there.end() && std::ranges::find(missing, envelope) == missing.end())
            missing.push_back(envelope);
    return missing;
}

Result<std::vector<std::byte>> encode_envelopes(std::span<const Envelope> envelopes) {
    std::vector<std::byte> bytes;
    for (const Envelope& envelope : envelopes) {
        FARDEL_TRY_ASSIGN(const auto one, encode_envelope(envelope));
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

Result<std::optional<AcceptedLater>> accept_later(const Bundle& bundle, std::span<const Envelope> offered,
                                                  const TrustPolicy& policy, const TrustTime& time) {
    AcceptedLater accepted;
    accepted.added = missing_envelopes(bundle.envelopes(), offered);
    std::erase_if(accepted.added, [](const Envelope& envelope) { return !is_sound(envelope); });
    if (accepted.added.empty())
        return std::optional<AcceptedLater>();
    FARDEL_TRY_ASSIGN(accepted.bundle, open_with(bundle, accepted.added, policy, time));
    if (accepted.bundle == nullptr)
        return std::optional<AcceptedLater>();
    // A trailer has few places. Who offers signatures that nobody asked for must not fill them.
    for (std::size_t i = accepted.added.size(); i-- > 0;) {
        std::vector<Envelope> fewer = accepted.added;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        FARDEL_TRY_ASSIGN(auto opened, open_with(bundle, fewer, policy, time));
        if (opened == nullptr)
            continue;
        accepted.added = std::move(fewer);
        accepted.bundle = std::move(opened);
    }
    return std::optional(std::move(accepted));
}

}  // namespace fardel
