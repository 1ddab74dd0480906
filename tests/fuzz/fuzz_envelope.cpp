// Bytes that decode as a trailer are exactly what their envelopes encode to; and no such trailer is trusted by a policy
// that lists another key.
#include "require.h"

#include <fardel/format/envelope.h>
#include <fardel/format/limits.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>
#include <cstdint>

using namespace fardel;

namespace {

const TrustPolicy& policy() {
    static const TrustPolicy only = [] {
        PublicKey unused;
        unused.bytes.fill(0x5a);  // its secret key is unknown
        TrustRules rules = make_policy(std::vector{PolicyKey{"nobody", unused}}, {}).value().rules();
        rules.licenses = {{.pattern = "**", .labels = {"nobody"}}};
        return TrustPolicy::make(std::move(rules)).value();
    }();
    return only;
}

}  // namespace

int fuzz_envelope(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    if (const auto token = decode_envelope(bytes); token && token->type == EnvelopeType::license_token) {
        const auto again = encode_envelope(*token);
        require(again && std::ranges::equal(*again, bytes));
        const BundleIdentity any{.bundle = {}, .layout = {}, .name = "maps/dm01", .version = {}};
        require(!policy().verify_license(std::span(&*token, 1), any, UnixTime{1'750'000'000}));
    }
    const auto envelopes = decode_trailer(bytes);
    if (!envelopes)
        return 0;
    std::vector<std::byte> again;
    for (const Envelope& envelope : *envelopes) {
        const auto part = encode_envelope(envelope);
        require(part.has_value());
        again.insert(again.end(), part->begin(), part->end());
    }
    require(std::ranges::equal(again, bytes));

    // The bundle is the one that the first statement is about, so that its signatures are checked.
    BundleIdentity bundle;
    if (!envelopes->empty())
        if (const auto statement = decode_statement(envelopes->front().payload)) {
            bundle.bundle = statement->bundle;
            bundle.name = statement->name;
            bundle.version = statement->version;
        }
    const auto verdict = policy().evaluate(*envelopes, bundle, UnixTime{1'750'000'000});
    require(verdict && !verdict->trusted && verdict->refusal && !verdict->layout_signed);
    return 0;
}
