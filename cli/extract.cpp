// fardel extract: selects names, checks that their paths are free, writes all files, then moves all of them to their
// final paths.

#include "bundles/bundle_file.h"
#include "bundles/extract_folder.h"
#include "bundles/name_listing.h"
#include "bundles/variants_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/base/free_space.h>
#include <fardel/base/interrupt.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fardel {
namespace {

// More than this, and more than that many times the bundle, is extracted only on request.
constexpr std::uint64_t kUsualBytesMax = std::uint64_t{16} << 30;
constexpr std::uint64_t kUsualRatioMax = 100;

struct ExtractCommand {
    std::string file;
    std::string folder;
    std::vector<std::string> patterns;
    VariantPreference preference;
    bool force = false;
    bool any_size = false;
    bool json = false;
};

struct NameSelection {
    struct One {
        std::uint32_t name;  // its index
        AssetIndex asset;
    };
    std::vector<One> names;
    std::uint64_t raw_bytes = 0;
    std::uint64_t tombstones = 0;
    std::uint64_t with_variants = 0;  // names of which only the preferred variant is extracted
};

bool matches(std::string_view pattern, std::string_view name) {
    const bool inside = name.size() > pattern.size() && name.starts_with(pattern) && name[pattern.size()] == '/';
    return inside || glob_matches(pattern, name);
}

// Selects names by patterns; without patterns, all names. A pattern that matches no name is an error (unresolved).
class NameFilter {
public:
    explicit NameFilter(const std::vector<std::string>& patterns) : patterns_(patterns), used_(patterns.size()) {}

    bool selects(std::string_view name) {
        bool selected = patterns_.empty();
        for (std::size_t i = 0; i < patterns_.size(); ++i) {
            if (matches(patterns_[i], name)) {
                used_[i] = true;
                selected = true;
            }
        }
        return selected;
    }

    Status verify_all_used(const Bundle& bundle) const {
        const auto unused = std::ranges::find(used_, false);
        if (unused == used_.end())
            return ok();
        const std::string& pattern = patterns_[static_cast<std::size_t>(unused - used_.begin())];
        return in_bundle(bundle, Error(ErrorCode::unresolved,
                                       "\"" + printable(pattern) + "\" matches no name; nothing was extracted"));
    }

private:
    const std::vector<std::string>& patterns_;
    std::vector<bool> used_;
};

Result<NameSelection> select(const Bundle& bundle, const ExtractCommand& command, ExtractFolder& folder) {
    NameFilter filter(command.patterns);
    NameSelection selection;
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const ListedName name, name_at(bundle, i));
        if (!filter.selects(name.text))
            continue;
        if (name.variants.empty()) {
            ++selection.tombstones;
            continue;
        }
        FARDEL_TRY_ASSIGN(const AssetName parsed, AssetName::parse(name.text));
        // All names are looked at before the first byte is written, and again when the files are moved.
        FARDEL_TRY(folder.verify_free(parsed));
        FARDEL_TRY_ASSIGN(const AssetIndex asset, preferred_asset(bundle, name.record, command.preference));
        selection.names.push_back({.name = i, .asset = asset});
        FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(asset));
        const std::uint64_t raw_bytes = record.raw_bytes;
        selection.raw_bytes += std::min(raw_bytes, UINT64_MAX - selection.raw_bytes);  // hostile sizes
        selection.with_variants += name.variants.size() > 1 ? 1 : 0;
    }
    FARDEL_TRY(filter.verify_all_used(bundle));
    return selection;
}

// The sum is known before the first byte is written; a few megabytes can hold terabytes.
Status verify_size(const ExtractCommand& command, std::uint64_t raw_bytes) {
    const auto status = find_file_status(command.file, command.file);
    const std::uint64_t file_bytes = status && *status ? (*status)->size_bytes : UINT64_MAX;
    const bool absurd = raw_bytes > kUsualBytesMax && raw_bytes / kUsualRatioMax > file_bytes;
    if (absurd && !command.any_size)
        return Error(ErrorCode::limit, fmt::format("{}: its files have {} bytes, "
                                                   "over {} times the {} bytes of the bundle; nothing was extracted; "
                                                   "--any-size extracts it nevertheless",
                                                   printable(command.file), raw_bytes, kUsualRatioMax, file_bytes));
    return verify_free_space(command.folder, raw_bytes, "extracting to " + printable(command.folder));
}

// Writes one asset and compares it with its id.
template <class Advance>
Status write_asset(const Bundle& bundle, AssetIndex index, ExtractFolder& folder, Advance advance) {
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
    Hasher hasher;
    FARDEL_TRY(read_in_pieces(bundle, index, asset.raw_bytes, [&](std::span<const std::byte> piece) {
        hasher.update(piece);
        const Status written = folder.write(piece);
        return written ? advance(piece.size()) : written;
    }));
    if (id_from<AssetId>(hasher.finish()) != asset.id)
        return in_bundle(bundle, Error(ErrorCode::corrupt, "asset " + asset.id.hex() + ": its bytes have another id"));
    return ok();
}

Status write_all(const Bundle& bundle, const NameSelection& selection, ExtractFolder& folder,
                 const std::stop_token& stop, Console& console) {
    ProgressBar bar(console, "extracting");
    std::uint64_t done = 0;
    const auto advance = [&](std::size_t bytes) -> Status {
        done += bytes;
        bar.show_bytes(done, selection.raw_bytes);
        return stop.stop_requested() ? Error(ErrorCode::cancelled, "interrupted; nothing was extracted") : ok();
    };
    for (const NameSelection::One& one : selection.names) {
        FARDEL_TRY_ASSIGN(const std::string_view name, name_text_at(bundle, one.name));
        FARDEL_TRY_ASSIGN(const AssetName parsed, AssetName::parse(name));
        FARDEL_TRY(folder.begin(parsed));
        FARDEL_TRY(write_asset(bundle, one.asset, folder, advance));
    }
    return ok();
}

std::string format_done(const ExtractCommand& command, const NameSelection& selection, std::uint64_t replaced) {
    std::string text = fmt::format("extracted {}, {}, to {}\n", format_count(selection.names.size(), "file", "files"),
                                   format_size(selection.raw_bytes), printable(command.folder, 1000));
    if (replaced != 0)
        text += fmt::format("  {} replaced\n", format_count(replaced, "file", "files"));
    if (selection.with_variants != 0)
        text += fmt::format("  {} several variants; only the {} was extracted{}\n",
                            format_count(selection.with_variants, "name has", "names have"),
                            command.preference.empty() ? "first" : "preferred one",
                            command.preference.empty() ? "; --variants chooses others" : "");
    if (selection.tombstones != 0)
        text +=
            fmt::format("  {} no content (tombstones)\n", format_count(selection.tombstones, "name has", "names have"));
    return text;
}

Json json_done(const Bundle& bundle, const ExtractCommand& command, const NameSelection& selection,
               std::uint64_t replaced) {
    return Json{{"file", command.file},
                {"bundle", bundle.id().hex()},
                {"folder", command.folder},
                {"files", selection.names.size()},
                {"bytes", selection.raw_bytes},
                {"replaced", replaced},
                {"with_variants", selection.with_variants},
                {"tombstones", selection.tombstones}};
}

Result<Exit> extract(const ExtractCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(command.file));
    say_idle_axes(command.preference, *bundle, console);
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(ExtractFolder folder, ExtractFolder::open(command.folder, command.force));
    FARDEL_TRY_ASSIGN(const NameSelection selection, select(*bundle, command, folder));
    FARDEL_TRY(verify_size(command, selection.raw_bytes));
    FARDEL_TRY(write_all(*bundle, selection, folder, interrupt.token(), console));
    FARDEL_TRY(folder.commit());
    const std::uint64_t replaced = folder.replaced();
    return print_result(
        console, command.json, [&] { return json_done(*bundle, command, selection, replaced); },
        [&] { return format_done(command, selection, replaced); });
}

}  // namespace

Result<Exit> run_extract(Words words, Console& console) {
    CommandLine line("extract", "FILE -C DIR [PATTERN...] [--variants AXIS=VALUE,...] [--force] [--any-size] [--json]",
                     "Writes the assets of a bundle to a folder as plain files: all of them, or none.",
                     "  fardel extract mygame.fardel -C mygame/\n"
                     "  fardel extract mygame.fardel -C out/ maps '**/*.cfg'\n");
    ExtractCommand command;
    line.text("FILE", "FILE", command.file, "The bundle").required();
    line.text("-C,--directory", "DIR", command.folder, "The folder to write to; created if it is missing").required();
    line.texts("PATTERN", "PATTERN", command.patterns, "Names, folders or globs to extract (default: everything)");
    std::vector<std::string> variants;
    add_variants_option(line, variants);
    line.flag("-f,--force", command.force, "Replace existing files, but never links, folders or devices");
    line.flag("--any-size", command.any_size, "Extract also over 16 GiB that are over 100 times the bundle");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    auto preference = read_variants(variants);
    if (!preference)
        return line.mistake(preference.error().text(), console);
    command.preference = *std::move(preference);
    for (std::string& pattern : command.patterns) {
        if (pattern.size() > 1 && pattern.ends_with('/'))  // shells complete the names of folders like this
            pattern.pop_back();
        if (Status good = verify_glob(pattern); !good)
            return line.mistake(fmt::format("pattern '{}': {}", pattern, good.error().message()), console);
    }
    return extract(command, console);
}

}  // namespace fardel
