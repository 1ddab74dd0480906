#include <fardel/format/statement.h>

#include "kit/record_family.h"
#include "signing_vectors.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <functional>

namespace fardel::tests::statement_test {

Countersignature document_countersignature() {
    Countersignature countersignature;
    countersignature.bundle = document_statement().bundle;
    countersignature.statement =
        Hash::parse("0000000000000000000000000000000000000000000000000000000000000000").value();
    std::memcpy(countersignature.statement.bytes.data(), signing_vector("countersignature").data() + 48, 32);
    countersignature.author = fixed_vector<PublicKey>("key-alice");
    countersignature.author_signature = fixed_vector<Signature>("signature-alice");
    countersignature.role = SignerRole::registry;
    countersignature.epoch = 3;
    countersignature.created = {1'700'000'100};
    countersignature.signer = fixed_vector<PublicKey>("key-hub");
    countersignature.comment = "reviewed";
    return countersignature;
}

Statement smallest_statement() {
    Statement statement;
    statement.name = "a";
    return statement;
}

Bytes encoded(const Statement& statement) { return value_of(encode_statement(statement)); }

Bytes encoded(const Countersignature& countersignature) { return value_of(encode_countersignature(countersignature)); }

// Encodes and decodes the document's statement after `change`. Returns the code of the error, or nothing.
std::optional<ErrorCode> outcome(const std::function<void(Statement&)>& change) {
    Statement statement = document_statement();
    change(statement);
    const auto bytes = encode_statement(statement);
    if (!bytes)
        return bytes.error().code();
    const auto again = decode_statement(*bytes);
    REQUIRE(again);
    CHECK(*again == statement);
    return std::nullopt;
}

std::vector<LayoutId> layouts(std::uint8_t count) {
    std::vector<LayoutId> ids;
    for (std::uint8_t i = 0; i < count; ++i)
        ids.push_back(filled_id<LayoutId>(i));
    return ids;
}

TEST_CASE("statement: the document's statement has the document's bytes") {
    check_record_family(
        document_statement(), signing_vector("statement"), [](const Statement& value) { return encoded(value); },
        decode_statement);
}

TEST_CASE("statement: the smallest statement is accepted") {
    check_record_family(
        smallest_statement(), signing_vector("statement-smallest"),
        [](const Statement& value) { return encoded(value); }, decode_statement);
}

TEST_CASE("statement: a later minor version is read, and what it adds is kept") {  // A28
    Statement later = smallest_statement();
    later.bundle = document_statement().bundle;
    later.author = document_statement().author;
    later.minor = 3;
    later.extra = {std::byte{1}, std::byte{2}, std::byte{3}};
    check_record_family(
        later, signing_vector("statement-later-minor"), [](const Statement& value) { return encoded(value); },
        decode_statement);
}

TEST_CASE("countersignature: the document's countersignature has the document's bytes") {
    check_record_family(
        document_countersignature(), signing_vector("countersignature"),
        [](const Countersignature& value) { return encoded(value); }, decode_countersignature);
}

TEST_CASE("statement: bytes of another kind, version or feature set are refused") {  // A27
    const Bytes& golden = signing_vector("statement");
    CHECK(code_of(decode_statement(signing_vector("countersignature"))) == ErrorCode::malformed);
    CHECK(code_of(decode_countersignature(golden)) == ErrorCode::malformed);
    CHECK(code_of(decode_statement({})) == ErrorCode::malformed);
    CHECK(code_of(decode_statement(with_bytes(golden, 8, {2}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_statement(with_bytes(golden, 8, {0}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_statement(with_bytes(golden, 12, {1}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_statement(with_bytes(golden, 15, {0x80}))) == ErrorCode::unsupported);
    CHECK(code_of(decode_countersignature(with_bytes(signing_vector("countersignature"), 8, {2}))) ==
          ErrorCode::unsupported);
    CHECK(code_of(decode_countersignature(with_bytes(signing_vector("countersignature"), 12, {1}))) ==
          ErrorCode::unsupported);
}

TEST_CASE("statement: layouts are few, strictly increasing, and may be none") {
    CHECK_FALSE(outcome([](Statement& s) { s.layouts = {}; }));
    CHECK_FALSE(outcome([](Statement& s) { s.layouts = layouts(limits::kLayoutIdsMax); }));
    CHECK(outcome([](Statement& s) { s.layouts = layouts(limits::kLayoutIdsMax + 1); }) == ErrorCode::limit);
    CHECK(outcome([](Statement& s) { std::swap(s.layouts[0], s.layouts[1]); }) == ErrorCode::malformed);
    CHECK(outcome([](Statement& s) { s.layouts[1] = s.layouts[0]; }) == ErrorCode::malformed);

    const Bytes& golden = signing_vector("statement");
    CHECK(code_of(decode_statement(with_bytes(golden, 128, {0xff, 0xff}))) == ErrorCode::limit);
    CHECK(code_of(decode_statement(with_bytes(golden, 128, {9}))) == ErrorCode::limit);
    CHECK(code_of(decode_statement(with_bytes(golden, 130, {0x23}))) == ErrorCode::malformed);  // no longer increasing
}

TEST_CASE("statement: numbers and texts are accepted at their limit and refused one past it") {
    CHECK_FALSE(outcome([](Statement& s) { s.manifest_bytes = limits::kManifestBytesMax; }));
    CHECK(outcome([](Statement& s) { s.manifest_bytes = limits::kManifestBytesMax + 1; }) == ErrorCode::limit);
    CHECK_FALSE(outcome([](Statement& s) {
        s.raw_bytes = s.stored_bytes = s.epoch = s.created.seconds = UINT64_MAX, s.expires.reset();
    }));
    CHECK_FALSE(outcome([](Statement& s) { s.version = std::string(limits::kVersionBytesMax, '1'); }));
    CHECK(outcome([](Statement& s) { s.version = std::string(limits::kVersionBytesMax + 1, '1'); }) ==
          ErrorCode::limit);
    CHECK_FALSE(outcome([](Statement& s) { s.comment = std::string(limits::kCommentBytesMax, 'x'); }));
    CHECK(outcome([](Statement& s) { s.comment = std::string(limits::kCommentBytesMax + 1, 'x'); }) ==
          ErrorCode::limit);
    CHECK(outcome([](Statement& s) { s.comment = std::string(1 << 20, 'x'); }) == ErrorCode::limit);  // A74

    std::string longest(limits::kNameBytesMax, 'x');
    for (std::size_t i = 200; i < longest.size(); i += 200)
        longest[i] = '/';
    CHECK_FALSE(outcome([&](Statement& s) { s.name = s.channel = longest; }));
    CHECK(outcome([&](Statement& s) { s.name = longest + "x"; }) == ErrorCode::limit);
    CHECK(outcome([&](Statement& s) { s.channel = longest + "x"; }) == ErrorCode::limit);

    const std::size_t fixed_bytes = encoded(document_statement()).size();
    CHECK_FALSE(outcome([&](Statement& s) { s.minor = 1, s.extra.resize(limits::kStatementBytesMax - fixed_bytes); }));
    CHECK(outcome([&](Statement& s) { s.minor = 1, s.extra.resize(limits::kStatementBytesMax - fixed_bytes + 1); }) ==
          ErrorCode::limit);
    CHECK(outcome([&](Statement& s) { s.minor = 1, s.extra.resize(70'000); }) == ErrorCode::limit);
    CHECK(code_of(decode_statement(Bytes(limits::kStatementBytesMax + 1))) == ErrorCode::limit);
}

TEST_CASE("statement: text that could deceive a reader or a policy is refused") {  // A69, A74
    for (const char* name : {"", "maps/../core", "../core", "/core", "core/", "maps//dm", "ma\\ps", "a:b", "con",
                             "a\nb", "core\xe2\x80\xae", "\xff"}) {
        CAPTURE(name);
        CHECK(outcome([&](Statement& s) { s.name = name; }) == ErrorCode::malformed);
        if (*name != '\0')
            CHECK(outcome([&](Statement& s) { s.channel = name; }) == ErrorCode::malformed);
    }
    for (const char* version : {"1 0", "1.0\n", "1/0", "1.0\x1b[31m", "é"}) {
        CAPTURE(version);
        CHECK(outcome([&](Statement& s) { s.version = version; }) == ErrorCode::malformed);
    }
    for (const char* comment :
         {"\r", "a\nb", "\x1b[2J", "\x7f", "\xc2\x85", "\xff", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"}) {
        CAPTURE(comment);
        CHECK(outcome([&](Statement& s) { s.comment = comment; }) == ErrorCode::malformed);
    }
    CHECK(outcome([&](Statement& s) { s.comment = std::string("a\0b", 3); }) == ErrorCode::malformed);
    // These characters are allowed in the record, and replaced when the comment is shown.
    CHECK_FALSE(outcome([&](Statement& s) {
        s.comment =
            "abc\xe2\x80\xae"
            "cba";
    }));
    CHECK(printable("abc\xe2\x80\xae"
                    "cba") == "abc\\u{202e}cba");
}

TEST_CASE("statement: its time of expiry is after its creation, or absent") {
    CHECK_FALSE(outcome([](Statement& s) { s.expires.reset(); }));
    CHECK_FALSE(outcome([](Statement& s) { s.expires = s.created + 1; }));
    CHECK(outcome([](Statement& s) { s.expires = s.created; }) == ErrorCode::malformed);
    CHECK(outcome([](Statement& s) { s.expires = UnixTime{1}; }) == ErrorCode::malformed);
}

TEST_CASE("statement: version 1.0 has no extra bytes") {
    CHECK(outcome([](Statement& s) { s.extra.resize(1); }) == ErrorCode::malformed);
    CHECK_FALSE(outcome([](Statement& s) { s.minor = UINT16_MAX; }));
}

TEST_CASE("statement: a length that runs past the end is refused before it is used") {
    const Bytes& golden = signing_vector("statement-smallest");
    for (std::size_t at = 130; at + 1 < golden.size();
         at += 2) {  // each sized field of the smallest begins on or beside these
        CAPTURE(at);
        CHECK_FALSE(decode_statement(with_bytes(golden, at, {0xff, 0xff})));
    }
}

TEST_CASE("countersignature: only a registry or release signer makes one") {
    const auto with_role = [](std::uint16_t role) {
        Countersignature countersignature = document_countersignature();
        countersignature.role = static_cast<SignerRole>(role);
        return encode_countersignature(countersignature);
    };
    CHECK(with_role(2));
    CHECK(with_role(3));
    CHECK(code_of(with_role(0)) == ErrorCode::malformed);
    CHECK(code_of(with_role(1)) == ErrorCode::malformed);
    CHECK(code_of(with_role(4)) == ErrorCode::unsupported);
    const Bytes& golden = signing_vector("countersignature");
    CHECK(code_of(decode_countersignature(with_bytes(golden, 232, {1}))) == ErrorCode::malformed);
    CHECK(code_of(decode_countersignature(with_bytes(golden, 232, {0xff, 0xff}))) == ErrorCode::unsupported);
}

TEST_CASE("countersignature: its comment and size are accepted at the limit and refused one past it") {
    Countersignature countersignature = document_countersignature();
    countersignature.comment = std::string(limits::kCommentBytesMax, 'x');
    CHECK(decode_countersignature(encoded(countersignature)).value() == countersignature);
    countersignature.comment += 'x';
    CHECK(code_of(encode_countersignature(countersignature)) == ErrorCode::limit);
    CHECK(code_of(decode_countersignature(with_bytes(signing_vector("countersignature"), 234, {1, 4}))) ==
          ErrorCode::limit);
    countersignature.comment = "a\rb";
    CHECK(code_of(encode_countersignature(countersignature)) == ErrorCode::malformed);
    CHECK(code_of(decode_countersignature(Bytes(limits::kStatementBytesMax + 1))) == ErrorCode::limit);
}

TEST_CASE("role: names and numbers go together") {
    for (const SignerRole role : {SignerRole::author, SignerRole::registry, SignerRole::release})
        CHECK(find_role(role_name(role)) == role);
    CHECK(role_name(SignerRole{0}) == "role 0");
    CHECK(role_name(SignerRole{7}) == "role 7");
    CHECK_FALSE(find_role(""));
    CHECK_FALSE(find_role("Author"));
    CHECK_FALSE(find_role("role 7"));
}

}  // namespace fardel::tests::statement_test
