// Input: bytes of a message of the pure handshake, or text of a policy or report. They are refused, or they are exactly
// what their values encode to. The canonical form of a policy is its own canonical form.
#include "require.h"

#include <fardel/format/name.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_policy.h>

#include <algorithm>
#include <cstdint>

using namespace fardel;

namespace {

void check_messages(std::span<const std::byte> bytes) {
    if (const auto offer = decode_pure_offer(bytes)) {
        const auto again = encode_pure_offer(*offer);
        require(again && std::ranges::equal(*again, bytes));
    }
    if (const auto answer = decode_pure_answer(bytes))
        require(std::ranges::equal(encode_pure_answer(*answer), bytes));
    if (const auto verdict = decode_pure_verdict(bytes)) {
        require(std::ranges::equal(encode_pure_verdict(*verdict), bytes));
        require(refusal_texts(*verdict).empty() == verdict->welcome());
    }
}

void check_policy(std::string_view text) {
    const auto policy = PurePolicy::parse(text);
    if (!policy) {
        require(printable(policy.error().message(), 2000) == policy.error().message());
        return;
    }
    const auto again = PurePolicy::parse(policy->format());
    require(again && again->rules() == policy->rules());
    require(again->format() == policy->format() && again->digest() == policy->digest());
}

void check_report(std::string_view text) {
    if (const auto report = PureReport::parse(text))
        require(report->format() == text);
}

}  // namespace

int fuzz_pure(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_messages(std::as_bytes(std::span(data, size)));
    check_policy(text);
    check_report(text);
    return 0;
}
