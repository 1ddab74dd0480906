// fardel registry sign: the signer program of a registry, which has one of its keys and signs nothing but what that key
// is for.

#include "console/signing_key.h"
#include "registry/registry_verbs.h"

#include <fardel/base/clock.h>
#include <fardel/base/descriptor.h>
#include <fardel/base/file.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/channel.h>
#include <fardel/format/envelope.h>
#include <fardel/format/name.h>
#include <fardel/hosting/channel_dates.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kMessageBytesMax = 65u << 20;  // a release, and what stands before it

struct SignCommand {
    std::string role;
    std::string channel;  // empty: any
    SigningKey key;
};

Result<std::vector<std::byte>> read_message() {
    Descriptor input(0);
    std::vector<std::byte> message;
    std::array<std::byte, 64u << 10> buffer{};
    for (;;) {
        auto count = read_some(input, buffer, "standard input");
        if (!count || *count == 0) {
            static_cast<void>(input.release());
            return count ? Result<std::vector<std::byte>>(std::move(message)) : std::move(count).error();
        }
        if (message.size() + *count > kMessageBytesMax) {
            static_cast<void>(input.release());
            return Error(ErrorCode::limit, "the message has more than " + std::to_string(kMessageBytesMax) + " bytes");
        }
        message.insert(message.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*count));
    }
}

// Returns the payload of a message of that type. Error: untrusted.
Result<std::span<const std::byte>> payload_in(std::span<const std::byte> message, std::span<const std::byte> empty) {
    const std::size_t begin = empty.size();  // with the 8 bytes that say how long the payload is
    if (message.size() < begin || !std::ranges::equal(message.first(begin - 8), empty.first(begin - 8)))
        return Error(ErrorCode::untrusted, "the message is not of the kind that this key signs");
    return message.subspan(begin);
}

template <class Value>
Status verify_channel_of(const Result<Value>& text, const SignCommand& command) {
    if (!text)
        return text.error();
    if (!command.channel.empty() && text->channel != command.channel)
        return Error(ErrorCode::untrusted, "the message is about channel " + printable(text->channel));
    return ok();
}

// Before the key is used: whoever accepts such a text is kept from those that follow it.
Status verify_date(ChannelText kind, std::string_view body) {
    const auto ahead = describe_ahead(kind, std::string(body), system_now());
    return ahead ? Error(ErrorCode::denied, *ahead + "; set the clock that is wrong; nothing was signed") : ok();
}

Status verify_message(std::span<const std::byte> message, const SignCommand& command, const PublicKey& key) {
    if (command.role == "registry") {
        FARDEL_TRY_ASSIGN(const auto payload, payload_in(message, signed_message(EnvelopeType::countersignature, {})));
        FARDEL_TRY_ASSIGN(const Countersignature said, decode_countersignature(payload));
        if (said.role != SignerRole::registry || said.signer != key)
            return Error(ErrorCode::untrusted, "the message is no countersignature of a registry by this key");
        return ok();
    }
    FARDEL_TRY_ASSIGN(const auto payload, payload_in(message, signed_message("channel " + command.role, {})));
    const std::string_view body = as_text(payload);
    const ChannelText kind = command.role == "release" ? ChannelText::release : ChannelText::head;
    FARDEL_TRY(kind == ChannelText::release ? verify_channel_of(parse_channel_release(body), command)
                                            : verify_channel_of(parse_channel_head(body), command));
    return verify_date(kind, body);
}

Result<Exit> sign(const SignCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const auto signer, open_signer(command.key));
    FARDEL_TRY_ASSIGN(const auto message, read_message());
    FARDEL_TRY(verify_message(message, command, signer->public_key()));
    FARDEL_TRY_ASSIGN(const Signature signature, signer->sign(message));
    return console.print(signature.hex() + "\n");
}

}  // namespace

Result<Exit> run_registry_sign(Words words, Console& console) {
    CommandLine line(
        "registry sign", "ROLE --key KEY [--channel NAME]",
        "A signer program for 'fardel serve --registry --signer': reads a message from standard input "
        "and prints its signature as 128 digits. It signs nothing but countersignatures, releases or heads, "
        "as ROLE says, so that the server, which has no key, can have nothing else signed.",
        "  fardel registry sign head --key /etc/hub/head.key --channel hub/stable\n"
        "  printf '#!/bin/sh\\nexec sudo -n -u hubkeys "
        "fardel registry sign \"$1\" --key /etc/hub/$1.key\\n' >hub-signer\n");
    SignCommand command;
    line.text("ROLE", "ROLE", command.role, "registry, release or head: what the key is for").required();
    add_signing_options(line, command.key).required();
    line.text("--channel", "NAME", command.channel, "Sign releases and heads of this channel only");
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.role != "registry" && command.role != "release" && command.role != "head")
        return line.mistake("ROLE is registry, release or head", console);
    return sign(command, console);
}

}  // namespace fardel
