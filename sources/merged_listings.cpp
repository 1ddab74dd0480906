#include "source_listing.h"

#include <fardel/base/system_memory.h>
#include <fardel/format/short_alias.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// An entry of a listing, by number.
struct Candidate {
    std::uint32_t listing = 0;
    std::uint32_t entry = 0;
};

// The names that are not hidden so far, by folded name. The names in a folder begin with "<folder>/" and are adjacent.
class Names {
public:
    // Adds a file under its folded name. Removes and returns all that the name contradicts.
    std::vector<Candidate> insert(const AssetName& name, Candidate candidate) {
        std::vector<Candidate> out;
        std::string folded = fold_name(name.view());
        // No file has the name of a folder that the previous name is in, too.
        const auto shared = static_cast<std::size_t>(std::ranges::mismatch(previous_, folded).in1 - previous_.begin());
        for (std::size_t slash = folded.find('/', shared); slash != folded.npos; slash = folded.find('/', slash + 1))
            if (const auto file = by_folded_.find(std::string_view(folded).substr(0, slash)); file != by_folded_.end())
                extract(file, out);
        const bool is_last = !by_folded_.empty() && by_folded_.rbegin()->first < folded;  // most often, by far
        auto at = is_last ? by_folded_.end() : by_folded_.lower_bound(folded);
        if (at != by_folded_.end() && at->first == folded)
            at = extract(at, out);
        // Names that begin with this one are adjacent: unless the next one does, no folder has this name.
        if (at != by_folded_.end() && at->first.starts_with(folded)) {
            const std::string folder = folded + '/';
            for (auto inside = by_folded_.lower_bound(folder);
                 inside != by_folded_.end() && inside->first.starts_with(folder);)
                inside = extract(inside, out);
            at = by_folded_.lower_bound(folded);
        }
        const SharedText& key = name.view() == folded ? name.shared_text() : folds_.emplace_back(folded);
        by_folded_.emplace_hint(at, key, candidate);
        previous_ = std::move(folded);
        return out;
    }

    // Moves the entries out of the listings.
    std::vector<SourceEntry> entries_of(std::vector<SourceListing>& listings) const {
        std::vector<SourceEntry> entries;
        entries.reserve(by_folded_.size());
        for (const auto& [folded, candidate] : by_folded_)
            entries.push_back(std::move(listings[candidate.listing].entries[candidate.entry]));
        std::ranges::sort(entries, {}, &SourceEntry::name);
        return entries;
    }

private:
    using Map = std::pmr::map<std::string_view, Candidate>;

    // Returns the next one.
    Map::iterator extract(Map::iterator at, std::vector<Candidate>& out) {
        out.push_back(at->second);
        return by_folded_.erase(at);
    }

    SystemMemory memory_;
    Map by_folded_{&memory_};  // its keys are the texts of the entries' names, or of folds_
    std::deque<SharedText> folds_;
    std::string previous_;  // the folded name that was inserted last
};

std::string contradiction(const SourceEntry& a, const SourceEntry& b) {
    const bool equal = names_fold_equal(a.name.view(), b.name.view());
    return a.origin.text() + " and " + b.origin.text() +
           (equal ? " differ only in case" : " would be a file and a folder of one name");
}

// A person who has many of them wants to see them all before the first is mended.
Error all_contradictions(const std::vector<std::string>& found) {
    constexpr std::size_t kShownMax = 100;
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), kShownMax); ++i)
        text += (i == 0 ? "" : ", ") + found[i];
    if (found.size() > kShownMax)
        text += ", and " + std::to_string(found.size() - kShownMax) + " more pairs";
    return Error(
        ErrorCode::conflict,
        text + (found.size() == 1 ? "; a bundle can hold only one of them"
                                  : "; a bundle can hold only one of each pair, so rename or exclude the other"));
}

void rename(SourceEntry& entry, const ScanRenames& renames, ScanReport& report) {
    const auto to = find_rename(renames, entry.name.view());
    auto name = to ? AssetName::parse(*to) : Result<AssetName>(entry.name);
    if (!to || !name || *name == entry.name)
        return;
    report.renamed.push_back(
        {.printable_name = printable(entry.name.view()), .origin = entry.origin.text(), .name = *name});
    entry.name = *std::move(name);
}

// Renames what contradicts another entry of the listing.
void rename_contradicting(SourceListing& listing, const ScanRenames& renames, ScanReport& report) {
    if (renames.empty())
        return;
    std::map<std::string, std::size_t> files;
    std::set<std::string> folders;
    for (const SourceEntry& entry : listing.entries) {
        const std::string folded = fold_name(entry.name.view());
        ++files[folded];
        for (std::size_t slash = folded.find('/'); slash != folded.npos; slash = folded.find('/', slash + 1))
            folders.insert(folded.substr(0, slash));
    }
    const auto is_file_there = [&](const std::string& folded) {
        for (std::size_t slash = folded.find('/'); slash != folded.npos; slash = folded.find('/', slash + 1))
            if (files.contains(folded.substr(0, slash)))
                return true;
        return files.at(folded) > 1 || folders.contains(folded);
    };
    for (SourceEntry& entry : listing.entries)
        if (is_file_there(fold_name(entry.name.view())))
            rename(entry, renames, report);
}

std::vector<ShortAlias> find_short_aliases(const std::vector<SourceEntry>& entries) {
    return fardel::find_short_aliases(entries.size(),
                                      [&](std::size_t i) { return std::optional(entries[i].name.view()); });
}

// Renames names that may be 8.3 aliases of others, or those others. The listings are not merged yet.
void rename_short_aliases(std::vector<SourceEntry>& entries, const ScanRenames& renames, ScanReport& report) {
    if (renames.empty())
        return;
    for (const ShortAlias& found : find_short_aliases(entries)) {
        const AssetName before = entries[found.alias].name;
        rename(entries[found.alias], renames, report);
        if (entries[found.alias].name == before)
            rename(entries[found.of], renames, report);
    }
}

// Refuses names that may be 8.3 aliases of others.
void refuse_short_aliases(ScanResult& result) {
    const std::vector<ShortAlias> found = find_short_aliases(result.entries);
    if (found.empty())
        return;
    std::set<std::size_t> aliases;
    for (const ShortAlias& one : found) {
        const SourceEntry& entry = result.entries[one.alias];
        result.report.refused.push_back(
            {.printable_name = printable(entry.name.view()),
             .origin = entry.origin.text(),
             .reason = Error(ErrorCode::conflict, "its name has the form of an 8.3 alias of \"" +
                                                      printable(result.entries[one.of].name.view()) +
                                                      "\", which may be opened in its place; rename one")});
        aliases.insert(one.alias);
    }
    std::size_t i = 0;
    std::erase_if(result.entries, [&](const SourceEntry&) { return aliases.contains(i++); });
}

}  // namespace

Result<ScanResult> merge_listings(std::vector<SourceListing> listings) {
    ScanResult result;
    Names names;
    const ScanRenames renames = listings.empty() ? ScanRenames() : listings.front().options().renames;
    std::vector<std::string> contradictions;
    for (std::size_t i = 0; i < listings.size(); ++i) {
        std::ranges::move(listings[i].renamed, std::back_inserter(result.report.renamed));
        rename_contradicting(listings[i], renames, result.report);
        rename_short_aliases(listings[i].entries, renames, result.report);
        const std::uint64_t listed = std::uint64_t(listings.size() - i) << 32;
        for (std::uint32_t at = 0; at < listings[i].entries.size(); ++at) {
            SourceEntry& entry = listings[i].entries[at];
            entry.listed = listed + at;
            for (const Candidate& candidate :
                 names.insert(entry.name, {.listing = static_cast<std::uint32_t>(i), .entry = at})) {
                SourceEntry& hidden = listings[candidate.listing].entries[candidate.entry];
                if (candidate.listing == i && listings[i].conflicts_refused) {
                    contradictions.push_back(contradiction(hidden, entry));
                    continue;
                }
                result.report.overridden.push_back({.name = std::move(hidden.name),
                                                    .origin = hidden.origin.text(),
                                                    .by_name = entry.name,
                                                    .by_origin = entry.origin.text(),
                                                    .same_source = candidate.listing == i});
            }
        }
        std::ranges::move(listings[i].refused, std::back_inserter(result.report.refused));
        std::ranges::move(listings[i].seen, std::back_inserter(result.seen));
        std::ranges::move(listings[i].remarks, std::back_inserter(result.report.remarks));
        std::ranges::move(listings[i].excluded, std::back_inserter(result.report.excluded));
    }
    if (!contradictions.empty())
        return all_contradictions(contradictions);
    result.entries = names.entries_of(listings);
    refuse_short_aliases(result);
    return result;
}

}  // namespace fardel
