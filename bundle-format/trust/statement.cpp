#include <fardel/format/statement.h>

#include "names/unicode.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/envelope.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>

namespace fardel {
namespace {

struct RecordForm {
    std::string_view name;
    std::string_view magic;
};
constexpr RecordForm kStatement{"statement", "FARDELST"};
constexpr RecordForm kCountersignature{"countersignature", "FARDELCS"};
constexpr RecordForm kLicenseToken{"license token", "FARDELLT"};
constexpr std::uint16_t kMajor = 1;
constexpr std::array<std::string_view, 4> kRoleNames = {"", "author", "registry", "release"};

void write_header(ByteWriter& out, std::string_view magic, std::uint16_t minor) {
    out.text(magic);
    out.u16(kMajor);
    out.u16(minor);
    out.u32(0);  // required flags
}

std::uint16_t read_header(ByteReader& in, std::string_view magic) {
    const auto found = in.raw(magic.size());
    if (!std::ranges::equal(found, std::as_bytes(std::span(magic))))
        in.fail(ErrorCode::malformed, "does not begin with " + std::string(magic));
    if (const auto major = in.u16(); major != kMajor)
        in.fail(ErrorCode::unsupported, "version " + std::to_string(major) + ", this library knows 1");
    const auto minor = in.u16();
    if (in.u32() != 0)
        in.fail(ErrorCode::unsupported, "needs a feature that this library does not know");
    return minor;
}

void write_expiry(ByteWriter& out, std::optional<UnixTime> expires) { out.u64(expires ? expires->seconds : 0); }
std::optional<UnixTime> read_expiry(ByteReader& in) {
    const UnixTime expires{in.u64()};
    return expires == UnixTime{} ? std::nullopt : std::optional(expires);
}

Status verify_text(std::string_view text, std::size_t bytes_max, std::string_view field) {
    if (text.size() > bytes_max)
        return Error(ErrorCode::limit, std::string(field) + " of " + std::to_string(text.size()) + " bytes, at most " +
                                           std::to_string(bytes_max) + " allowed");
    if (!unicode::is_plain_text(text))
        return Error(ErrorCode::malformed, std::string(field) + " is not UTF-8 without control characters");
    return ok();
}

// Checks the rules that statement and countersignature share.
template <class Record>
Status verify_shared(const Record& record) {
    FARDEL_TRY(verify_text(record.comment, limits::kCommentBytesMax, "comment"));
    if (has_passed(record.expires, record.created))
        return Error(ErrorCode::malformed, "expires before it was created");
    // Later minor versions append fields, which this one keeps, so that what it encodes again has the same signature.
    if (record.minor == 0 && !record.extra.empty())
        return Error(ErrorCode::malformed, "extra bytes in version 1.0");
    if (record.extra.size() > limits::kStatementBytesMax)
        return Error(ErrorCode::limit, "too many extra bytes");
    return ok();
}

std::string too_many_layouts(std::size_t count) {
    return std::to_string(count) + " layouts, at most " + std::to_string(limits::kLayoutIdsMax) + " allowed";
}

Status verify(const Statement& statement) {
    if (statement.layouts.size() > limits::kLayoutIdsMax)
        return Error(ErrorCode::limit, too_many_layouts(statement.layouts.size()));
    // Increasing, so that one set of layouts has one byte string, and thereby one hash that others countersign.
    if (std::ranges::adjacent_find(statement.layouts, std::ranges::greater_equal()) != statement.layouts.end())
        return Error(ErrorCode::malformed, "layouts are not strictly increasing");
    if (statement.manifest_bytes > limits::kManifestBytesMax)
        return Error(ErrorCode::limit, "manifest of " + std::to_string(statement.manifest_bytes) + " bytes");
    if (auto status = verify_name(statement.name); !status)
        return std::move(status).error().with_context("name");
    FARDEL_TRY(BundleVersion::parse(statement.version));
    if (auto status = statement.channel.empty() ? ok() : verify_name(statement.channel); !status)
        return std::move(status).error().with_context("channel");
    return verify_shared(statement);
}

Status verify(const Countersignature& countersignature) {
    // An author who countersigned would be two signers with one opinion.
    if (countersignature.role == SignerRole{0} || countersignature.role == SignerRole::author)
        return Error(ErrorCode::malformed, role_name(countersignature.role) + " cannot countersign");
    if (countersignature.role > SignerRole::release)
        return Error(ErrorCode::unsupported, role_name(countersignature.role) + " is not known");
    return verify_shared(countersignature);
}

Status verify(const LicenseToken& token) {
    if ((token.bundle == BundleId{}) == token.pattern.empty())
        return Error(ErrorCode::malformed, "is about either a bundle or a pattern of names");
    if (!token.pattern.empty())
        FARDEL_TRY(verify_glob(token.pattern));
    // A token is purged when it has ended; one without an end, which 0 is in a statement, could never be.
    if (token.expires == UnixTime{})
        return Error(ErrorCode::malformed, "has no end");
    return verify_shared(token);
}

// `write_fields` writes the fields between the header and the comment.
template <class Record, class WriteFields>
Result<std::vector<std::byte>> encode(const Record& record, const RecordForm& form, WriteFields write_fields) {
    if (auto status = verify(record); !status)
        return std::move(status).error().with_context(form.name);
    ByteWriter out;
    write_header(out, form.magic, record.minor);
    write_fields(out);
    out.sized_text<std::uint16_t>(record.comment);
    out.sized<std::uint16_t>(record.extra);
    auto bytes = out.take();
    if (bytes.size() > limits::kStatementBytesMax)
        return Error(ErrorCode::limit, std::string(form.name) + " of " + std::to_string(bytes.size()) +
                                           " bytes, at most " + std::to_string(limits::kStatementBytesMax) +
                                           " allowed");
    return bytes;
}

// `read_fields` reads the fields between the header and the comment.
template <class Record, class ReadFields>
Result<Record> decode(std::span<const std::byte> bytes, const RecordForm& form, ReadFields read_fields) {
    if (bytes.size() > limits::kStatementBytesMax)
        return Error(ErrorCode::limit, std::string(form.name) + " of " + std::to_string(bytes.size()) + " bytes");
    ByteReader in(bytes, form.name);
    Record record;
    record.minor = read_header(in, form.magic);
    read_fields(in, record);
    record.comment = in.sized_text<std::uint16_t>(limits::kCommentBytesMax, "comment");
    const auto extra = in.sized<std::uint16_t>(limits::kStatementBytesMax, "extra");
    record.extra.assign(extra.begin(), extra.end());
    FARDEL_TRY(in.finish());
    if (auto status = verify(record); !status)
        return std::move(status).error().with_context(form.name);
    return record;
}

}  // namespace

bool Statement::lists(const LayoutId& layout) const { return std::ranges::find(layouts, layout) != layouts.end(); }

std::string role_name(SignerRole role) {
    const auto number = static_cast<std::size_t>(role);
    return number > 0 && number < kRoleNames.size() ? std::string(kRoleNames[number])
                                                    : "role " + std::to_string(number);
}

std::optional<SignerRole> find_role(std::string_view name) {
    const auto at = std::ranges::find(kRoleNames, name);
    if (name.empty() || at == kRoleNames.end())
        return std::nullopt;
    return static_cast<SignerRole>(at - kRoleNames.begin());
}

Result<std::vector<std::byte>> encode_statement(const Statement& statement) {
    return encode(statement, kStatement, [&](ByteWriter& out) {
        out.fixed(statement.bundle);
        out.u64(statement.manifest_bytes);
        out.u64(statement.raw_bytes);
        out.u64(statement.stored_bytes);
        out.u64(statement.epoch);
        out.u64(statement.created.seconds);
        write_expiry(out, statement.expires);
        out.fixed(statement.author);
        out.u16(static_cast<std::uint16_t>(statement.layouts.size()));
        for (const LayoutId& layout : statement.layouts)
            out.fixed(layout);
        out.sized_text<std::uint16_t>(statement.name);
        out.sized_text<std::uint16_t>(statement.version);
        out.sized_text<std::uint16_t>(statement.channel);
    });
}

Result<Statement> decode_statement(std::span<const std::byte> bytes) {
    return decode<Statement>(bytes, kStatement, [](ByteReader& in, Statement& statement) {
        statement.bundle = in.fixed<BundleId>();
        statement.manifest_bytes = in.u64();
        statement.raw_bytes = in.u64();
        statement.stored_bytes = in.u64();
        statement.epoch = in.u64();
        statement.created.seconds = in.u64();
        statement.expires = read_expiry(in);
        statement.author = in.fixed<PublicKey>();
        const std::size_t layouts = in.u16();
        if (layouts > limits::kLayoutIdsMax)
            in.fail(ErrorCode::limit, too_many_layouts(layouts));
        for (std::size_t i = 0; i < layouts && !in.failed(); ++i)
            statement.layouts.push_back(in.fixed<LayoutId>());
        statement.name = in.sized_text<std::uint16_t>(limits::kNameBytesMax, "name");
        statement.version = in.sized_text<std::uint16_t>(limits::kVersionBytesMax, "version");
        statement.channel = in.sized_text<std::uint16_t>(limits::kNameBytesMax, "channel");
    });
}

Result<std::vector<std::byte>> encode_countersignature(const Countersignature& countersignature) {
    return encode(countersignature, kCountersignature, [&](ByteWriter& out) {
        out.fixed(countersignature.bundle);
        out.fixed(countersignature.statement);
        out.fixed(countersignature.author);
        out.fixed(countersignature.author_signature);
        out.fixed(countersignature.signer);
        out.u64(countersignature.epoch);
        out.u64(countersignature.created.seconds);
        write_expiry(out, countersignature.expires);
        out.u16(static_cast<std::uint16_t>(countersignature.role));
    });
}

Result<Countersignature> decode_countersignature(std::span<const std::byte> bytes) {
    return decode<Countersignature>(bytes, kCountersignature, [](ByteReader& in, Countersignature& countersignature) {
        countersignature.bundle = in.fixed<BundleId>();
        countersignature.statement = in.fixed<Hash>();
        countersignature.author = in.fixed<PublicKey>();
        countersignature.author_signature = in.fixed<Signature>();
        countersignature.signer = in.fixed<PublicKey>();
        countersignature.epoch = in.u64();
        countersignature.created.seconds = in.u64();
        countersignature.expires = read_expiry(in);
        countersignature.role = static_cast<SignerRole>(in.u16());
    });
}

Result<std::vector<std::byte>> encode_license_token(const LicenseToken& token) {
    return encode(token, kLicenseToken, [&](ByteWriter& out) {
        out.fixed(token.bundle);
        out.fixed(token.issuer);
        out.u64(token.created.seconds);
        out.u64(token.expires.seconds);
        out.sized_text<std::uint16_t>(token.pattern);
    });
}

Result<LicenseToken> decode_license_token(std::span<const std::byte> bytes) {
    return decode<LicenseToken>(bytes, kLicenseToken, [](ByteReader& in, LicenseToken& token) {
        token.bundle = in.fixed<BundleId>();
        token.issuer = in.fixed<PublicKey>();
        token.created.seconds = in.u64();
        token.expires.seconds = in.u64();
        token.pattern = in.sized_text<std::uint16_t>(limits::kNameBytesMax, "pattern");
    });
}

}  // namespace fardel
