#include "packs/referred_file.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/source_pieces.h>

#include <utility>

namespace fardel {
namespace {

class ReferredSource final : public ByteSource {
public:
    explicit ReferredSource(std::shared_ptr<const ByteSource> file) : file_(std::move(file)) {}
    std::uint64_t size_bytes() const noexcept override { return file_->size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        return file_->read_at(offset, out);
    }
    void prefetch(std::uint64_t offset, std::uint64_t length) const override { file_->prefetch(offset, length); }

private:
    const std::shared_ptr<const ByteSource> file_;
};

struct StampedFile {
    std::shared_ptr<const ByteSource> source;
    PathStamp stamp;
};

Result<StampedFile> open_stamped(const std::string& path) {
    const std::int64_t now_ns = wall_clock_ns();
    FARDEL_TRY_ASSIGN(RegularFile file, open_regular_file(path, path, {.links = Links::refused}));
    const PathStamp stamp = stamp_of(file.status, now_ns);
    return StampedFile{.source = make_file_source(std::move(file.descriptor), file.status.size_bytes, path),
                       .stamp = stamp};
}

Result<Hash> hash_file(const ByteSource& source, const std::string& path, const std::stop_token& stop = {},
                       const ReadProgress& progress = {}) {
    Hasher hasher;
    FARDEL_TRY(read_pieces(source, path, stop, [&](std::uint64_t at, std::span<const std::byte> bytes) {
        hasher.update(bytes);
        if (progress)
            progress(at + bytes.size(), source.size_bytes());
        return ok();
    }));
    return hasher.finish();
}

constexpr std::string_view kAddAgain = "; the store only refers to this file: add it again, or fetch the bundle";

}  // namespace

Result<PackReference> refer_to_file(const std::string& path, const std::stop_token& stop,
                                    const ReadProgress& progress) {
    FARDEL_TRY_ASSIGN(std::string real, real_path(path, path));
    if (real.size() > kReferencePathMax)
        return Error(ErrorCode::limit, path + ": the path is longer than a store can note");
    FARDEL_TRY_ASSIGN(const StampedFile file, open_stamped(real));
    FARDEL_TRY_ASSIGN(const Hash hash, hash_file(*file.source, real, stop, progress));
    if (!looks_unchanged(file.stamp, stamp_path(real)))
        return Error(ErrorCode::conflict, path + ": the file was changed while it was read");
    return PackReference{
        .pack = {.id = hash, .size_bytes = file.source->size_bytes()}, .stamp = file.stamp, .path = std::move(real)};
}

Result<std::shared_ptr<const ByteSource>> open_referred_file(const StoreFolder& folder,
                                                             const PackReference& reference) {
    auto file = open_stamped(reference.path);
    if (!file) {
        if (file.error().code() != ErrorCode::missing)
            return std::move(file).error();
        return Error(ErrorCode::missing, reference.path + ": the file is gone" + std::string(kAddAgain));
    }
    const Error changed(ErrorCode::corrupt, reference.path + ": the file was changed" + std::string(kAddAgain));
    if (file->stamp.size_bytes != reference.pack.size_bytes)
        return changed;
    if (!is_unchanged(reference.stamp, file->stamp)) {
        FARDEL_TRY_ASSIGN(const Hash hash, hash_file(*file->source, reference.path));
        if (hash != reference.pack.id)
            return changed;
        // Without a new stamp, the file is read again the next time. A reference that is not in the store is noted by
        // who adds it.
        PackReference noted = reference;
        noted.stamp = file->stamp;
        const auto stored = folder.find_reference(reference.pack.id);
        if (!file->stamp.young && looks_unchanged(file->stamp, stamp_path(reference.path)) && stored && *stored &&
            (*stored)->path == reference.path)
            static_cast<void>(folder.write_reference(noted));
    }
    return std::shared_ptr<const ByteSource>(std::make_shared<ReferredSource>(std::move(file->source)));
}

Result<std::vector<ReferredPack>> list_referred_packs(const StoreFolder& folder) {
    FARDEL_TRY_ASSIGN(const auto packs, folder.list_references());
    std::vector<ReferredPack> referred;
    for (const StorePack& pack : packs)
        referred.push_back({.pack = pack, .is_stale = !folder.open_pack(pack)});
    return referred;
}

}  // namespace fardel
