// Finds the dirty sources, which must be read because they are new or their stamp has changed.
#include "build_state.h"
#include "source_digest.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fardel {

namespace {

using KnownSources = std::unordered_map<std::string, KnownSource>;  // by origin

std::vector<KnownSource> known_sources(const std::vector<SourceEntry>& entries, const KnownSources& before,
                                       bool checksum, std::vector<std::size_t>& unknown) {
    std::vector<KnownSource> known(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto found = before.find(entries[i].origin.text());
        if (!checksum && found != before.end() && found->second.version == entries[i].blob->find_version())
            known[i] = found->second;
        else
            unknown.push_back(i);
    }
    return known;
}

// The results are kept even if the build fails later.
Status remember_sources(BuildDatabase& database, const KnownSources& before, const std::vector<SourceEntry>& entries,
                        const std::vector<KnownSource>& now, bool has_targets) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto found = before.find(entries[i].origin.text());
        kept += found != before.end();
        if (!entries[i].blob->find_version() || (found != before.end() && found->second == now[i]))
            continue;
        FARDEL_TRY(database.write_source(entries[i].origin.text(), now[i]));
    }
    // Rules may exclude for one target what others need, so some that are not here are remembered, too.
    const std::size_t others_max = has_targets ? entries.size() : 0;
    if (before.size() - kept > others_max) {
        std::unordered_set<std::string> present;
        for (const SourceEntry& entry : entries)
            present.insert(entry.origin.text());
        for (const auto& [origin, source] : before)
            if (!present.contains(origin))
                FARDEL_TRY(database.remove_source(origin));
    }
    return database.commit();
}

}  // namespace

Result<FileContents> ProjectBuild::State::read_dirty_sources(const std::vector<SourceEntry>& entries) {
    FARDEL_TRY_ASSIGN(const auto before, database.read_sources());
    std::vector<std::size_t> dirty;
    std::vector<KnownSource> known = known_sources(entries, before, options.checksum, dirty);
    std::vector<const SourceEntry*> to_read;
    for (const std::size_t i : dirty)
        to_read.push_back(&entries[i]);
    FARDEL_TRY_ASSIGN(std::vector<KnownSource> digests,
                      digest_sources(to_read, options.jobs, options.stop,
                                     [&](std::uint64_t done) { report_progress("hashing", done, to_read.size()); }));
    for (std::size_t i = 0; i < digests.size(); ++i)
        known[dirty[i]] = std::move(digests[i]);
    FARDEL_TRY(remember_sources(database, before, entries, known, project.target.has_value()));
    counts.sources = entries.size();
    counts.sources_read = dirty.size();

    FileContents contents;
    contents.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
        contents.add({.asset = known[i].asset,
                      .size_bytes = known[i].size_bytes,
                      .blob = entries[i].blob,
                      .content_type = std::move(known[i].content_type)});
    return contents;
}

}  // namespace fardel
