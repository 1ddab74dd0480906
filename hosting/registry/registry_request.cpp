#include <fardel/hosting/registry_request.h>

#include <fardel/base/text_fields.h>
#include <fardel/format/envelope.h>

#include <algorithm>
#include <vector>

namespace fardel {
namespace {

constexpr std::string_view kRequestScheme = "Fardel ";
constexpr std::string_view kRequestType = "registry request";

std::string_view action_word(RegistryAction action) {
    switch (action) {
        case RegistryAction::upload: return "upload";
        case RegistryAction::recall: return "recall";
        case RegistryAction::question: break;
    }
    return "question";
}

std::vector<std::byte> message_of(const RegistryRequest& request, UnixTime date) {
    const std::string body = "fardel-registry-request 1\n" + std::string(action_word(request.action)) + "\nurl " +
                             request.url + "\nchannel " + request.channel + "\nbundle " + request.bundle.hex() +
                             "\ndate " + std::to_string(date.seconds) + "\n" +
                             (request.action == RegistryAction::recall ? "reason " + request.reason + "\n" : "");
    return signed_message(kRequestType, std::as_bytes(std::span(body)));
}

}  // namespace

Result<std::string> sign_registry_request(const RegistryRequest& request, UnixTime now, Signer& signer) {
    FARDEL_TRY_ASSIGN(const Signature signature, signer.sign(message_of(request, now)));
    return std::string(kRequestScheme) + signer.public_key().hex() + " " + std::to_string(now.seconds) + " " +
           signature.hex();
}

Result<PublicKey> verify_registry_request(std::string_view header, RegistryRequest request,
                                          std::span<const std::string> urls, UnixTime now) {
    if (!header.starts_with(kRequestScheme))
        return Error(ErrorCode::malformed, "the request has no signature; give 'fardel publish' a --key");
    header.remove_prefix(kRequestScheme.size());
    FARDEL_TRY_ASSIGN(const PublicKey key, PublicKey::parse(read_until(header, ' ')));
    const auto date = parse_decimal(read_until(header, ' '), UINT64_MAX);
    FARDEL_TRY_ASSIGN(const Signature signature, Signature::parse(header));
    if (!date)
        return Error(ErrorCode::malformed, "the request has no time");
    const std::uint64_t apart = std::max(*date, now.seconds) - std::min(*date, now.seconds);
    const bool is_signed = std::ranges::any_of(urls, [&](const std::string& url) {
        request.url = url;
        return verify_signature(key, message_of(request, {*date}), signature);
    });
    if (!is_signed)
        return Error(ErrorCode::untrusted, "the signature of the request is not one of its key for this registry");
    if (apart > kRegistryRequestLifeSeconds)
        return Error(ErrorCode::expired,
                     "the request was signed " + std::to_string(apart) +
                         " seconds before or after the time of this server; are both clocks right?");
    return key;
}

}  // namespace fardel
