#include <fardel/vfs/pure_check.h>

#include "domain_hash.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/text_fields.h>

#include <algorithm>
#include <cassert>
#include <iterator>

namespace fardel {
namespace {

constexpr std::string_view kOfferMagic = "FARDELPO";
constexpr std::string_view kAnswerMagic = "FARDELPA";
constexpr std::string_view kVerdictMagic = "FARDELPV";

constexpr PureRefusalText kRefusals[] = {
    {"unknown-offer", "the answer is to an offer that this server has not made, or has forgotten"},
    {"replayed", "an answer to this offer has been taken before, or a newer offer was made; ask for a new offer"},
    {"expired", "the answer came too late; ask for a new offer"},
    {"other-connection", "the answer was made for another connection"},
    {"other-policy", "the answer is about another policy; fetch the server's policy again"},
    {"bad-variants", "the answer names variants that the policy does not have"},
    {"client-problems", "the client itself reports what is wrong; see its report"},
    {"wrong-report", "the report is not the one that the answer names"},
    {"wrong-proof", "the client's content, its order, its variants or its connection are not those of the server"},
};

// Magic of 8 bytes, version 2.0, no required features.
void write_header(ByteWriter& out, std::string_view magic) {
    out.text(magic);
    out.u16(2);
    out.u16(0);
    out.u32(0);
}

// A reader of a message, behind its header. Each message has one size.
ByteReader read_header(std::span<const std::byte> bytes, std::size_t size_bytes, std::string_view magic,
                       std::string_view subject) {
    ByteReader in(bytes, subject);
    // Of fixed size, whatever the number of bundles: in older schemes, hundreds of archives overflowed the message.
    if (bytes.size() != size_bytes)
        in.fail(ErrorCode::malformed, std::to_string(bytes.size()) + " bytes, not " + std::to_string(size_bytes));
    if (in.text(magic.size()) != magic)
        in.fail(ErrorCode::malformed, "does not begin with " + std::string(magic));
    if (const auto major = in.u16(); major != 2)
        in.fail(ErrorCode::unsupported, "version " + std::to_string(major) + ", this library knows 2");
    if (in.u16() != 0)
        in.fail(ErrorCode::unsupported, "a later minor version; this library knows 2.0");
    if (in.u32() != 0)
        in.fail(ErrorCode::unsupported, "needs a feature that this library does not know");
    return in;
}

template <std::size_t Size>
std::array<std::byte, Size> message_of(const ByteWriter& out) {
    assert(out.size_bytes() == Size);
    std::array<std::byte, Size> bytes{};
    std::ranges::copy(out.bytes(), bytes.begin());
    return bytes;
}

bool is_source(std::string_view source) {
    return !source.empty() && std::ranges::all_of(source, [](char c) { return c > ' ' && c <= '~'; });
}

// Reads the text field of the sources: one per line, then zeros.
void read_sources(ByteReader& in, std::vector<ForeignUrl>& sources) {
    std::string_view text = in.text(kPureSourcesBytes);
    const std::string_view padding = text.substr(std::min(text.find('\0'), text.size()));
    text.remove_suffix(padding.size());
    if (padding.find_first_not_of('\0') != std::string_view::npos)
        in.fail(ErrorCode::malformed, "bytes after the sources");
    while (!text.empty()) {
        const auto source = read_terminated(text, '\n');
        if (!source || !is_source(*source))
            return in.fail(ErrorCode::malformed, "a source that is not printable ASCII on its own line");
        sources.emplace_back(std::string(*source));
    }
}

}  // namespace

Result<std::array<std::byte, kPureOfferBytes>> encode_pure_offer(const PureOffer& offer) {
    std::string sources;
    for (const ForeignUrl& source : offer.sources) {
        if (!is_source(source.named()))
            return Error(ErrorCode::malformed, "pure offer: a source is printable ASCII without spaces");
        sources += source.named() + "\n";
    }
    if (sources.size() > kPureSourcesBytes)
        return Error(ErrorCode::limit, "pure offer: sources of " + std::to_string(sources.size()) + " bytes, at most " +
                                           std::to_string(kPureSourcesBytes) + " allowed");
    ByteWriter out;
    write_header(out, kOfferMagic);
    out.fixed(offer.nonce);
    out.fixed(offer.policy);
    out.fixed(offer.epoch);
    out.padded_text(sources, kPureSourcesBytes);
    return message_of<kPureOfferBytes>(out);
}

Result<PureOffer> decode_pure_offer(std::span<const std::byte> bytes) {
    ByteReader in = read_header(bytes, kPureOfferBytes, kOfferMagic, "pure offer");
    PureOffer offer;
    offer.nonce = in.fixed<Hash>();
    offer.policy = in.fixed<Hash>();
    offer.epoch = in.fixed<Hash>();
    read_sources(in, offer.sources);
    FARDEL_TRY(in.finish());
    return offer;
}

std::array<std::byte, kPureAnswerBytes> encode_pure_answer(const PureAnswer& answer) {
    ByteWriter out;
    write_header(out, kAnswerMagic);
    out.fixed(answer.nonce);
    out.fixed(answer.policy);
    out.fixed(answer.connection);
    out.fixed(answer.report);
    for (const std::uint32_t tags : answer.variants)
        out.u32(tags);
    out.fixed(answer.proof);
    return message_of<kPureAnswerBytes>(out);
}

Result<PureAnswer> decode_pure_answer(std::span<const std::byte> bytes) {
    ByteReader in = read_header(bytes, kPureAnswerBytes, kAnswerMagic, "pure answer");
    PureAnswer answer;
    answer.nonce = in.fixed<Hash>();
    answer.policy = in.fixed<Hash>();
    answer.connection = in.fixed<Hash>();
    answer.report = in.fixed<Hash>();
    for (std::uint32_t& tags : answer.variants)
        tags = in.u32();
    answer.proof = in.fixed<Hash>();
    FARDEL_TRY(in.finish());
    return answer;
}

Hash hash_connection(std::string_view connection) noexcept {
    return domain_hash("fardel pure connection 1", connection);
}

std::array<std::byte, kPureVerdictBytes> encode_pure_verdict(const PureVerdict& verdict) {
    ByteWriter out;
    write_header(out, kVerdictMagic);
    out.fixed(verdict.nonce);
    out.u32(verdict.refusals);
    for (const std::uint32_t count : verdict.problems)
        out.u32(count);
    out.fixed(verdict.report);
    return message_of<kPureVerdictBytes>(out);
}

Result<PureVerdict> decode_pure_verdict(std::span<const std::byte> bytes) {
    ByteReader in = read_header(bytes, kPureVerdictBytes, kVerdictMagic, "pure verdict");
    PureVerdict verdict;
    verdict.nonce = in.fixed<Hash>();
    verdict.refusals = in.u32();
    if ((verdict.refusals & ~kPureRefusalsKnown) != 0)
        in.fail(ErrorCode::unsupported, "a refusal that this library does not know");
    for (std::uint32_t& count : verdict.problems)
        count = in.u32();
    verdict.report = in.fixed<Hash>();
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
