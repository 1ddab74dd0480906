#include "text_replacement.h"

#include "scan/reference_scanners.h"

#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <set>

namespace fardel {
namespace {

struct Location {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    FoundReference reference;
};

// The locations that one scanner found, by offset.
std::vector<Location> locations_of(ScanFindings findings) {
    std::vector<Location> locations;
    for (const SpellingLocation& location : findings.locations)
        locations.push_back({.offset = location.offset,
                             .length = location.length,
                             .reference = findings.references[location.reference]});
    std::ranges::stable_sort(locations, {}, &Location::offset);
    return locations;
}

// Per scanner that reports locations: all locations that it found.
using Locations = std::vector<std::vector<Location>>;

Result<Locations> find_locations(std::string_view name, std::string_view content_type, std::span<const std::byte> bytes,
                                 const PatternScanners& patterns, const GameProfile& profile) {
    Locations all;
    if (scans_text(name, content_type, profile)) {
        FARDEL_TRY_ASSIGN(ScanFindings findings, scan_references(name, content_type, bytes, true, profile));
        all.push_back(locations_of(std::move(findings)));
    }
    for (const auto& [scanner, pattern] : patterns) {
        if (!glob_matches(scanner->match, name))
            continue;
        FARDEL_TRY_ASSIGN(ScanFindings findings,
                          pattern.scan(bytes, scanner->use, scanner->form, scanner->optional, true));
        all.push_back(locations_of(std::move(findings)));
    }
    return all;
}

Result<std::vector<Replacement>> replacements_of(const Locations& locations, const Spellings& spellings) {
    std::vector<Replacement> replacements;
    for (const auto& of_scanner : locations)
        for (const Location& location : of_scanner)
            if (const auto at = spellings.find(key_of(location.reference)); at != spellings.end())
                replacements.push_back({.offset = location.offset, .length = location.length, .text = at->second});
    std::ranges::stable_sort(replacements, {},
                             [](const Replacement& one) { return std::pair(one.offset, one.length); });
    const auto same = [](const Replacement& a, const Replacement& b) {
        return a.offset == b.offset && a.length == b.length && a.text == b.text;
    };
    replacements.erase(std::unique(replacements.begin(), replacements.end(), same), replacements.end());
    for (std::size_t i = 1; i < replacements.size(); ++i)
        if (replacements[i].offset < replacements[i - 1].offset + replacements[i - 1].length ||
            replacements[i].offset == replacements[i - 1].offset)
            return Error(ErrorCode::conflict,
                         "byte " + std::to_string(replacements[i].offset) + " is within two spellings, which lead to " +
                             in_quotes(replacements[i - 1].text) + " and " + in_quotes(replacements[i].text) +
                             "; make the patterns of its scanners narrower");
    return replacements;
}

// Maps offsets in the old bytes, ascending, to those in the new ones.
class MovedOffsets {
public:
    explicit MovedOffsets(std::span<const Replacement> replacements) : rest_(replacements) {}

    std::uint64_t of(std::uint64_t offset) {
        for (; !rest_.empty() && rest_.front().offset < offset; rest_ = rest_.subspan(1))
            by_ += rest_.front().text.size() - rest_.front().length;  // unsigned: it may shrink
        return offset + by_;
    }

private:
    std::span<const Replacement> rest_;
    std::uint64_t by_ = 0;
};

// Checks that a scan of the new bytes finds the new spellings and nothing else: some formats end a name at a blank. Of
// a statement that can be read in several ways, only the replaced names have to be there again.
Status verify_locations(const Locations& before, const Locations& after, std::span<const Replacement> replacements,
                        const Spellings& spellings) {
    for (std::size_t scanner = 0; scanner < before.size(); ++scanner) {
        std::set<std::uint64_t> expected;
        MovedOffsets moved(replacements);
        for (const Location& location : before[scanner]) {
            const FoundReference& old = location.reference;
            const auto at = spellings.find(key_of(old));
            if (old.statement != 0 && at == spellings.end())
                continue;
            const std::string& wanted = at != spellings.end() ? at->second : old.spelling;
            const std::uint64_t offset = moved.of(location.offset);
            expected.insert(offset);
            const auto first = std::ranges::lower_bound(after[scanner], offset, {}, &Location::offset);
            const auto last = std::ranges::upper_bound(after[scanner], offset, {}, &Location::offset);
            const auto is_wanted = [&](const Location& one) {
                return one.reference.spelling == wanted && (one.reference.statement == 0 || old.statement != 0);
            };
            if (std::none_of(first, last, is_wanted))
                return Error(
                    ErrorCode::unsupported,
                    (old.line != 0 ? "line " + std::to_string(old.line) + ": " : "") + in_quotes(wanted) +
                        " cannot replace " + in_quotes(old.spelling) +
                        ": the format would read another name; rename the file, or take this one out of 'rewrite'");
        }
        const auto is_new = [&](const Location& one) {
            return one.reference.statement == 0 && !expected.contains(one.offset);
        };
        if (std::ranges::any_of(after[scanner], is_new))
            return Error(ErrorCode::unsupported,
                         "has more references than before with the new spellings; take it out of 'rewrite'");
    }
    return ok();
}

// Removes the spellings of references that do not occur literally in the text.
void drop_unlocated(const Locations& locations, Spellings& spellings) {
    std::set<ReferenceKey> located;
    for (const auto& of_scanner : locations)
        for (const Location& location : of_scanner)
            located.insert(key_of(location.reference));
    std::erase_if(spellings, [&](const auto& one) { return !located.contains(one.first); });
}

}  // namespace

ReferenceKey key_of(const FoundReference& reference) { return {reference.spelling, reference.use, reference.form}; }

std::vector<std::byte> with_replacements(std::span<const std::byte> bytes, std::span<const Replacement> replacements) {
    std::vector<std::byte> out;
    std::size_t at = 0;
    for (const Replacement& one : replacements) {
        out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(one.offset));
        const auto text = std::as_bytes(std::span(one.text));
        out.insert(out.end(), text.begin(), text.end());
        at = static_cast<std::size_t>(one.offset + one.length);
    }
    out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
    return out;
}

Result<ReplacedText> replace_spellings(std::string_view name, std::string_view content_type,
                                       std::span<const std::byte> bytes, const PatternScanners& patterns,
                                       Spellings spellings, const GameProfile& profile) {
    FARDEL_TRY_ASSIGN(const auto before, find_locations(name, content_type, bytes, patterns, profile));
    ReplacedText replaced;
    FARDEL_TRY_ASSIGN(replaced.replacements, replacements_of(before, spellings));
    if (replaced.replacements.empty())
        return replaced;
    drop_unlocated(before, spellings);
    replaced.bytes = with_replacements(bytes, replaced.replacements);
    const auto after = find_locations(name, content_type, replaced.bytes, patterns, profile);
    if (!after)
        return Error(ErrorCode::unsupported, "cannot be read any more with the new spellings: " +
                                                 after.error().message() + "; take it out of 'rewrite'");
    FARDEL_TRY(verify_locations(before, *after, replaced.replacements, spellings));
    replaced.spellings = std::move(spellings);
    return replaced;
}

}  // namespace fardel
