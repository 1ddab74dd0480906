#include "unlinked.h"

#include "bundle_file.h"
#include "console/figures.h"
#include "store_option.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/packer/plan_scan.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/loose_bundle.h>
#include <fardel/sources/source_scan.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

#include <utility>

namespace fardel {

Result<std::shared_ptr<const Bundle>> open_any_bundle(const std::string& path) {
    FARDEL_TRY_ASSIGN(const SourceKind kind, find_source_kind(path));
    if (kind == SourceKind::bundle)
        return open_bundle(path);
    const auto archives = make_archive_reader();
    FARDEL_TRY_ASSIGN(const LooseBundle loose,
                      open_loose_bundle(path, {.archives = kind == SourceKind::folder ? nullptr : archives.get(),
                                               .digests = std::make_shared<DigestCache>(),
                                               .digest_folder = vfs_options().digest_folder}));
    return Bundle::open(loose.source, {.label = printable(path)});
}

Result<std::optional<UnlinkedBundle>> find_unlinked(const std::string& file, const Bundle& bundle) {
    if (bundle.table_count(TableKind::references) != 0 || bundle.table_count(TableKind::consumes) != 0)
        return std::optional<UnlinkedBundle>();
    UnlinkedBundle unlinked{.file = file};
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
        if (record.is(NameRecord::tombstone))
            continue;
        std::uint32_t asset = record.target;
        if (record.is(NameRecord::has_variants)) {
            FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(record.target));
            asset = variant.asset;
        }
        FARDEL_TRY_ASSIGN(const AssetRecord content, bundle.asset(AssetIndex{asset}));
        FARDEL_TRY_ASSIGN(const std::string_view name, bundle.string(record.text));
        FARDEL_TRY_ASSIGN(const std::string_view type, bundle.string(content.content_type));
        if (has_scanner(name, type) && unlinked.files++ == 0)
            unlinked.first = name;
    }
    return unlinked.files == 0 ? std::optional<UnlinkedBundle>() : std::optional(std::move(unlinked));
}

Result<std::vector<UnlinkedBundle>> find_unlinked(const Vfs& vfs, const MountingOptions& options) {
    std::vector<UnlinkedBundle> all;
    FARDEL_TRY_ASSIGN(const auto store, find_store(options.store));
    FARDEL_TRY_ASSIGN(const auto library, find_library(options.libraries));
    const BundleLookup lookup(store ? &*store : nullptr, library.get());
    for (const MountDescription& mount : vfs.mounts()) {
        // What was named by its id has the id as its label.
        std::shared_ptr<const Bundle> bundle;
        if (mount.label == mount.bundle.hex()) {
            FARDEL_TRY_ASSIGN(auto source, lookup.open_bundle(mount.bundle));
            FARDEL_TRY_ASSIGN(bundle, Bundle::open(std::move(source), {}));
        } else {
            FARDEL_TRY_ASSIGN(bundle, open_any_bundle(mount.label));
        }
        FARDEL_TRY_ASSIGN(auto unlinked, find_unlinked(mount.label, *bundle));
        if (unlinked)
            all.push_back(*std::move(unlinked));
    }
    return all;
}

std::string describe(const UnlinkedBundle& unlinked) {
    return fmt::format("{}: the references of {}, such as {}, are not known: it was packed without [link]",
                       printable(unlinked.file), format_count(unlinked.files, "file", "files"),
                       printable(unlinked.first));
}

}  // namespace fardel
