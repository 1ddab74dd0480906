#include <fardel/vfs/pure_messages.h>

#include "domain_hash.h"
#include "fixed_record.h"

namespace fardel {
namespace {

constexpr std::string_view kOfferMagic = "FARDELPO";
constexpr std::string_view kAnswerMagic = "FARDELPA";
constexpr std::string_view kVerdictMagic = "FARDELPV";

constexpr PureRefusalText kRefusals[] = {
    {"unknown-offer", "the answer is to an offer that this server has not made, or has forgotten"},
    {"replayed", "an answer to this offer has been taken before; ask for a new offer"},
    {"expired", "the answer came too late; ask for a new offer"},
    {"other-connection", "the answer was made for another connection"},
    {"other-policy", "the answer is about another policy; fetch the server's policy again"},
    {"bad-variants", "the answer names variants that the policy does not have"},
    {"client-problems", "the client itself reports what is wrong; see its report"},
    {"wrong-report", "the report is not the one that the answer names"},
    {"wrong-proof", "the client's content, its order, its variants or its connection are not those of the server"},
};

bool is_source(std::string_view source) {
    return !source.empty() && std::ranges::all_of(source, [](char c) { return c > ' ' && c <= '~'; });
}

// The sources' text field: a line each, then zeros.
void read_sources(FixedReader& in, std::vector<std::string>& sources) {
    const auto bytes = in.raw(kPureSourcesBytes);
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string_view padding = text.substr(std::min(text.find('\0'), text.size()));
    text.remove_suffix(padding.size());
    if (padding.find_first_not_of('\0') != std::string_view::npos)
        in.fail(ErrorCode::malformed, "bytes behind the sources");
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view source = text.substr(0, end);
        if (end == std::string_view::npos || !is_source(source))
            return in.fail(ErrorCode::malformed, "a source that is not printable ASCII in a line of its own");
        sources.emplace_back(source);
        text.remove_prefix(end + 1);
    }
}

}  // namespace

Result<std::array<std::byte, kPureOfferBytes>> encode_pure_offer(const PureOffer& offer) {
    std::string sources;
    for (const std::string& source : offer.sources) {
        if (!is_source(source))
            return Error(ErrorCode::malformed, "pure offer: a source is printable ASCII without spaces");
        sources += source + "\n";
    }
    if (sources.size() > kPureSourcesBytes)
        return Error(ErrorCode::limit, "pure offer: sources of " + std::to_string(sources.size()) + " bytes, at most " +
                                           std::to_string(kPureSourcesBytes) + " allowed");
    std::array<std::byte, kPureOfferBytes> bytes{};
    FixedWriter out(bytes);
    out.header(kOfferMagic);
    out.id(offer.nonce);
    out.id(offer.policy);
    out.padded(sources, kPureSourcesBytes);
    return bytes;
}

Result<PureOffer> decode_pure_offer(std::span<const std::byte> bytes) {
    FixedReader in(bytes, kPureOfferBytes, "pure offer");
    PureOffer offer;
    in.header(kOfferMagic);
    offer.nonce = in.id<Hash>();
    offer.policy = in.id<Hash>();
    read_sources(in, offer.sources);
    FARDEL_TRY(in.finish());
    return offer;
}

std::array<std::byte, kPureAnswerBytes> encode_pure_answer(const PureAnswer& answer) noexcept {
    std::array<std::byte, kPureAnswerBytes> bytes{};
    FixedWriter out(bytes);
    out.header(kAnswerMagic);
    out.id(answer.nonce);
    out.id(answer.policy);
    out.id(answer.connection);
    out.id(answer.report);
    for (const std::uint32_t tags : answer.variants)
        out.number(tags);
    out.id(answer.proof);
    return bytes;
}

Result<PureAnswer> decode_pure_answer(std::span<const std::byte> bytes) {
    FixedReader in(bytes, kPureAnswerBytes, "pure answer");
    PureAnswer answer;
    in.header(kAnswerMagic);
    answer.nonce = in.id<Hash>();
    answer.policy = in.id<Hash>();
    answer.connection = in.id<Hash>();
    answer.report = in.id<Hash>();
    for (std::uint32_t& tags : answer.variants)
        tags = in.number<std::uint32_t>();
    answer.proof = in.id<Hash>();
    FARDEL_TRY(in.finish());
    return answer;
}

Hash hash_connection(std::string_view connection) noexcept {
    return domain_hash("fardel pure connection 1", connection);
}

std::array<std::byte, kPureVerdictBytes> encode_pure_verdict(const PureVerdict& verdict) noexcept {
    std::array<std::byte, kPureVerdictBytes> bytes{};
    FixedWriter out(bytes);
    out.header(kVerdictMagic);
    out.id(verdict.nonce);
    out.number(verdict.refusals);
    for (const std::uint32_t count : verdict.problems)
        out.number(count);
    out.id(verdict.report);
    return bytes;
}

Result<PureVerdict> decode_pure_verdict(std::span<const std::byte> bytes) {
    FixedReader in(bytes, kPureVerdictBytes, "pure verdict");
    PureVerdict verdict;
    in.header(kVerdictMagic);
    verdict.nonce = in.id<Hash>();
    verdict.refusals = in.number<std::uint32_t>();
    if ((verdict.refusals & ~kPureRefusalsKnown) != 0)
        in.fail(ErrorCode::unsupported, "a refusal that this library does not know");
    for (std::uint32_t& count : verdict.problems)
        count = in.number<std::uint32_t>();
    verdict.report = in.id<Hash>();
    FARDEL_TRY(in.finish());
    return verdict;
}

std::vector<PureRefusalText> refusal_texts(const PureVerdict& verdict) {
    std::vector<PureRefusalText> texts;
    for (std::size_t i = 0; i < std::size(kRefusals); ++i)
        if ((verdict.refusals >> i & 1) != 0)
            texts.push_back(kRefusals[i]);
    return texts;
}

}  // namespace fardel
