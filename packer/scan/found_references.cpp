#include "found_references.h"

#include "scan/reference_scanners.h"

#include <fardel/format/limits.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

Status verify_room(std::size_t count, std::string_view text) {
    if (text.size() > limits::kStringBytesMax)
        return Error(ErrorCode::limit, "a name of " + std::to_string(text.size()) + " bytes, at most " +
                                           std::to_string(limits::kStringBytesMax) + " are read");
    if (count >= limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(limits::kReferencesPerAssetMax) + " names in one asset");
    return ok();
}

}  // namespace

Status FoundReferences::add_location(std::size_t reference, std::string_view at) {
    if (!asset_ || at.empty())
        return ok();
    if (findings_.locations.size() >= kSpellingLocationsMax)
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(kSpellingLocationsMax) + " locations of names in one asset");
    findings_.locations.push_back({.reference = static_cast<std::uint32_t>(reference),
                                   .offset = static_cast<std::uint64_t>(at.data() - asset_),
                                   .length = at.size()});
    return ok();
}

Status FoundReferences::add(FoundReference reference, std::string_view at) {
    if (reference.spelling.empty())
        return ok();
    FARDEL_TRY(verify_room(0, reference.spelling));
    reference.defined_in = definition_;
    const auto [seen, added] = seen_.insert({{reference.spelling, reference.use, reference.form, reference.defined_in,
                                              reference.statement, reference.reading},
                                             findings_.references.size()});
    if (!added) {
        bool& optional = findings_.references[seen->index].optional;
        optional = optional && reference.optional;
        return add_location(seen->index, at);
    }
    FARDEL_TRY(verify_room(findings_.references.size(), {}));
    findings_.references.push_back(std::move(reference));
    return add_location(findings_.references.size() - 1, at);
}

Status FoundReferences::add_statement(std::string_view text, const std::vector<Reading>& readings,
                                      const FoundReference& like) {
    std::vector<const Reading*> distinct;
    for (const Reading& reading : readings) {
        const bool is_new = std::ranges::none_of(distinct, [&](const Reading* earlier) { return *earlier == reading; });
        if (!reading.empty() && is_new)
            distinct.push_back(&reading);
    }
    FoundReference reference = like;
    if (distinct.size() > 1)
        reference.statement =
            statements_.try_emplace({std::string(text), like.use}, static_cast<std::uint32_t>(statements_.size() + 1))
                .first->second;
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        reference.reading = static_cast<std::uint32_t>(i);
        for (const ReadName& name : *distinct[i]) {
            reference.spelling = name.spelling;
            FARDEL_TRY(add(reference, name.at));
        }
    }
    return ok();
}

void FoundReferences::add_mistake(const Error& mistake) {
    ++mistakes_;
    if (findings_.mistakes.size() < kMistakesPerAssetMax)
        findings_.mistakes.push_back(mistake.message());
}

Status FoundReferences::add_macro(MacroDefinition macro) {
    FARDEL_TRY(verify_room(findings_.macros.size(), macro.name));
    FARDEL_TRY(verify_room(0, macro.value));
    findings_.macros.push_back(std::move(macro));
    return ok();
}

Status FoundReferences::add_by_macro(FoundReference reference) {
    FARDEL_TRY(verify_room(findings_.by_macro.size(), reference.spelling));
    findings_.by_macro.push_back(std::move(reference));
    return ok();
}

Status FoundReferences::add_definition(std::string_view name) {
    FARDEL_TRY(verify_room(findings_.defines.size(), name));
    definition_ = static_cast<std::uint32_t>(findings_.defines.size());
    findings_.defines.emplace_back(name);
    return ok();
}

}  // namespace fardel
