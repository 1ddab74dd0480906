#include "cache_folder.h"
#include "cache_packs.h"
#include "checked_blob.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_record.h>

#include <fardel/format/hash.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace fardel {
namespace {

enum class FileState : std::uint8_t { whole, incomplete, broken, removed };

// Sets `signer` if the record is intact and signed.
Result<FileState> judge_record(const CacheFolder& folder, const CacheFile& file, std::optional<PublicKey>& signer) {
    const auto bytes = folder.find_bytes(file, kCacheRecordBytesMax);
    if (!bytes && is_broken_content(bytes.error()))
        return FileState::broken;
    if (!bytes)
        return bytes.error();
    if (!*bytes)
        return FileState::removed;
    const auto record = decode_cache_record(id_from<BuildKey>(file.id), **bytes);
    if (!record)
        return FileState::broken;
    if (record->signature) {
        if (!verify_cache_record(*record, std::span(&record->signature->key, 1)))
            return FileState::broken;
        signer = record->signature->key;
    }
    for (const CachedOutput& output : record->outputs) {
        FARDEL_TRY_ASSIGN(const auto object, folder.find(CacheFileKind::object, id_from<Hash>(output.asset)));
        if (!object || object->size_bytes != output.size_bytes)
            return FileState::incomplete;
    }
    return FileState::whole;
}

Result<FileState> judge_object(const CacheFolder& folder, const CacheFile& file) {
    const CheckedBlob blob(folder.blob(file), id_from<AssetId>(file.id), file.size_bytes);
    const Status whole = blob.verify();
    if (whole)
        return FileState::whole;
    if (whole.error().code() == ErrorCode::missing)
        return FileState::removed;
    if (is_broken_content(whole.error()))
        return FileState::broken;
    return whole.error();
}

class Checker {
public:
    Checker(const CacheFolder& folder, const CacheCheckOptions& check) : folder_(folder), check_(check) {}

    Status check(CacheFileKind kind) {
        for (unsigned shard = 0; shard < kCacheShards; ++shard) {
            FARDEL_TRY_ASSIGN(CacheShard found, folder_.list(kind, shard));
            for (const UnfinishedFile& file : found.unfinished) {
                ++report.unfinished;
                report.unfinished_bytes += file.size_bytes;
            }
            std::ranges::sort(found.files, {}, &CacheFile::id);
            for (const CacheFile& file : found.files)
                FARDEL_TRY(check_file(file));
        }
        FARDEL_TRY_ASSIGN(const auto packs, folder_.list_packs());
        report.packs = packs.size();
        report.pack_bytes = 0;
        for (const CacheFile& pack : packs) {
            report.pack_bytes += pack.size_bytes;
            FARDEL_TRY(check_pack(pack, kind));
        }
        return ok();
    }

    CacheFolderReport report;

private:
    // A pack is one file: it is broken if anything in it is.
    Status check_pack(const CacheFile& pack, CacheFileKind kind) {
        const auto files = folder_.list_packed(pack, kind);
        if (!files && files.error().code() == ErrorCode::missing)
            return ok();  // merged or removed meanwhile
        if (!files && !is_broken_content(files.error()))
            return files.error();
        if (!files)
            return check_.read ? report_broken(pack) : ok();
        for (const CacheFile& file : *files) {
            const std::size_t broken = report.broken.size();
            FARDEL_TRY(check_file(file));
            if (report.broken.size() != broken)
                break;
        }
        return ok();
    }
    Status check_file(const CacheFile& file) {
        if (check_.stop.stop_requested())
            return Error(ErrorCode::cancelled, folder_.path() + ": the check was stopped");
        const bool is_record = file.kind == CacheFileKind::record;
        ++(is_record ? report.records : report.objects);
        (is_record ? report.record_bytes : report.object_bytes) += file.size_bytes;
        if (check_.read)
            FARDEL_TRY(read(file));
        if (check_.progress)
            check_.progress(report);
        return ok();
    }
    Status read(const CacheFile& file) {
        std::optional<PublicKey> signer;
        FARDEL_TRY_ASSIGN(const FileState state, file.kind == CacheFileKind::record
                                                     ? judge_record(folder_, file, signer)
                                                     : judge_object(folder_, file));
        if (signer)
            ++report.signed_records[*signer];
        if (state == FileState::incomplete)
            ++report.incomplete;
        if (state != FileState::broken)
            return ok();
        return report_broken(
            file.packed ? CacheFile{.kind = CacheFileKind::pack, .id = cache_pack_id(file.packed->pack)} : file);
    }
    Status report_broken(const CacheFile& file) {
        std::string name = cache_file_name(file.kind, file.id);
        if (std::ranges::find(report.broken, name) != report.broken.end())
            return ok();  // a pack is checked twice
        report.broken.push_back(std::move(name));
        if (check_.remove) {
            FARDEL_TRY(folder_.remove(file.kind, file.id));
            ++report.removed;
        }
        return ok();
    }

    const CacheFolder& folder_;
    const CacheCheckOptions& check_;
};

}  // namespace

Result<CacheFolderReport> check_cache_folder(const std::string& path, const CacheCheckOptions& check) {
    FARDEL_TRY_ASSIGN(const CacheFolder folder, CacheFolder::open(path, false));
    Checker checker(folder, check);
    FARDEL_TRY(
        checker.check(CacheFileKind::object));  // before the records, which are incomplete if an object is removed
    FARDEL_TRY(checker.check(CacheFileKind::record));
    return std::move(checker.report);
}

}  // namespace fardel
