#include "registry/upload_facts.h"

#include "registry/bundle_limits.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/later_signatures.h>
#include <fardel/format/manifest.h>
#include <fardel/hosting/registry_rules.h>

#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kQuestionTitle = "fardel-registry-question ";
constexpr std::string_view kQuestionVersion = "1";
constexpr std::size_t kFactBytesMax = 1024;  // of a name or version, which a registry refuses long before

Error bad_question() { return Error(ErrorCode::malformed, "not a question about a bundle"); }

// Reads the line "WORD TEXT"; nothing if it begins with another word.
std::optional<std::string_view> read_fact(std::string_view& text, std::string_view word) {
    std::string_view rest = text;
    auto line = read_terminated(rest, '\n');
    if (!line || read_until(*line, ' ') != word)
        return std::nullopt;
    text = rest;
    return line;
}

Result<std::string> read_text_fact(std::string_view& text, std::string_view word) {
    const auto fact = read_fact(text, word);
    if (!fact || fact->size() > kFactBytesMax)
        return bad_question();
    return std::string(*fact);
}

Result<std::uint64_t> read_number_fact(std::string_view& text, std::string_view word) {
    const auto fact = read_fact(text, word);
    const auto number =
        fact ? parse_decimal(*fact, std::numeric_limits<std::uint64_t>::max()) : std::optional<std::uint64_t>();
    return number ? Result<std::uint64_t>(*number) : bad_question();
}

// A text that a line cannot have is no name or version that a registry takes; it is judged as if it were missing.
std::string line_of(std::string_view text) {
    return text.size() > kFactBytesMax || text.find('\n') != std::string_view::npos ? std::string() : std::string(text);
}

}  // namespace

Result<UploadFacts> read_upload_facts(const Bundle& bundle) {
    UploadFacts facts{.bundle = bundle.id(), .layout = bundle.layout_id()};
    FARDEL_TRY_ASSIGN(const auto name, bundle.find_bundle_text("name"));
    FARDEL_TRY_ASSIGN(const auto version, bundle.find_bundle_text("version"));
    facts.name = name.value_or(std::string_view());
    facts.version = version.value_or(std::string_view());
    facts.file_bytes = bundle.source()->size_bytes();
    facts.envelopes = bundle.envelopes();
    const auto count = static_cast<std::uint32_t>(bundle.table_count(TableKind::dependencies));
    for (std::uint32_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const DependencyRecord record, bundle.dependency(i));
        if ((record.flags & DependencyRecord::is_static) != 0)
            facts.dependencies.push_back(record.bundle);
    }
    FARDEL_TRY_ASSIGN(facts.requirements, requirements_of(bundle));
    FARDEL_TRY_ASSIGN(const BundleNeedsSize needs, measure_needs(bundle));
    facts.needs_bytes = needs.needs_bytes;
    return facts;
}

Result<std::vector<std::byte>> format_upload_question(const UploadFacts& facts) {
    FARDEL_TRY_ASSIGN(const auto trailer, encode_envelopes(facts.envelopes));
    std::string text = std::string(kQuestionTitle) + std::string(kQuestionVersion) + "\nlayout " + facts.layout.hex() +
                       "\nname " + line_of(facts.name) + "\nversion " + line_of(facts.version) + "\nbytes " +
                       std::to_string(facts.file_bytes) + "\nneeds_bytes " + std::to_string(facts.needs_bytes) + "\n";
    for (const BundleId& needed : facts.dependencies)
        text += "needs " + needed.hex() + "\n";
    for (const Requirement& required : facts.requirements)
        text += "requires " + required.text() + "\n";
    text += "\n";
    if (text.size() + trailer.size() > kRegistryQuestionBytesMax)
        return Error(ErrorCode::limit, "the signatures of the bundle are too long for a question");
    const auto head = std::as_bytes(std::span(std::as_const(text)));
    std::vector<std::byte> body(head.begin(), head.end());
    body.insert(body.end(), trailer.begin(), trailer.end());
    return body;
}

Result<UploadFacts> parse_upload_question(const BundleId& bundle, std::span<const std::byte> body) {
    std::string_view text = as_text(body);
    auto title = read_terminated(text, '\n');
    if (!title || !title->starts_with(kQuestionTitle))
        return bad_question();
    if (title->substr(kQuestionTitle.size()) != kQuestionVersion)
        return Error(ErrorCode::unsupported, "a question of a version that this registry does not know");
    UploadFacts facts{.bundle = bundle, .layout = {}};
    FARDEL_TRY_ASSIGN(const std::string layout, read_text_fact(text, "layout"));
    FARDEL_TRY_ASSIGN(facts.layout, LayoutId::parse(layout));
    FARDEL_TRY_ASSIGN(facts.name, read_text_fact(text, "name"));
    FARDEL_TRY_ASSIGN(facts.version, read_text_fact(text, "version"));
    FARDEL_TRY_ASSIGN(facts.file_bytes, read_number_fact(text, "bytes"));
    FARDEL_TRY_ASSIGN(facts.needs_bytes, read_number_fact(text, "needs_bytes"));
    while (const auto needed = read_fact(text, "needs")) {
        FARDEL_TRY_ASSIGN(facts.dependencies.emplace_back(), BundleId::parse(*needed));
        if (facts.dependencies.size() > kRegistryDependenciesMax)
            return Error(ErrorCode::limit, "more than " + std::to_string(kRegistryDependenciesMax) + " dependencies");
    }
    while (const auto required = read_fact(text, "requires")) {
        FARDEL_TRY_ASSIGN(facts.requirements.emplace_back(), Requirement::parse(*required));
        if (facts.requirements.size() > kRegistryRequirementsMax)
            return Error(ErrorCode::limit, "more than " + std::to_string(kRegistryRequirementsMax) + " requirements");
    }
    if (!text.starts_with('\n'))
        return bad_question();
    FARDEL_TRY_ASSIGN(facts.envelopes, decode_trailer(body.last(text.size() - 1)));
    return facts;
}

}  // namespace fardel
