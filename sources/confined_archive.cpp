#include "confined_archive.h"

#include "archive_program.h"
#include "repeated_names.h"

#include <fardel/base/file.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// PhysicsFS 3.0.2 keeps the size of an entry in 32 bits.
constexpr std::uint64_t kEntryBytesMax = 0xffff'ffff;

class ConfinedArchive {
public:
    ConfinedArchive(std::string program, std::shared_ptr<const ByteSource> bytes, std::string format,
                    std::vector<ArchiveItem> items, const std::optional<PathStamp>& stamp)
        : program_(std::move(program)),
          bytes_(std::move(bytes)),
          format_(std::move(format)),
          items_(std::move(items)),
          stamp_(stamp) {}

    const std::vector<ArchiveItem>& items() const { return items_; }
    const std::optional<PathStamp>& stamp() const { return stamp_; }

    // Unpacks the archive unless that was done; the result lives as long as this object. `file` counts files only.
    Result<const Descriptor*> open(std::size_t file) const {
        const std::lock_guard lock(unpacking_);
        // All files at once: a 7z is inflated from its start for each entry. A failure is remembered, since it would
        // come again.
        if (!unpacked_)
            unpacked_.emplace(unpack_in_program(program_, *bytes_, format_, items_));
        if (!*unpacked_)
            return unpacked_->error();
        if (const std::optional<Error>& failure = (*unpacked_)->failures[file])
            return *failure;
        return &(*unpacked_)->bytes;
    }

private:
    const std::string program_;
    const std::shared_ptr<const ByteSource> bytes_;
    const std::string format_;
    const std::vector<ArchiveItem> items_;
    const std::optional<PathStamp> stamp_;
    mutable std::mutex unpacking_;
    mutable std::optional<Result<UnpackedFiles>> unpacked_;
};

struct FileRange {
    std::size_t file = 0;  // its number in the archive
    std::uint64_t offset = 0;
    std::uint64_t size_bytes = 0;
};

class ConfinedStream final : public BlobStream {
public:
    ConfinedStream(std::shared_ptr<const ConfinedArchive> archive, const Descriptor& bytes, const FileRange& range,
                   const EntryOrigin& origin)
        : archive_(std::move(archive)), bytes_(bytes), range_(range), origin_(origin.text()) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), range_.size_bytes)));
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(bytes_, range_.offset, out, origin_));
        if (count < out.size())
            return Error(ErrorCode::corrupt, origin_ + ": the unpacked file ends too early");
        range_.offset += count;
        range_.size_bytes -= count;
        return count;
    }

private:
    std::shared_ptr<const ConfinedArchive> archive_;  // owns `bytes_`
    const Descriptor& bytes_;
    FileRange range_;  // the rest
    std::string origin_;
};

class ConfinedBlob final : public BlobSource {
public:
    ConfinedBlob(std::shared_ptr<const ConfinedArchive> archive, const FileRange& range, EntryOrigin origin)
        : archive_(std::move(archive)), range_(range), origin_(std::move(origin)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        const Result<const Descriptor*> bytes = archive_->open(range_.file);
        if (!bytes)
            return Error(bytes.error()).with_context(origin_.text());
        return std::unique_ptr<BlobStream>(std::make_unique<ConfinedStream>(archive_, **bytes, range_, origin_));
    }
    std::optional<Hash> find_version() const override {
        const std::optional<PathStamp>& stamp = archive_->stamp();
        return stamp ? std::optional(version_in_archive(*stamp, range_.file, origin_.item())) : std::nullopt;
    }

private:
    std::shared_ptr<const ConfinedArchive> archive_;
    FileRange range_;
    EntryOrigin origin_;
};

// Judges the items in their order: those of a folder follow it.
class ItemJudgement {
public:
    ItemJudgement(std::shared_ptr<const ConfinedArchive> archive, const std::string& path, SourceListing& listing)
        : archive_(std::move(archive)), source_(path + ": "), listing_(listing) {}

    void judge(const ArchiveItem& item) {
        const bool is_file = item.kind == ArchiveItem::Kind::file;
        const FileRange range{.file = next_.file, .offset = next_.offset, .size_bytes = item.size_bytes};
        // Offsets follow from the order of all files, so they are counted for files that are refused or skipped, too.
        if (is_file)
            next_ = {.file = range.file + 1, .offset = range.offset + item.size_bytes, .size_bytes = 0};
        if (!skipped_.empty() && item.name.starts_with(skipped_))
            return;
        skipped_.clear();
        const std::string shown = printable(item.name);
        const std::string origin = source_.text() + shown;
        switch (item.kind) {
            case ArchiveItem::Kind::folder:
                if (!listing_.accept_folder(item.name, origin))
                    skipped_ = item.name + '/';
                return;
            case ArchiveItem::Kind::bad_name: return refuse_name(item.name, origin);
            case ArchiveItem::Kind::repeated:
                return listing_.refuse(
                    item.name, origin,
                    Error(ErrorCode::conflict, "PhysicsFS has this name twice and can read only one"));
            case ArchiveItem::Kind::unreadable: return listing_.refuse(item.name, origin, *item.reason);
            case ArchiveItem::Kind::file: return add_file(item.name, shown, origin, range);
        }
    }

private:
    void refuse_name(const std::string& name, const std::string& origin) {
        Status good = verify_name(name);
        listing_.refuse(name, origin,
                        good ? Error(ErrorCode::malformed, "its reader refuses the name") : std::move(good).error());
    }

    void add_file(const std::string& name, const std::string& shown, const std::string& origin,
                  const FileRange& range) {
        std::optional<AssetName> accepted = listing_.accept(name, origin);
        if (!accepted)
            return;
        if (range.size_bytes > kEntryBytesMax)
            return listing_.refuse(name, origin,
                                   Error(ErrorCode::limit, "it has " + std::to_string(range.size_bytes) +
                                                               " bytes, more than " + std::to_string(kEntryBytesMax)));
        const EntryOrigin shared_origin(source_, shared_if_equal(*accepted, shown));
        listing_.entries.push_back({.name = std::move(*accepted),
                                    .origin = shared_origin,
                                    .size_bytes = range.size_bytes,
                                    .blob = std::make_shared<ConfinedBlob>(archive_, range, shared_origin)});
    }

    std::shared_ptr<const ConfinedArchive> archive_;
    const SharedText source_;
    SourceListing& listing_;
    FileRange next_;
    std::string skipped_;  // a folder that is not accepted, with '/' at its end
};

// Reports names that the archive has more than once; of each, PhysicsFS shows the last. Error: unsupported (names have
// their meaning by their order).
Status report_repeated_names(const ByteSource& bytes, std::string_view format, const std::string& path,
                             SourceListing& listing) {
    FARDEL_TRY_ASSIGN(const ArchiveNames names, read_archive_names(bytes, format));
    if (names.ordered)
        return Error(ErrorCode::unsupported,
                     "the lumps of a Doom WAD have their meaning by their order, and many share a name; a bundle has "
                     "each name once and no order. Put the WAD itself into a folder, and pack that");
    for (const auto& [name, count] : names.counts)
        if (count > 1)
            listing.refuse(name, path + ": " + printable(name),
                           Error(ErrorCode::conflict, "the archive has " + std::to_string(count) +
                                                          " files of this name; only the last is packed"));
    return ok();
}

}  // namespace

Status list_confined_archive(std::shared_ptr<const ByteSource> bytes, std::string_view format, const std::string& path,
                             const std::string& program, SourceListing& listing) {
    FARDEL_TRY(report_repeated_names(*bytes, format, path, listing));
    FARDEL_TRY_ASSIGN(std::string found, find_archive_program(program, format));
    FARDEL_TRY_ASSIGN(std::vector<ArchiveItem> items, list_in_program(found, *bytes, format));
    // The listing is written by a program that may be in an attacker's hands; its sizes meet a bound before they are
    // believed.
    FARDEL_TRY(sum_of_files(items, kUnpackedBytesMax));
    const auto archive = std::make_shared<const ConfinedArchive>(
        std::move(found), std::move(bytes), std::string(format), std::move(items), listing.archive_stamp);
    ItemJudgement judgement(archive, path, listing);
    for (const ArchiveItem& item : archive->items())
        judgement.judge(item);
    return ok();
}

}  // namespace fardel
