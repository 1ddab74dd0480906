// Texts with signatures behind them. docs/channels.md, "The texts".
#include "channel_lines.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/channel.h>
#include <fardel/format/envelope.h>
#include <fardel/format/limits.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::string_view kSignatureWord = "signature";
// "signature", two ids in hexadecimal digits, spaces and the line feed.
constexpr std::size_t kSignatureLineBytes = kSignatureWord.size() + 1 + 64 + 1 + 128 + 1;

Error bad_text(ChannelText kind, std::string what) {
    return Error(ErrorCode::malformed, "channel " + std::string(channel_text_name(kind)) + ": " + std::move(what));
}

std::vector<std::byte> message_of(ChannelText kind, std::string_view body) {
    return signed_message("channel " + std::string(channel_text_name(kind)), std::as_bytes(std::span(body)));
}

// Returns the offset of the first signature: the lines behind the body are all of one length.
std::size_t find_signatures(std::string_view file) {
    std::size_t at = file.size();
    while (at >= kSignatureLineBytes && file.substr(at - kSignatureLineBytes).starts_with(kSignatureWord) &&
           (at == kSignatureLineBytes || file[at - kSignatureLineBytes - 1] == '\n'))
        at -= kSignatureLineBytes;
    return at;
}

Result<TextSignature> parse_signature(ChannelText kind, std::string_view line) {
    std::string_view rest = line;
    read_until(rest, ' ');
    const auto key = PublicKey::parse(read_until(rest, ' '));
    const auto signature = Signature::parse(rest);
    if (!key || !signature)
        return bad_text(kind, "a signature is written \"signature KEY SIGNATURE\"");
    return TextSignature{*key, *signature};
}

}  // namespace

std::size_t channel_file_bytes_max(ChannelText kind) noexcept {
    return channel_body_bytes_max(kind) + limits::kSignaturesMax * kSignatureLineBytes;
}

Result<SignedText> parse_signed_text(ChannelText kind, std::string_view file) {
    const std::size_t file_bytes_max = channel_file_bytes_max(kind);
    if (file.size() > file_bytes_max)
        return Error(ErrorCode::limit, "channel " + std::string(channel_text_name(kind)) + ": " +
                                           std::to_string(file.size()) + " bytes, at most " +
                                           std::to_string(file_bytes_max) + " allowed");
    if (!file.ends_with('\n'))
        return bad_text(kind, "does not end with a line feed; has it been cut off?");
    // A signature is of bytes, so that this is another text.
    if (file.substr(0, file.find('\n')).ends_with('\r'))
        return bad_text(kind, "line 1 ends in CR LF; save it with LF");
    const std::size_t body_bytes = find_signatures(file);
    const std::size_t signatures = (file.size() - body_bytes) / kSignatureLineBytes;
    if (signatures == 0)
        return bad_text(kind, "has no signature");
    if (signatures > limits::kSignaturesMax)
        return Error(ErrorCode::limit, "channel " + std::string(channel_text_name(kind)) + ": more than " +
                                           std::to_string(limits::kSignaturesMax) + " signatures");
    SignedText text{.body = std::string(file.substr(0, body_bytes)), .signatures = {}};
    for (std::string_view rest = file.substr(body_bytes); !rest.empty();) {
        FARDEL_TRY_ASSIGN(const TextSignature one, parse_signature(kind, read_until(rest, '\n')));
        if (!text.signatures.empty() && !(text.signatures.back().key < one.key))
            return bad_text(kind, "signatures are not in increasing order of their keys");
        text.signatures.push_back(one);
    }
    return text;
}

std::string format_signed_text(const SignedText& text) {
    std::string file = text.body;
    for (const TextSignature& one : text.signatures)
        append_line(file, kSignatureWord, one.key.hex() + " " + one.signature.hex());
    return file;
}

Status sign_text(ChannelText kind, SignedText& text, Signer& signer) {
    const PublicKey key = signer.public_key();
    const auto at = std::ranges::lower_bound(text.signatures, key, {}, &TextSignature::key);
    if (at != text.signatures.end() && at->key == key)
        return Error(ErrorCode::conflict, "key " + key_id(key) + " has signed it already");
    if (text.signatures.size() == limits::kSignaturesMax)
        return Error(ErrorCode::limit, "more than " + std::to_string(limits::kSignaturesMax) + " signatures");
    FARDEL_TRY_ASSIGN(const Signature signature, signer.sign(message_of(kind, text.body)));
    text.signatures.insert(at, {key, signature});
    return ok();
}

Status verify_signers(ChannelText kind, const SignedText& text, const ChannelRoot& root, const ChannelRole& role) {
    const std::vector<std::byte> message = message_of(kind, text.body);
    const std::vector<PublicKey> keys = root.keys_of(role);
    std::uint32_t good = 0;
    for (const TextSignature& one : text.signatures)
        if (std::ranges::binary_search(keys, one.key) && verify_signature(one.key, message, one.signature))
            ++good;
    if (good >= role.threshold)
        return ok();
    std::string labels;
    for (const std::string& label : role.labels)
        labels += (labels.empty() ? "" : ", ") + label;
    return Error(ErrorCode::untrusted, "channel " + std::string(channel_text_name(kind)) + ": " + std::to_string(good) +
                                           " good signatures by keys of root " + std::to_string(root.version) +
                                           ", which requires " + std::to_string(role.threshold) + " of " + labels);
}

}  // namespace fardel
