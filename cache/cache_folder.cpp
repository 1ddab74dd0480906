#include "cache_folder.h"

#include "cache_packs.h"
#include "stored_file.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/random.h>
#include <fardel/base/shared_mode.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace fardel {
namespace {

// The first line is that of the Cache Directory Tagging Standard (bford.info/cachedir): backup programs skip a folder
// with such a file.
constexpr std::string_view kMarkerName = "CACHEDIR.TAG";
constexpr std::string_view kMarkerStart =
    "Signature: 8a477f597d28d172789f06886806bc55\n# fardel derived-data cache, layout ";
constexpr std::string_view kMarkerEnd =
    "1\n# Everything here can be deleted at any time. docs/derived-cache.md is the manual.\n";
constexpr std::size_t kMarkerBytesRead = 4096;
constexpr std::string_view kUnfinishedStart = ".fardel-";
constexpr std::string_view kUnfinishedEnd = ".tmp";

constexpr std::size_t kCopyBytes = 256u << 10;
constexpr int kNamesTried = 100;

std::int64_t used_ns(const FileStatus& status) noexcept { return std::max(status.used_ns, status.modified_ns); }

std::string shard_name(CacheFileKind kind, unsigned shard) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return std::string(cache_kind_folder(kind)) + '/' + kDigits[shard / 16 % 16] + kDigits[shard % 16];
}

bool is_unfinished(std::string_view name) noexcept {
    return name.starts_with(kUnfinishedStart) && name.ends_with(kUnfinishedEnd);
}

// Random, because several machines may write into one folder.
std::string unfinished_name() {
    constexpr std::size_t kRandomBytes = 8;
    Hash number;
    fill_random(std::as_writable_bytes(std::span(number.bytes).first(kRandomBytes)));
    return std::string(kUnfinishedStart) + number.hex().substr(0, 2 * kRandomBytes) + std::string(kUnfinishedEnd);
}

// Writes a file under a temporary name beside `path`. commit() renames it to `path`; without it, the file is removed.
class UnfinishedWriter {
public:
    // Creates missing folders below the root of the path.
    static Result<UnfinishedWriter> open(const FilePath& path) {
        const FilePath folder = path.folder();
        for (int tried = 0;; ++tried) {
            FilePath name = folder / unfinished_name();
            auto file = create_file(name, path);
            if (file)
                share_new_file(*file, name);
            if (file)
                return UnfinishedWriter(*std::move(file), std::move(name), path);
            const int number = file.error().system_number();
            if (tried >= kNamesTried || (number != ENOENT && number != EEXIST))
                return std::move(file).error();
            if (number == ENOENT)
                FARDEL_TRY(create_folders_below_root(folder, Lasting::no));
        }
    }
    ~UnfinishedWriter() {
        if (!name_.empty())
            static_cast<void>(remove_file(name_, name_));
    }
    UnfinishedWriter(UnfinishedWriter&& other) noexcept
        : file_(std::move(other.file_)),
          name_(std::exchange(other.name_, {})),
          path_(std::move(other.path_)),
          size_bytes_(other.size_bytes_) {}
    UnfinishedWriter& operator=(UnfinishedWriter&&) = delete;

    Status append(std::span<const std::byte> bytes) {
        FARDEL_TRY(write_whole_at(file_, size_bytes_, bytes, path_));
        size_bytes_ += bytes.size();
        return ok();
    }
    Status commit() {
        FARDEL_TRY(file_.close_reporting(path_));
        FARDEL_TRY(rename_file(name_, path_, path_));
        name_.clear();
        return ok();
    }

private:
    UnfinishedWriter(Descriptor file, FilePath name, FilePath path)
        : file_(std::move(file)), name_(std::move(name)), path_(std::move(path)) {}

    Descriptor file_;
    FilePath name_;  // empty once renamed
    FilePath path_;
    std::uint64_t size_bytes_ = 0;
};

Status write_file(const FilePath& path, std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(auto file, UnfinishedWriter::open(path));
    FARDEL_TRY(file.append(bytes));
    return file.commit();
}

Result<std::shared_ptr<const ByteSource>> open_packed(const PackedFile& packed) {
    if (packed.bytes.size_bytes > kPackedBytesMax)
        return packed.bytes.open();
    FARDEL_TRY_ASSIGN(auto bytes, packed.bytes.read(kPackedBytesMax));
    return make_memory_source(std::move(bytes));
}

class StoredBlob final : public BlobSource {
public:
    StoredBlob(FilePath path, CacheFile file, std::shared_ptr<CachePacks> packs)
        : path_(std::move(path)), file_(std::move(file)), packs_(std::move(packs)) {}

    Result<std::unique_ptr<BlobStream>> open() const override {
        FARDEL_TRY_ASSIGN(auto bytes, open_bytes());
        return open_stream_of(std::move(bytes));
    }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override {
        if (file_.packed)
            return open_packed(*file_.packed);
        auto file = open_stored_file(path_);
        if (file || !is_stored_absence(file.error()))
            return file;
        const auto packed = packs_->find(file_.kind, file_.id);
        return packed ? open_packed(*packed) : std::move(file);
    }

private:
    const FilePath path_;
    const CacheFile file_;
    const std::shared_ptr<CachePacks> packs_;
};

enum class Marker : std::uint8_t { ours, none, foreign, later };

Result<Marker> read_marker(const FilePath& folder) {
    const auto source = open_stored_file(folder / kMarkerName);
    if (!source && is_stored_absence(source.error()))
        return Marker::none;
    if (!source)
        return source.error();
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>((*source)->size_bytes(), kMarkerBytesRead)),
                     '\0');
    FARDEL_TRY((*source)->read_at(0, std::as_writable_bytes(std::span(text))));
    if (!text.starts_with(kMarkerStart))
        return Marker::foreign;
    const std::string_view layout = std::string_view(text).substr(kMarkerStart.size());
    return layout.starts_with("1\n") ? Marker::ours : Marker::later;
}

// Ignores unfinished files: another program may be creating the same cache.
Result<bool> is_empty(const FilePath& path) {
    FARDEL_TRY_ASSIGN(const Descriptor folder, open_folder(path, path, {.links = Links::refused}));
    FARDEL_TRY_ASSIGN(const auto names, list_names(folder, path));
    return std::ranges::all_of(names, is_unfinished);
}

Status write_marker(const FilePath& folder) {
    const std::string text = std::string(kMarkerStart) + std::string(kMarkerEnd);
    return write_file(folder / kMarkerName, std::as_bytes(std::span(text)));
}

}  // namespace

std::string_view cache_kind_folder(CacheFileKind kind) noexcept {
    return kind == CacheFileKind::record ? "records" : "objects";
}

Hash cache_pack_id(std::uint64_t number) {
    Hash id;
    for (std::size_t i = 0; i < sizeof number; ++i)
        id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * (sizeof number - 1 - i)));
    return id;
}

std::uint64_t cache_pack_number(const Hash& id) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i)
        number = number << 8 | id.bytes[i];
    return number;
}

std::string cache_file_name(CacheFileKind kind, const Hash& id) {
    if (kind == CacheFileKind::pack)
        return pack_file_name(cache_pack_number(id));
    return shard_name(kind, id.bytes[0]) + '/' + id.hex();
}

Result<CacheFolder> CacheFolder::open(const std::string& path, bool create) {
    if (path.empty() || path.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "the path of a cache's folder must not be empty or contain NUL");
    if (create)
        FARDEL_TRY(create_folders(path));
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(path, path));
    if (!status.is_folder())
        return Error(ErrorCode::malformed, path + ": not a folder");
    FARDEL_TRY_ASSIGN(std::string real, real_path(path, path));
    const FilePath root = FilePath::of_root(std::move(real));
    CacheFolder folder(root, std::make_shared<CachePacks>(root, create ? BrokenPacks::removed : BrokenPacks::kept));

    FARDEL_TRY_ASSIGN(Marker marker, read_marker(folder.root_));
    if (marker == Marker::none) {
        FARDEL_TRY_ASSIGN(const bool empty, is_empty(folder.root_));
        if (empty && create) {
            FARDEL_TRY(write_marker(folder.root_));
            return folder;
        }
        FARDEL_TRY_ASSIGN(marker, read_marker(folder.root_));  // another program may have created the cache meanwhile
    }
    if (marker == Marker::later)
        return Error(ErrorCode::unsupported, path + ": the cache has the layout of a later version of this program");
    if (marker != Marker::ours)
        return Error(ErrorCode::malformed, path + ": not a cache: it contains no " + std::string(kMarkerName) +
                                               " that says so; nothing is written there");
    return folder;
}

Result<std::optional<FileStatus>> CacheFolder::find_status(CacheFileKind kind, const Hash& id) const {
    const FilePath path = path_of(kind, id);
    FARDEL_TRY_ASSIGN(auto status, find_file_status(path, path, Links::refused));
    if (status && !status->is_file())
        status.reset();
    return status;
}

Result<std::optional<CacheFile>> CacheFolder::find(CacheFileKind kind, const Hash& id) const {
    FARDEL_TRY_ASSIGN(const auto status, find_status(kind, id));
    if (status)
        return std::optional<CacheFile>(
            CacheFile{.kind = kind, .id = id, .size_bytes = status->size_bytes, .used_ns = used_ns(*status)});
    auto packed = packs_->find(kind, id);
    if (!packed)
        return std::optional<CacheFile>();
    CacheFile file{.kind = kind, .id = id, .size_bytes = packed->bytes.size_bytes, .used_ns = packed->used_ns};
    file.packed = std::make_shared<const PackedFile>(*std::move(packed));
    return std::optional<CacheFile>(std::move(file));
}

Result<std::optional<std::vector<std::byte>>> CacheFolder::find_bytes(const CacheFile& file,
                                                                      std::size_t bytes_max) const {
    const auto read_packed = [&](const PackedFile& packed) -> Result<std::optional<std::vector<std::byte>>> {
        FARDEL_TRY_ASSIGN(auto bytes, packed.bytes.read(bytes_max));
        return std::optional<std::vector<std::byte>>(std::move(bytes));
    };
    if (file.packed)
        return read_packed(*file.packed);
    const FilePath path = path_of(file.kind, file.id);
    const auto source = open_stored_file(path);
    if (!source && is_stored_absence(source.error())) {
        const auto packed = packs_->find(file.kind, file.id);
        return packed ? read_packed(*packed) : std::optional<std::vector<std::byte>>();
    }
    if (!source)
        return source.error();
    if ((*source)->size_bytes() > bytes_max)
        return Error(ErrorCode::limit, path.text() + ": " + std::to_string((*source)->size_bytes()) +
                                           " bytes; at most " + std::to_string(bytes_max));
    std::vector<std::byte> bytes(static_cast<std::size_t>((*source)->size_bytes()));
    FARDEL_TRY((*source)->read_at(0, bytes));
    return std::optional<std::vector<std::byte>>(std::move(bytes));
}

std::shared_ptr<const BlobSource> CacheFolder::blob(const CacheFile& file) const {
    return std::make_shared<StoredBlob>(path_of(file.kind, file.id), file, packs_);
}

Status CacheFolder::write(CacheFileKind kind, const Hash& id, const BlobSource& bytes) const {
    FARDEL_TRY_ASSIGN(const auto stream, bytes.open());
    FARDEL_TRY_ASSIGN(auto file, UnfinishedWriter::open(path_of(kind, id)));
    std::vector<std::byte> buffer(kCopyBytes);
    for (;;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(buffer));
        if (count == 0)
            return file.commit();
        FARDEL_TRY(file.append(std::span(buffer).first(count)));
    }
}

Status CacheFolder::write(CacheFileKind kind, const Hash& id, std::span<const std::byte> bytes) const {
    return write_file(path_of(kind, id), bytes);
}

void CacheFolder::mark_used(const CacheFile& file) const {
    const FilePath path =
        file.packed ? path_of(CacheFileKind::pack, cache_pack_id(file.packed->pack)) : path_of(file.kind, file.id);
    const Status marked = touch_used_time(path, path);
    if (!marked || !file.packed)
        return;
    if (const auto status = find_status(CacheFileKind::pack, cache_pack_id(file.packed->pack)); status && *status)
        packs_->note_use(file.packed->pack, used_ns(**status));
}

Result<bool> CacheFolder::remove(CacheFileKind kind, const Hash& id) const {
    const FilePath path = path_of(kind, id);
    FARDEL_TRY_ASSIGN(const bool removed, remove_file(path, path));
    if (kind == CacheFileKind::pack)
        packs_->look_again();
    return removed;
}

Result<bool> CacheFolder::remove(const UnfinishedFile& file) const {
    const FilePath path = root_ / file.name;
    return remove_file(path, path);
}

void CacheFolder::drop(CacheFileKind kind, const Hash& id) const {
    const auto removed = remove(kind, id);
    if (!removed || *removed)
        return;
    if (const auto broken = packs_->find_broken(kind, id))
        static_cast<void>(remove(CacheFileKind::pack, cache_pack_id(*broken)));
}

Result<CacheShard> CacheFolder::list(CacheFileKind kind, unsigned shard) const {
    CacheShard found;
    const std::string name = shard_name(kind, shard);
    const FilePath path = root_ / name;
    auto folder = open_folder(path, path, {.links = Links::refused});
    if (!folder && (folder.error().code() == ErrorCode::missing || folder.error().system_number() == ELOOP))
        return found;
    if (!folder)
        return std::move(folder).error();
    FARDEL_TRY_ASSIGN(const auto entries, list_names(*folder, path));
    for (const std::string& entry : entries) {
        const auto id = Hash::parse(entry);
        const bool is_named = id && id->bytes[0] == shard;
        if (!is_named && !is_unfinished(entry))
            continue;
        const auto status = find_file_status({*folder, entry}, path, Links::refused);
        if (!status || !*status || !(*status)->is_file())
            continue;  // removed meanwhile, or not a file of a cache
        const std::uint64_t size_bytes = (*status)->size_bytes;
        if (is_named)
            found.files.push_back({.kind = kind, .id = *id, .size_bytes = size_bytes, .used_ns = used_ns(**status)});
        else
            found.unfinished.push_back(
                {.name = name + "/" + entry, .size_bytes = size_bytes, .used_ns = used_ns(**status)});
    }
    return found;
}

Result<std::vector<CacheFile>> CacheFolder::list_packs() const {
    FARDEL_TRY_ASSIGN(const auto numbers, packs_->list_numbers());
    std::vector<CacheFile> found;
    for (const std::uint64_t number : numbers) {
        const Hash id = cache_pack_id(number);
        FARDEL_TRY_ASSIGN(const auto status, find_status(CacheFileKind::pack, id));
        if (status)
            found.push_back(
                {.kind = CacheFileKind::pack, .id = id, .size_bytes = status->size_bytes, .used_ns = used_ns(*status)});
    }
    return found;
}

Result<std::vector<CacheFile>> CacheFolder::list_packed(const CacheFile& pack, CacheFileKind kind) const {
    const std::uint64_t number = cache_pack_number(pack.id);
    FARDEL_TRY_ASSIGN(const auto bundle, packs_->open(number));
    FARDEL_TRY_ASSIGN(const auto entries, list_bundled(bundle, kind));
    std::vector<CacheFile> found;
    for (const BundledEntry& entry : entries) {
        FARDEL_TRY_ASSIGN(const auto file, find(kind, entry.id));
        if (file && file->packed && file->packed->pack == number)
            found.push_back(*file);
    }
    return found;
}

Result<std::int64_t> CacheFolder::time_ns() const {
    const FilePath path = root_ / unfinished_name();
    FARDEL_TRY_ASSIGN(const Descriptor file, create_file(path, root_));
    const auto status = file_status(file, root_);
    static_cast<void>(remove_file(path, root_));
    if (!status)
        return status.error();
    return status->modified_ns;
}

}  // namespace fardel
