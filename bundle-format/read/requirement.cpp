#include <fardel/format/requirement.h>

#include <fardel/base/text_fields.h>
#include <fardel/format/bundle_metadata.h>
#include <fardel/format/envelope.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fardel {
namespace {

using Relation = VersionBound::Relation;

struct RelationSign {
    std::string_view sign;
    Relation relation;
};
// Longer signs first.
constexpr std::array<RelationSign, 5> kSigns{{{">=", Relation::at_least},
                                              {"<=", Relation::at_most},
                                              {">", Relation::above},
                                              {"<", Relation::below},
                                              {"=", Relation::equal}}};

constexpr std::string_view kSignerWord = "by ";
constexpr std::string_view kAnyVersion = "*";

Error bad_requirement(std::string_view text, std::string_view what) {
    return Error(ErrorCode::malformed, "requirement " + in_short_quotes(text) + ": " + std::string(what) +
                                           "; write for example \"studio/base >= 1.0, < 2\"");
}

Status verify_required_name(std::string_view text, std::string_view name) {
    if (name.size() > kRequirementNameBytesMax)
        return Error(ErrorCode::limit, "requirement " + in_short_quotes(text) + ": a name of more than " +
                                           std::to_string(kRequirementNameBytesMax) + " bytes");
    // These end the name in the text form.
    if (name.find_first_of(" ,<>=*") != std::string_view::npos)
        return bad_requirement(text, "the name has one of the characters ' , < > = *'");
    if (const Status good = verify_name(name); !good)
        return bad_requirement(text, good.error().message());
    return ok();
}

Result<VersionBound> parse_bound(std::string_view whole, std::string_view text) {
    const auto sign = std::ranges::find_if(kSigns, [&](const RelationSign& one) { return text.starts_with(one.sign); });
    if (sign == kSigns.end())
        return bad_requirement(whole, "a bound begins with = >= > <= or <");
    auto version = BundleVersion::parse(trimmed(text.substr(sign->sign.size())));
    if (!version || version->empty())
        return bad_requirement(
            whole, version ? std::string_view("a bound has no version") : std::string_view(version.error().message()));
    return VersionBound{.relation = sign->relation, .version = *std::move(version)};
}

// Takes "by KEY" off the end.
Result<std::optional<PublicKey>> read_signer(std::string_view whole, std::string_view& text) {
    const std::size_t at = text.starts_with(kSignerWord) ? 0 : text.rfind(" by ");
    if (at == std::string_view::npos)
        return std::optional<PublicKey>();
    const std::string_view digits = trimmed(text.substr(at + (at == 0 && text.starts_with(kSignerWord) ? 3 : 4)));
    const auto key = PublicKey::parse(digits);
    if (!key)
        return bad_requirement(whole, "behind \"by\" stand the 64 digits of a public key");
    text = trimmed(text.substr(0, at));
    return std::optional(*key);
}

Status parse_bounds(std::string_view whole, std::string_view text, Requirement& requirement) {
    FARDEL_TRY_ASSIGN(requirement.signer, read_signer(whole, text));
    if (text.empty() || text == kAnyVersion)
        return ok();
    const auto parts = split_text(text, ',');
    if (parts.size() > kRequirementBoundsMax)
        return Error(ErrorCode::limit, "requirement " + in_short_quotes(whole) + ": more than " +
                                           std::to_string(kRequirementBoundsMax) + " bounds");
    for (const std::string_view part : parts) {
        FARDEL_TRY_ASSIGN(VersionBound bound, parse_bound(whole, trimmed(part)));
        requirement.bounds.push_back(std::move(bound));
    }
    return ok();
}

Status verify_size(std::string_view text) {
    if (text.size() > kRequirementTextBytesMax)
        return Error(ErrorCode::limit, "requirement " + in_short_quotes(text) + ": more than " +
                                           std::to_string(kRequirementTextBytesMax) + " bytes");
    return ok();
}

std::string_view sign_of(Relation relation) {
    return std::ranges::find(kSigns, relation, &RelationSign::relation)->sign;
}

bool holds(const VersionBound& bound, const BundleVersion& version) {
    const auto order = compare_versions(version, bound.version);
    switch (bound.relation) {
        case Relation::equal: return order == 0;
        case Relation::at_least: return order >= 0;
        case Relation::above: return order > 0;
        case Relation::at_most: return order <= 0;
        case Relation::below:
            // `< 2` accepts no preview of 2, although that is lower: whoever writes it means to stay below 2.
            return order < 0 && (bound.version.is_preview() || !version.is_preview() ||
                                 compare_versions(version.release(), bound.version) < 0);
    }
    return false;
}

std::string bounds_text(const Requirement& requirement) {
    std::string text;
    for (const VersionBound& bound : requirement.bounds)
        text += (text.empty() ? "" : ", ") + std::string(sign_of(bound.relation)) + " " + bound.version.text();
    return text;
}

// Whether the author's statement about the bundle has a valid signature by the key.
bool is_signed_by(const Bundle& bundle, const PublicKey& key) {
    for (const Envelope& envelope : bundle.envelopes()) {
        if (envelope.type != EnvelopeType::statement)
            continue;
        const auto statement = decode_statement(envelope.payload);
        if (!statement || statement->bundle != bundle.id())
            continue;
        for (const EnvelopeSignature& entry : envelope.signatures)
            if (entry.role == SignerRole::author && entry.key == key && verify_envelope_signature(envelope, entry))
                return true;
    }
    return false;
}

}  // namespace

Result<Requirement> Requirement::parse(std::string_view text) {
    FARDEL_TRY(verify_size(text));
    std::string_view rest = trimmed(text);
    Requirement requirement;
    const std::size_t end = std::min(rest.find_first_of(" <>="), rest.size());
    requirement.name = rest.substr(0, end);
    FARDEL_TRY(verify_required_name(text, requirement.name));
    FARDEL_TRY(parse_bounds(text, trimmed(rest.substr(end)), requirement));
    return requirement;
}

Result<Requirement> Requirement::of_metadata(std::string_view key, std::string_view value) {
    FARDEL_TRY(verify_size(value));
    Requirement requirement;
    requirement.name = key.substr(std::min(kRequirementKeyPrefix.size(), key.size()));
    const std::string whole = requirement.name + " " + std::string(value);
    FARDEL_TRY(verify_required_name(whole, requirement.name));
    if (trimmed(value).empty())
        return bad_requirement(whole, "it has no bounds; \"*\" accepts any version");
    FARDEL_TRY(parse_bounds(whole, trimmed(value), requirement));
    return requirement;
}

std::string Requirement::metadata_key() const { return std::string(kRequirementKeyPrefix) + name; }

std::string Requirement::metadata_value() const {
    const std::string text = bounds.empty() ? std::string(kAnyVersion) : bounds_text(*this);
    return signer ? text + " by " + signer->hex() : text;
}

std::string Requirement::text() const {
    std::string text = name;
    if (!bounds.empty())
        text += " " + bounds_text(*this);
    return signer ? text + " by " + signer->hex() : text;
}

bool Requirement::accepts(const BundleVersion& version) const {
    // A preview is accepted only where a bound names one; "the newest" is otherwise never a preview.
    if (version.is_preview() &&
        std::ranges::none_of(bounds, [](const VersionBound& bound) { return bound.version.is_preview(); }))
        return false;
    return std::ranges::all_of(bounds, [&](const VersionBound& bound) { return holds(bound, version); });
}

bool Requirement::misses_preview(const BundleVersion& version) const {
    return version.is_preview() && !accepts(version) && accepts(version.release());
}

Status verify_meets(const Requirement& requirement, const Bundle& bundle) {
    FARDEL_TRY_ASSIGN(const auto name, bundle.find_bundle_text("name"));
    FARDEL_TRY_ASSIGN(const auto stated, bundle.find_bundle_text("version"));
    const auto version = BundleVersion::parse(stated.value_or(""));
    if (name != requirement.name || !version || version->empty() || !requirement.accepts(*version))
        return Error(ErrorCode::unresolved,
                     in_short_quotes(requirement.text()) + " is not met by bundle " + bundle.id().hex() + ", " +
                         in_short_quotes(name.value_or("")) + " " + printable(stated.value_or("")) +
                         (name == requirement.name && version && requirement.misses_preview(*version)
                              ? ", a preview, which only a requirement that names one takes"
                              : ""));
    // The signer is a demand on the chosen bundle and takes no part in choosing: an unsigned hint about signers must
    // not decide which version is taken (docs/decisions/0080-requirements-are-metadata.md).
    if (requirement.signer && !is_signed_by(bundle, *requirement.signer))
        return Error(ErrorCode::untrusted, in_short_quotes(requirement.name) + " is required of the author with key " +
                                               requirement.signer->hex() + ", who has not signed bundle " +
                                               bundle.id().hex());
    return ok();
}

void NamedBundles::add(const Bundle& bundle) {
    const auto name = bundle.find_bundle_text("name");
    if (name && name->has_value())
        by_name_[**name].push_back(&bundle);
}

Status NamedBundles::verify_meet(const Requirement& requirement) const {
    const auto named = by_name_.find(requirement.name);
    if (named == by_name_.end())
        return Error(ErrorCode::unresolved, in_short_quotes(requirement.text()) + " is met by none of the bundles");
    Status first = ok();
    for (const Bundle* bundle : named->second) {
        Status met = verify_meets(requirement, *bundle);
        if (met)
            return met;
        if (first)
            first = std::move(met);
    }
    return first;
}

Result<std::vector<Requirement>> requirements_of(const Bundle& bundle) {
    FARDEL_TRY_ASSIGN(const auto stated, own_metadata(bundle));
    std::vector<Requirement> requirements;  // keys are sorted, and so are their names
    for (const auto& [key, record] : stated) {
        if (!key.starts_with(kRequirementKeyPrefix))
            continue;
        if (record.kind != MetadataKind::text)
            return Error(ErrorCode::malformed, bundle.label() + ": " + in_short_quotes(key) + " is not a text");
        FARDEL_TRY_ASSIGN(const std::string_view value, bundle.string(static_cast<StringRef>(record.value)));
        auto requirement = Requirement::of_metadata(key, value);
        if (!requirement)
            return std::move(requirement).error().with_context(bundle.label());
        if (requirements.size() == kRequirementsMax)
            return Error(ErrorCode::limit,
                         bundle.label() + ": more than " + std::to_string(kRequirementsMax) + " requirements");
        requirements.push_back(*std::move(requirement));
    }
    return requirements;
}

}  // namespace fardel
