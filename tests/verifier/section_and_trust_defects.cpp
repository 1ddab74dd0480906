#include "defects.h"

#include "kit/test.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

namespace fardel {

using forge::Bytes;
using forge::Draft;
using forge::ForgedBundle;
using forge::small_recipe;

namespace {

// Changes the layout head, and computes the hash again.
template <class Edit>
std::function<ForgedBundle()> with_layout_head(Edit edit) {
    return drafted(small_recipe(), [edit](Draft& d) { d.edit_layout_head = edit; });
}

template <class Edit>
std::function<ForgedBundle()> with_byte(Edit offset_in, int change = 1) {
    return [offset_in, change] {
        ForgedBundle bundle = forge::forge(small_recipe());
        bundle.bytes.at(offset_in(bundle)) ^= static_cast<std::byte>(change);
        return bundle;
    };
}

// A valid bundle, followed by the envelopes that `edit` makes of the author's.
template <class Edit>
std::function<ForgedBundle()> with_trailer(Edit edit) {
    return [edit] {
        ForgedBundle bundle = forge::forge(small_recipe());
        edit(bundle);
        return bundle;
    };
}

Envelope signed_by(std::uint8_t key, const Statement& statement) {
    return tests::value_of(sign_statement(statement, *make_key_signer(forge::test_key(key))));
}

template <class Edit>
std::function<ForgedBundle()> with_statement(Edit edit) {
    return with_trailer([edit](ForgedBundle& bundle) {
        Statement statement = forge::statement_about(bundle);
        edit(statement);
        forge::append_envelope(bundle, signed_by(1, statement));
    });
}

template <class Edit>
std::function<ForgedBundle()> with_envelope(Edit edit) {
    return with_trailer([edit](ForgedBundle& bundle) {
        Envelope envelope = signed_by(1, forge::statement_about(bundle));
        edit(envelope);
        forge::append_envelope(bundle, envelope);
    });
}

void with_policy(VerifyOptions& options) {
    static const TrustPolicy policy = forge::test_policy();
    options.policy = &policy;
}

void with_development_policy(VerifyOptions& options) {
    static const TrustPolicy policy = [] {
        TrustRules rules = forge::test_policy().rules();
        rules.unsigned_allowed = true;
        return tests::value_of(TrustPolicy::make(std::move(rules)));
    }();
    options.policy = &policy;
}

constexpr UnixTime kLicenseEnd{1'800'000'000};

// A signed bundle that requires a licence token.
ForgedBundle licensed() {
    forge::Recipe recipe = small_recipe();
    recipe.metadata.push_back({"license-token", std::string("ask shop.example")});
    ForgedBundle bundle = forge::forge(recipe);
    forge::sign(bundle);
    return bundle;
}

Envelope license_token(std::uint8_t key, std::string_view pattern) {
    LicenseToken token;
    token.pattern = pattern;
    token.created = {1'700'000'000};
    token.expires = kLicenseEnd;
    return tests::value_of(sign_license_token(token, *make_key_signer(forge::test_key(key))));
}

// The policy of the tests, for which tokens of its first key count.
void with_licenses(VerifyOptions& options, std::vector<Envelope> tokens) {
    static const TrustPolicy policy = [] {
        TrustRules rules = forge::test_policy().rules();
        rules.licenses.push_back({.pattern = "**", .labels = {rules.keys.at(0).label}});
        return tests::value_of(TrustPolicy::make(std::move(rules)));
    }();
    static std::vector<std::vector<Envelope>> kept;  // as long as the test
    kept.reserve(100);
    options.policy = &policy;
    options.licenses = &kept.emplace_back(std::move(tokens));
    if (!options.time.now() || *options.time.now() != kLicenseEnd)
        options.time = TrustTime::at(kLicenseEnd - 1);
}

std::vector<Defect> head_defects() {
    const auto head_byte = [](std::size_t at) { return [at](const ForgedBundle&) { return at; }; };
    return {
        // A34, A32
        {"a file is empty", "not-a-bundle", {}, [] { return ForgedBundle{}; }},
        {"a file is noise",
         "not-a-bundle",
         {},
         [] {
             ForgedBundle bundle;
             bundle.bytes = forge::noise(20'000, 3);
             return bundle;
         }},
        {"a file is an archive that holds a bundle",
         "not-a-bundle",
         {},
         [] {
             ForgedBundle bundle = forge::forge(small_recipe());
             bundle.bytes.insert(bundle.bytes.begin(), 4, std::byte{'P'});
             return bundle;
         }},
        // A20
        {"a file ends in its head",
         "file-cut-off",
         {},
         [] {
             ForgedBundle bundle = forge::forge(small_recipe());
             bundle.bytes.resize(100);
             return bundle;
         }},
        {"a file ends in its layout head",
         "file-cut-off",
         {"layout-head-refused"},
         [] {
             ForgedBundle bundle = forge::forge(small_recipe());
             bundle.bytes.resize(8191);
             return bundle;
         }},
        {"a file ends in its blocks",
         "file-cut-off",
         {"block-unreadable", "unsigned-bundle"},
         [] {
             ForgedBundle bundle = forge::forge(small_recipe());
             bundle.bytes.resize(8192 + 10);
             return bundle;
         }},
        {"a file ends in its layout",
         "file-cut-off",
         {},
         [] {
             ForgedBundle bundle = forge::forge(small_recipe());
             bundle.bytes.resize(bundle.layout_head.layout_offset + 64);
             return bundle;
         }},
        // A27, A28
        {"a head is of another major version",
         "head-refused",
         {"layout-of-another-bundle"},
         with_byte(head_byte(8), 2)},
        {"a head requires an unknown feature",
         "head-refused",
         {"layout-of-another-bundle"},
         with_byte(head_byte(16), 1)},
        {"a head has a reserved byte set", "head-refused", {"layout-of-another-bundle"}, with_byte(head_byte(40))},
        {"a head went through a text transfer",
         "head-refused",
         {"layout-of-another-bundle"},
         with_byte(head_byte(6), '\r' ^ '\n')},
        {"a layout head has a reserved byte set", "layout-head-refused", {}, with_byte(head_byte(4096 + 200))},
        {"a layout head requires an unknown feature", "layout-head-refused", {}, with_byte(head_byte(4096 + 16))},
        {"a head was changed after the layout was made",
         "layout-of-another-bundle",
         {"optional-flags-unknown"},
         with_byte(head_byte(24))},
        {"a layout is of another bundle", "layout-of-another-bundle", {}, with_layout_head([](LayoutHead& head) {
             head.bundle.bytes[0] ^= 1;
         })},
        {"a head is of a newer minor version",
         "minor-version-newer",
         {},
         drafted(small_recipe(), [](Draft& d) { d.edit_head = [](BundleHead& head) { head.minor = 3; }; })},
        {"a head has an unknown optional feature",
         "optional-flags-unknown",
         {},
         drafted(small_recipe(), [](Draft& d) { d.edit_head = [](BundleHead& head) { head.optional_flags = 4; }; })},
    };
}

std::vector<Defect> section_defects() {
    return {
        // A23, A24
        {"a section is not aligned",
         "section-misplaced",
         {"page-damaged", "gap-not-zero"},
         with_layout_head([](LayoutHead& head) { head.layout_offset += 64; })},
        {"a section lies inside the heads",
         "section-misplaced",
         {"section-overlap", "section-gap", "page-damaged", "gap-not-zero"},
         with_layout_head([](LayoutHead& head) { head.layout_offset = 4096; })},
        {"two sections overlap",
         "section-overlap",
         {"page-damaged", "section-gap", "gap-not-zero"},
         with_layout_head([](LayoutHead& head) { head.layout_offset = head.manifest_offset; })},
        {"a section ends behind 2^64",
         "file-cut-off",
         {"section-gap", "section-overlap"},
         with_layout_head([](LayoutHead& head) { head.layout_offset = UINT64_MAX / 4096 * 4096; })},
        {"a section begins behind the file",
         "file-cut-off",
         {"section-gap", "section-overlap"},
         with_layout_head([](LayoutHead& head) { head.manifest_offset = 1ull << 40; })},
        {"a page of nothing lies between sections",
         "section-gap",
         {"trailer-refused", "gap-not-zero"},
         [] {
             ForgedBundle bundle = drafted(small_recipe(), [](Draft& d) {
                 d.edit_layout_head = [](LayoutHead& head) { head.trailer_offset += 4096; };
             })();
             bundle.bytes.resize(bundle.layout_head.trailer_offset);
             return bundle;
         }},
        {"a byte between sections is not zero", "gap-not-zero", {}, with_byte([](const ForgedBundle& b) {
             return b.layout_head.manifest_offset - 1;
         })},
        {"a byte between tables is not zero", "gap-not-zero", {}, with_byte([](const ForgedBundle& b) {
             const TableEntry& table =
                 *std::ranges::find_if(b.head.tables, [](const TableEntry& t) { return t.length_bytes % 64 != 0; });
             return b.layout_head.manifest_offset + table.offset + table.length_bytes;
         })},
        {"a byte of a table differs from its hash", "page-damaged", {}, with_byte([](const ForgedBundle& b) {
             return b.layout_head.manifest_offset + b.head.find(TableKind::tags)->offset;
         })},
        {"a byte of a page tree differs from its hash",
         "tree-page-damaged",
         {},
         [] {
             ForgedBundle bundle = forge::forge(forge::wide_recipe(1000));
             const TableEntry& assets = *bundle.head.find(TableKind::assets);
             bundle.bytes.at(bundle.layout_head.manifest_offset + assets.offset + assets.length_bytes) ^= std::byte{1};
             return bundle;
         }},
        {"tables need more memory than there is",
         "tables-too-large",
         {"unsigned-bundle"},
         [] { return forge::forge(small_recipe()); },
         [](VerifyOptions& options) { options.table_bytes_max = 1000; }},
    };
}

std::vector<Defect> trust_defects() {
    return {
        {"a bundle has no signature", "unsigned-bundle", {}, [] { return forge::forge(small_recipe()); }},
        {"a bundle has no signature, against a policy",
         "trust-refused",
         {},
         [] { return forge::forge(small_recipe()); },
         with_policy},  // A54
        {"a trailer is too long", "trailer-refused", {}, with_trailer([](ForgedBundle& bundle) {
             bundle.bytes.resize(bundle.bytes.size() + (1u << 20) + 1);
         })},
        {"a byte follows the envelopes", "trailer-refused", {}, with_trailer([](ForgedBundle& bundle) {
             forge::sign(bundle);
             bundle.bytes.push_back(std::byte{0});
         })},  // A22
        {"a signature is of another text", "signature-wrong", {}, with_envelope([](Envelope& e) {
             e.payload.back() ^= std::byte{0};
             e.signatures[0].signature.bytes[5] ^= 1;
         })},
        {"a signature is of an unknown algorithm", "signature-wrong", {}, with_envelope([](Envelope& e) {
             e.signatures[0].algorithm = SignatureAlgorithm{9};
         })},  // A60
        {"a signature is in another role", "signature-wrong", {}, with_envelope([](Envelope& e) {
             e.signatures[0].role = SignerRole::release;
         })},
        {"a statement hides behind another type", "signature-wrong", {}, with_envelope([](Envelope& e) {
             e.type = EnvelopeType{0x8001};
         })},
        // A57
        {"a countersigned statement was taken away", "signature-wrong", {}, with_trailer([](ForgedBundle& bundle) {
             const Envelope statement = signed_by(1, forge::statement_about(bundle));
             forge::append_envelope(bundle,
                                    tests::value_of(countersign(statement, {}, *make_key_signer(forge::test_key(2)))));
         })},
        {"an envelope is of a later version's type", "envelope-unknown", {}, with_envelope([](Envelope& e) {
             e.type = EnvelopeType{0x8001};
             e.payload = forge::bytes_of("something new");
         })},
        {"a statement cannot be read", "statement-refused", {"signature-wrong"}, with_envelope([](Envelope& e) {
             e.payload.push_back(std::byte{0});
         })},
        {"a statement is about another bundle", "statement-of-another-bundle", {}, with_statement([](Statement& s) {
             s.bundle.bytes[0] ^= 1;
         })},
        {"a statement lies about the manifest's size", "statement-untrue", {}, with_statement([](Statement& s) {
             s.manifest_bytes += 1;
         })},
        {"a statement lies about the raw size", "statement-untrue", {}, with_statement([](Statement& s) {
             s.raw_bytes += 1;
         })},
        {"a statement lies about the stored size", "statement-untrue", {}, with_statement([](Statement& s) {
             s.stored_bytes -= 1;
         })},
        // A124
        {"a bundle publishes names outside the folder of its rule",
         "name-not-allowed",
         {},
         with_statement([](Statement&) {}),
         [](VerifyOptions& options) {
             static const TrustPolicy policy =
                 TrustPolicy::parse("fardel-trust 1\nkey a " + forge::test_key(1).public_key().hex() +
                                    "\nallow tests/* author=1:a\n")
                     .value();
             options.policy = &policy;
         }},
        // A137
        {"a bundle brings what is no sound as a sound, and its rule allows data only",
         "content-not-allowed",
         {},
         with_statement([](Statement&) {}),
         [](VerifyOptions& options) {
             static const TrustPolicy policy =
                 TrustPolicy::parse("fardel-trust 1\nkey a " + forge::test_key(1).public_key().hex() +
                                    "\nallow ** author=1:a classes=data\n")
                     .value();
             options.policy = &policy;
         }},
        // A135
        {"the content of a bundle has expired, against a policy",
         "trust-refused",
         {"content-expired"},
         [] {
             forge::Recipe recipe = small_recipe();
             recipe.metadata.push_back({"expires", std::int64_t{1'700'000'000}});
             ForgedBundle bundle = forge::forge(recipe);
             forge::sign(bundle);
             return bundle;
         },
         with_policy},
        // A76
        {"a bundle requires a licence token, and none is asked for", "license-required", {}, licensed, with_policy},
        {"a bundle requires a licence token, and there is none",
         "license-missing",
         {},
         licensed,
         [](VerifyOptions& options) { with_licenses(options, {}); }},
        {"a bundle requires a licence token, and there is one for another bundle",
         "license-of-another-bundle",
         {"license-missing"},
         licensed,
         [](VerifyOptions& options) { with_licenses(options, {license_token(1, "other/*")}); }},
        {"the licence token of a bundle has ended",
         "license-ended",
         {},
         licensed,
         [](VerifyOptions& options) {
             options.time = TrustTime::at(kLicenseEnd);
             with_licenses(options, {license_token(1, "**")});
         }},
        {"a stranger issued the licence token of a bundle",
         "license-refused",
         {},
         licensed,
         [](VerifyOptions& options) { with_licenses(options, {license_token(9, "**")}); }},
        // A123
        {"a statement gives another name than the manifest",
         "statement-untrue",
         {"trust-refused"},
         with_statement([](Statement& s) { s.name = "maps/x"; }),
         with_policy},
        {"a statement gives another version than the manifest",
         "statement-untrue",
         {},
         with_statement([](Statement& s) { s.version = "9"; })},
        {"a layout is not the signed one", "layout-not-signed", {}, with_statement([](Statement& s) {
             s.layouts[0].bytes[0] ^= 1;
         })},
        {"a layout is not signed", "layout-local", {}, with_statement([](Statement& s) { s.layouts.clear(); })},
        {"a layout is not the signed one, and may be",
         "layout-local",
         {},
         with_statement([](Statement& s) { s.layouts[0].bytes[0] ^= 1; }),
         [](VerifyOptions& options) { options.local_layout_allowed = true; }},
        {"a registry has not signed", "trust-refused", {}, with_statement([](Statement&) {}), with_policy},
        {"a signer is not known",
         "trust-finding",
         {"trust-refused"},
         with_trailer([](ForgedBundle& bundle) {
             forge::append_envelope(bundle, signed_by(77, forge::statement_about(bundle)));
         }),
         with_policy},
        {"a development policy accepts an unsigned bundle",
         "trust-tainted",
         {},
         [] { return forge::forge(small_recipe()); },
         with_development_policy},
    };
}

}  // namespace

std::vector<Defect> section_and_trust_defects() {
    std::vector<Defect> defects;
    for (auto list : {head_defects(), section_defects(), trust_defects()})
        for (Defect& defect : list)
            defects.push_back(std::move(defect));
    return defects;
}

}  // namespace fardel
