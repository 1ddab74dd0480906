#include <fardel/hosting/publish.h>

#include "publish/asset_frames_file.h"
#include "publish/piece_slices_file.h"
#include "publish/tree_channels.h"

#include <fardel/base/file.h>
#include <fardel/delivery/tables_file.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/file_source.h>
#include <fardel/format/head.h>
#include <fardel/format/printable.h>
#include <fardel/hosting/prune.h>
#include <fardel/hosting/published_signatures.h>

#include <functional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

using OptionalFile = Result<std::shared_ptr<const ByteSource>>;  // nullptr: there is none

// Writes what `make` gives unless the tree has the file. One that is there need not have the same bytes: another
// version of zstd may have made it.
Status put_if_missing(TreeTarget& tree, const std::string& path, const std::stop_token& stop,
                      const std::function<OptionalFile()>& make) {
    const auto published = tree.open(path);
    if (published || published.error().code() != ErrorCode::missing)
        return published ? ok() : published.error();
    FARDEL_TRY_ASSIGN(const auto file, make());
    if (!file)
        return ok();
    const auto put = tree.put(path, *file, {.progress = {}, .stop = stop});
    return put || put.error().code() == ErrorCode::conflict ? ok() : put.error();
}

// Tables that compression does not make smaller are left out.
OptionalFile make_tables(const Bundle& bundle) {
    const ByteSource& file = *bundle.source();
    const TableSections sections = table_sections(bundle.head(), bundle.layout_head(), file.size_bytes());
    FARDEL_TRY_ASSIGN(Descriptor spool, create_unnamed_file("compressed tables"));
    std::uint64_t written = 0;
    FARDEL_TRY(encode_tables(file, sections, [&](std::span<const std::byte> bytes) {
        written += bytes.size();
        return write_whole(spool, bytes, "compressed tables");
    }));
    if (written >= bytes_of(sections))
        return std::shared_ptr<const ByteSource>();
    return make_file_source(std::move(spool), written, "compressed tables");
}

// What the tree has under the bundle's name; nothing if that is not this bundle with other signatures.
Result<std::shared_ptr<const Bundle>> find_resigned(TreeTarget& tree, const Bundle& bundle) {
    const std::string path = tree_path_of(bundle.id());
    FARDEL_TRY_ASSIGN(auto source, tree.open(path));
    auto published = Bundle::open(std::move(source), {.policy = nullptr, .time = {}, .cache = {}, .label = path});
    if (!published || (*published)->layout_id() != bundle.layout_id() ||
        (*published)->envelopes() == bundle.envelopes())
        return Error(ErrorCode::conflict, tree.name() + ", " + path +
                                              ": another file with this bundle id is published, in another layout or "
                                              "damaged; a published file never changes");
    return published;
}

}  // namespace

Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree,
                                   const PublishWork& work) {
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(file, {}));
    Publication publication{
        .bundle = bundle->id(), .path = tree_path_of(bundle->id()), .file_bytes = file->size_bytes()};
    FARDEL_TRY_ASSIGN(const std::vector<BundleId> needed, static_dependencies(*bundle));
    FARDEL_TRY(revive_bundle(tree, bundle->id(), needed, work.now));
    auto put = tree.put(publication.path, *file, work);
    if (!put && put.error().code() == ErrorCode::conflict) {
        // The file stays as it is, because caches keep it for ever; signatures that came later have a file beside it.
        FARDEL_TRY_ASSIGN(const auto published, find_resigned(tree, *bundle));
        FARDEL_TRY_ASSIGN(publication.added_signatures, publish_signatures(tree, *published, bundle->envelopes()));
        put = PutOutcome::was_there;
    }
    if (!put)
        return std::move(put).error();
    publication.was_there = *put == PutOutcome::was_there;
    // The small assets a second time, one by one: without them, an update without a delta costs a whole block for each
    // small edit. Smaller blocks would make every bundle larger, also for players who download it whole.
    FARDEL_TRY(put_if_missing(tree, asset_frames_path_of(bundle->id()), work.stop,
                              [&] { return make_asset_frames(*bundle, work.stop); }));
    // Of large assets, only what a client with another version lacks: one edit would cost a piece, or one insertion all
    // pieces after it.
    FARDEL_TRY(put_if_missing(tree, piece_slices_path_of(bundle->id()), work.stop,
                              [&] { return make_piece_slices(*bundle, work.stop); }));
    FARDEL_TRY(put_if_missing(tree, tables_path_of(bundle->id()), work.stop, [&] { return make_tables(*bundle); }));
    // A prune that looked before the file was there may have condemned a part of it.
    FARDEL_TRY(revive_bundle(tree, bundle->id(), needed, work.now));
    return publication;
}

Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, const std::string& folder,
                                   const PublishWork& work) {
    return publish_bundle(file, *make_folder_target(folder), work);
}

std::vector<std::string> find_newer_versions(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree) {
    std::vector<std::string> remarks;
    const auto bundle = Bundle::open(file, {});
    const auto name = bundle ? (*bundle)->find_bundle_text("name") : bundle.error();
    const auto text = bundle ? (*bundle)->find_bundle_text("version") : bundle.error();
    const auto version = BundleVersion::parse(text ? text->value_or("") : "");
    const auto channels = read_tree_channels(tree);
    if (!name || !*name || !version || version->empty() || !channels)
        return remarks;
    ReleasedBundle added;
    added.bundle = (*bundle)->id();
    added.name = **name;
    added.version = *version;
    for (const NamedRelease& release : channels->newest)
        if (auto older = describe_older(added, release.bundles, "channel " + printable(release.channel) + " has"))
            remarks.push_back(*std::move(older));
    return remarks;
}

Result<Publication> plan_publication(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree) {
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(file, {}));
    Publication publication{
        .bundle = bundle->id(), .path = tree_path_of(bundle->id()), .file_bytes = file->size_bytes()};
    const auto there = tree.open(publication.path);
    if (!there && there.error().code() != ErrorCode::missing)
        return there.error();
    publication.was_there = there.has_value();
    if (there && (*there)->size_bytes() != file->size_bytes()) {
        FARDEL_TRY_ASSIGN(const auto published, find_resigned(tree, *bundle));
        FARDEL_TRY_ASSIGN(const auto added, find_unpublished(tree, *published, bundle->envelopes()));
        publication.added_signatures = added.size();
    }
    return publication;
}

}  // namespace fardel
