#include "bundles/export_bundle.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/free_space.h>
#include <fardel/format/source_descriptor.h>
#include <fardel/format/source_pieces.h>
#include <fardel/format/staged_descriptor.h>
#include <fardel/format/staged_file.h>

#include <memory>

namespace fardel {
namespace {

// Returns the pack that is equal to the bundle's file; nullptr if there is none, or if it is a file elsewhere.
std::shared_ptr<const ByteSource> find_equal_pack(const StoreFolder& folder, const std::optional<StoreRecord>& record) {
    if (!record || record->packs.size() != 1 || !record->is_complete() ||
        record->packs[0].size_bytes != record->file_bytes || record->extents.size() != 1)
        return nullptr;
    auto pack = folder.open_pack(record->packs[0]);
    return pack ? *std::move(pack) : nullptr;
}

// Returns whether `file` has the bytes now.
Result<bool> clone_pack(const ByteSource& pack, const StagedFile& file, const std::string& path,
                        const CloneFile& clone) {
    const Descriptor* const from = find_descriptor(pack);
    const Descriptor* const to = find_descriptor(file);
    if (from == nullptr || to == nullptr)
        return false;
    return clone(*from, *to, path);
}

}  // namespace

Status export_stored_bundle(const StoreFolder& folder, const ByteSource& source,
                            const std::optional<StoreRecord>& record, const std::string& path, const StoreWork& work,
                            const CloneFile& clone) {
    FARDEL_TRY_ASSIGN(const auto file, stage_file(path));
    const auto pack = find_equal_pack(folder, record);
    if (pack != nullptr && pack->size_bytes() == source.size_bytes()) {
        FARDEL_TRY_ASSIGN(const bool cloned, clone_pack(*pack, *file, path, clone));
        if (cloned)
            return file->commit();
    }
    FARDEL_TRY(verify_free_space(folder_of_path(path), source.size_bytes(), "exporting to " + path));
    FARDEL_TRY(read_pieces(source, path, work.stop, [&](std::uint64_t at, std::span<const std::byte> bytes) {
        if (work.progress)
            work.progress({.done_bytes = at + bytes.size(), .total_bytes = source.size_bytes()});
        return file->write_at(at, bytes);
    }));
    return file->commit();
}

}  // namespace fardel
