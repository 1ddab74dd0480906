#include <fardel/delivery/publish.h>

#include "tables_file.h"

#include <fardel/base/folder.h>
#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/source_pieces.h>
#include <fardel/format/staged_file.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Calls `take` with the bytes of the file, in pieces and in order.
template <class Take>
Status read_file_pieces(const ByteSource& file, const PublishWork& work, Take take) {
    return read_pieces(file, "publishing", work.stop,
                       [&](std::uint64_t at, std::span<const std::byte> piece) -> Status {
                           FARDEL_TRY(take(at, piece));
                           if (work.progress)
                               work.progress(at + piece.size(), file.size_bytes());
                           return ok();
                       });
}

Result<bool> has_equal_bytes(const ByteSource& file, const ByteSource& published, const PublishWork& work) {
    if (file.size_bytes() != published.size_bytes())
        return false;
    bool equal = true;
    std::vector<std::byte> other;
    FARDEL_TRY(read_file_pieces(file, work, [&](std::uint64_t at, std::span<const std::byte> bytes) -> Status {
        other.resize(bytes.size());
        FARDEL_TRY(published.read_at(at, other));
        equal = equal && std::memcmp(bytes.data(), other.data(), bytes.size()) == 0;
        return ok();
    }));
    return equal;
}

Status write_file(const ByteSource& file, const std::string& path, const PublishWork& work) {
    FARDEL_TRY_ASSIGN(const auto staged, stage_file(path));
    FARDEL_TRY(read_file_pieces(
        file, work, [&](std::uint64_t at, std::span<const std::byte> bytes) { return staged->write_at(at, bytes); }));
    return staged->commit();
}

// Tables that compression does not make smaller are left out.
Status write_tables(const Bundle& bundle, const std::string& path) {
    const auto published = open_file_source(path);
    if (published || published.error().code() != ErrorCode::missing)
        return published ? ok() : published.error();
    const ByteSource& file = *bundle.source();
    const TableSections sections = table_sections(bundle.head(), bundle.layout_head(), file.size_bytes());
    FARDEL_TRY_ASSIGN(const auto staged, stage_file(path));
    std::uint64_t written = 0;
    FARDEL_TRY(encode_tables(file, sections, [&](std::span<const std::byte> bytes) {
        written += bytes.size();
        return staged->write_at(written - bytes.size(), bytes);
    }));
    return written < bytes_of(sections) ? staged->commit() : ok();
}

}  // namespace

std::string tables_path_of(const BundleId& bundle) { return "bundles/" + bundle.hex() + ".tables"; }
std::string tree_path_of(const BundleId& bundle) { return "bundles/" + bundle.hex() + ".fardel"; }

Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, const std::string& folder,
                                   const PublishWork& work) {
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(file, {}));
    Publication publication{
        .bundle = bundle->id(), .path = tree_path_of(bundle->id()), .file_bytes = file->size_bytes()};
    const std::string path = folder + "/" + publication.path;
    FARDEL_TRY(create_folders(folder_of_path(path)));
    const auto published = open_file_source(path);
    if (!published && published.error().code() != ErrorCode::missing)
        return published.error();
    if (published) {
        FARDEL_TRY_ASSIGN(const bool equal, has_equal_bytes(*file, **published, work));
        if (!equal)
            return Error(ErrorCode::conflict,
                         path +
                             ": another file with this bundle id is published, in another layout or with other "
                             "signatures; a published file never changes");
        publication.was_there = true;
    } else {
        FARDEL_TRY(write_file(*file, path, work));
    }
    FARDEL_TRY(write_tables(*bundle, folder + "/" + tables_path_of(bundle->id())));
    return publication;
}

}  // namespace fardel
