// RegistryRequest: what an author asks a registry to do, signed with the author's key; there are no passwords.
//
// The signature is a header of the request: "Authorization: Fardel <64 digits of the key> <seconds> <128 digits>". It
// covers what is asked for, the URL of the registry as the author gave it, its channel, and the time. So a server that
// receives it cannot use it at another registry, and whoever records it can repeat the same request alone, for
// kRegistryRequestLifeSeconds: an upload that brings the same bundle, or the recall of what was recalled.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::uint64_t kRegistryRequestLifeSeconds = 600;  // before and after the time that it names
inline constexpr std::size_t kRegistryReasonBytesMax = 128;        // kChannelReasonBytesMax

enum class RegistryAction : std::uint8_t { upload, recall, question };

struct RegistryRequest {
    RegistryAction action = RegistryAction::upload;
    std::string url;  // of the registry
    std::string channel;
    BundleId bundle;
    std::string reason;  // of a recall: UTF-8 without control characters
};

// Returns the value of the header. Errors: those of the signer.
Result<std::string> sign_registry_request(const RegistryRequest& request, UnixTime now, Signer& signer);

// Returns the key that signed the request, for one of `urls`, at about this time. `request.url` is left out. Errors:
// malformed (the header), expired (another time), untrusted (the signature).
Result<PublicKey> verify_registry_request(std::string_view header, RegistryRequest request,
                                          std::span<const std::string> urls, UnixTime now);

}  // namespace fardel
