// The functions of fardel_tools.h about keys and signatures.

#include "signers.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/format/author_statement.h>
#include <fardel/format/bundle.h>
#include <fardel/format/envelope.h>
#include <fardel/format/key_file.h>
#include <fardel/format/staged_file.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel::c {
namespace {

constexpr std::size_t kSignOptionsBytesLeast = offsetof(fardel_sign_options, expires_s) + sizeof(std::uint64_t);

fardel_public_key plain_key(const PublicKey& key) noexcept {
    fardel_public_key plain;
    std::memcpy(plain.bytes, key.bytes.data(), sizeof plain.bytes);
    return plain;
}

class CallersSigner final : public Signer {
public:
    CallersSigner(const PublicKey& key, fardel_sign_message sign, void* context) noexcept
        : key_(key), sign_(sign), context_(context) {}

    PublicKey public_key() const override { return key_; }
    Result<Signature> sign(std::span<const std::byte> message) override {
        Signature signature;
        const fardel_code code = sign_(context_, message.data(), message.size(), signature.bytes.data());
        if (code != FARDEL_OK)
            return Error(error_code_of(code), "the program's own signer does not sign");
        // A signature that nobody accepts would make the bundle worthless after it was published.
        if (!verify_signature(key_, message, signature))
            return Error(ErrorCode::corrupt, "the signature does not verify under the signer's key " + key_.hex());
        return signature;
    }

private:
    PublicKey key_;
    fardel_sign_message sign_;
    void* context_;
};

class BorrowedSigner final : public Signer {
public:
    explicit BorrowedSigner(Signer& signer) noexcept : signer_(signer) {}
    PublicKey public_key() const override { return signer_.public_key(); }
    Result<Signature> sign(std::span<const std::byte> message) override { return signer_.sign(message); }

private:
    Signer& signer_;
};

// Writes both files, or none.
Result<PublicKey> create_key(const std::string& path, std::optional<std::string_view> passphrase,
                             std::string_view comment) {
    const std::string public_path = path + ".pub";
    const SecretKey key = SecretKey::generate();
    FARDEL_TRY_ASSIGN(const std::string public_text, format_public_key(key.public_key(), comment));
    FARDEL_TRY_ASSIGN(const std::string secret_text, encode_key_file(key, passphrase, comment));
    FARDEL_TRY(write_key_file(public_path, public_text));
    if (Status written = write_key_file(path, secret_text); !written) {
        static_cast<void>(remove_file(public_path, public_path));
        return std::move(written).error();
    }
    // A file that stays private does no harm.
    static_cast<void>(set_permissions(public_path, 0644, public_path));
    return key.public_key();
}

// A signature vouches for every byte, so all of them are read (tests/ATTACKS.md, A122).
Status verify_all(const Bundle& bundle) {
    VerifyOptions options;
    options.local_layout_allowed = true;  // an author also signs a layout that nobody has signed yet
    FARDEL_TRY_ASSIGN(const VerifyReport report, verify_bundle(bundle.source(), options));
    if (report.good())
        return ok();
    const auto first = std::ranges::find(report.findings, FindingSeverity::error, &VerifyFinding::severity);
    return Error(first->code, format_finding(*first) + "; nothing was signed").with_context(bundle.label());
}

Status sign_file(const std::string& path, Signer& signer, const Statement& stated) {
    FARDEL_TRY_ASSIGN(auto source, open_file_source(path));
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(std::move(source), {.label = path}));
    FARDEL_TRY(verify_signature_room(*bundle));
    FARDEL_TRY(verify_all(*bundle));
    FARDEL_TRY_ASSIGN(Statement statement, statement_about(*bundle));
    statement.channel = stated.channel;
    statement.comment = stated.comment;
    statement.epoch = stated.epoch;
    statement.created = stated.created;
    statement.expires = stated.expires;
    FARDEL_TRY_ASSIGN(const Envelope envelope, sign_as_author(*bundle, std::move(statement), signer));
    FARDEL_TRY_ASSIGN(const auto bytes, encode_envelope(envelope));
    return append_to_file(path, bundle->source()->size_bytes(), bytes);
}

}  // namespace

fardel_code read_sign_options(const fardel_sign_options* given, Statement& statement, const Report& report) {
    fardel_sign_options options = FARDEL_SIGN_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kSignOptionsBytesLeast, options, report); bad != FARDEL_OK)
        return bad;
    statement.channel = options.channel != nullptr ? options.channel : "";
    statement.comment = options.comment != nullptr ? options.comment : "";
    statement.epoch = options.epoch;
    statement.created = options.created_s != 0 ? UnixTime{options.created_s} : system_now();
    if (options.expires_s != 0)
        statement.expires = UnixTime{options.expires_s};
    if (has_passed(statement.expires, statement.created))
        return report.fail(FARDEL_ERROR_EXPIRED, "the signature would end before it begins");
    return FARDEL_OK;
}

std::unique_ptr<Signer> borrow_signer(fardel_signer& signer) {
    return std::make_unique<BorrowedSigner>(*signer.signer);
}

}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

void fardel_sign_options_init(fardel_sign_options* options, size_t struct_size) {
    init(fardel_sign_options FARDEL_SIGN_OPTIONS_INIT, options, struct_size);
}

fardel_code fardel_key_create(const char* path, const char* passphrase, const char* comment, fardel_public_key* key,
                              fardel_error* error) {
    return call(error, path != nullptr, [&](const Report& report) {
        std::optional<std::string_view> secret;
        if (passphrase != nullptr)
            secret = passphrase;
        return report.end(create_key(path, secret, comment != nullptr ? comment : ""), [&](const PublicKey& made) {
            if (key != nullptr)
                *key = plain_key(made);
        });
    });
}

fardel_code fardel_signer_open(const char* path, const char* passphrase, fardel_signer** signer, fardel_error* error) {
    if (signer != nullptr)
        *signer = nullptr;
    return call(error, path != nullptr && signer != nullptr, [&](const Report& report) {
        const auto provide = [&]() -> Result<std::string> {
            if (passphrase == nullptr)
                return Error(ErrorCode::denied, std::string(path) + ": the key is encrypted; give its passphrase");
            return std::string(passphrase);
        };
        return report.end(read_key_file(path, provide), [&](SecretKey key) {
            *signer = new fardel_signer{make_key_signer(std::move(key)), path};
        });
    });
}

fardel_code fardel_signer_create(const fardel_public_key* key, fardel_sign_message sign, void* context,
                                 fardel_signer** signer, fardel_error* error) {
    if (signer != nullptr)
        *signer = nullptr;
    return call(error, key != nullptr && sign != nullptr && signer != nullptr, [&](const Report&) {
        PublicKey public_key;
        std::memcpy(public_key.bytes.data(), key->bytes, sizeof key->bytes);
        *signer = new fardel_signer{std::make_unique<CallersSigner>(public_key, sign, context), ""};
        return fardel_code{FARDEL_OK};
    });
}

fardel_public_key fardel_signer_key(const fardel_signer* signer) {
    return signer != nullptr ? plain_key(signer->signer->public_key()) : fardel_public_key{};
}

void fardel_signer_close(fardel_signer* signer) { delete signer; }

fardel_code fardel_sign_file(const char* path, fardel_signer* signer, const fardel_sign_options* options,
                             fardel_error* error) {
    return call(error, path != nullptr && signer != nullptr, [&](const Report& report) {
        Statement stated;
        if (const fardel_code bad = read_sign_options(options, stated, report); bad != FARDEL_OK)
            return bad;
        return report.end(sign_file(path, *signer->signer, stated));
    });
}
