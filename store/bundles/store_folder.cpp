#include "bundles/store_folder.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/file_source.h>
#include <fardel/format/random.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kStoreMarkerName = "fardel-store";
constexpr std::string_view kStoreMarkerStart = "fardel store, layout ";
constexpr std::string_view kStoreMarkerText = "fardel store, layout 1\n";
constexpr std::size_t kStoreMarkerBytesMax = 256;
constexpr std::uint32_t kReadOnly = 0444;
constexpr std::size_t kPackBufferBytes = 1u << 20;
constexpr std::string_view kUnnamedStart = "unnamed-";

Status write_small_file(const std::string& path, std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(const auto file, stage_file(path));
    FARDEL_TRY(file->write_at(0, bytes));
    return file->commit();
}

Result<std::vector<std::byte>> read_small_file(const std::string& path, std::size_t bytes_max) {
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(path, path, {.links = Links::refused}));
    if (file.status.size_bytes > bytes_max)
        return Error(ErrorCode::limit, path + ": " + std::to_string(file.status.size_bytes) + " bytes; at most " +
                                           std::to_string(bytes_max));
    std::vector<std::byte> bytes(static_cast<std::size_t>(file.status.size_bytes));
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file.descriptor, 0, bytes, path));
    bytes.resize(count);
    return bytes;
}

Status verify_marker(const std::string& folder) {
    const std::string path = folder + "/" + std::string(kStoreMarkerName);
    const auto bytes = read_small_file(path, kStoreMarkerBytesMax);
    if (!bytes && bytes.error().code() != ErrorCode::missing)
        return bytes.error();
    const std::string_view text =
        bytes ? std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string_view();
    if (!text.starts_with(kStoreMarkerStart))
        return Error(ErrorCode::malformed,
                     folder + ": not a store: it contains no file " + std::string(kStoreMarkerName) + " that says so");
    if (text != kStoreMarkerText)
        return Error(ErrorCode::unsupported, folder + ": the store has the layout of a later version of this program");
    return ok();
}

template <class Id>
std::optional<Id> parse_file_name(const std::string& name) {
    auto id = Id::parse(name);
    return id ? std::optional(*id) : std::nullopt;
}

}  // namespace

// ---- The folder -----------------------------------------------------------------------------------------------------

Result<StoreFolder> StoreFolder::open(const std::string& path, bool create) {
    if (path.empty() || path.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "the path of a store must not be empty or contain NUL");
    if (create)
        FARDEL_TRY(create_folders(path.size() > 1 && path.back() == '/' ? path.substr(0, path.size() - 1) : path));
    FARDEL_TRY_ASSIGN(std::string real, real_path(path, path));
    StoreFolder folder(std::move(real));
    if (create) {
        FARDEL_TRY_ASSIGN(const Descriptor opened, open_folder(folder.path_, folder.path_));
        FARDEL_TRY_ASSIGN(const auto names, list_names(opened, folder.path_));
        // Temporary files do not count: another program may be creating the same store.
        if (std::ranges::all_of(names, [](const std::string& name) { return name.starts_with(".fardel-"); }))
            FARDEL_TRY(write_small_file(folder.path_ + "/" + std::string(kStoreMarkerName),
                                        std::as_bytes(std::span(kStoreMarkerText))));
    }
    FARDEL_TRY(verify_marker(folder.path_));
    if (create)
        for (const char* const part : {"/bundles", "/packs", "/incoming"})
            FARDEL_TRY(create_folders(folder.path_ + part));
    return folder;
}

std::string StoreFolder::record_path(const BundleId& bundle) const { return path_ + "/bundles/" + bundle.hex(); }
std::string StoreFolder::pack_path(const PackId& pack) const { return path_ + "/packs/" + pack.hex(); }
std::string StoreFolder::incoming_path(const BundleId& bundle, std::string_view ending) const {
    return path_ + "/incoming/" + bundle.hex() + "." + std::string(ending);
}

Result<std::vector<BundleId>> StoreFolder::list_records() const {
    const std::string path = path_ + "/bundles";
    FARDEL_TRY_ASSIGN(const Descriptor folder, open_folder(path, path));
    FARDEL_TRY_ASSIGN(const auto names, list_names(folder, path));
    std::vector<BundleId> ids;
    for (const std::string& name : names)
        if (const auto id = parse_file_name<BundleId>(name))
            ids.push_back(*id);
    return ids;
}

Result<std::optional<StoreRecord>> StoreFolder::find_record(const BundleId& bundle) const {
    const std::string path = record_path(bundle);
    auto bytes = read_small_file(path, kStoreRecordBytesMax);
    if (!bytes && bytes.error().code() == ErrorCode::missing)
        return std::optional<StoreRecord>();
    if (!bytes)
        return std::move(bytes).error();
    auto record = decode_store_record(*bytes);
    if (!record)
        return std::move(record).error().with_context(path);
    if (record->bundle != bundle)
        return Error(ErrorCode::corrupt, path + ": the record of another bundle");
    return std::optional(*std::move(record));
}

Status StoreFolder::write_record(const StoreRecord& record) const {
    const std::vector<std::byte> bytes = encode_store_record(record);
    const std::string path = record_path(record.bundle);
    if (bytes.size() > kStoreRecordBytesMax)
        return Error(ErrorCode::limit, path + ": the bundle would lie in too many pieces");
    return write_small_file(path, bytes);
}

Result<std::vector<StorePack>> StoreFolder::list_packs() const {
    const std::string path = path_ + "/packs";
    FARDEL_TRY_ASSIGN(const Descriptor folder, open_folder(path, path));
    FARDEL_TRY_ASSIGN(const auto names, list_names(folder, path));
    std::vector<StorePack> packs;
    for (const std::string& name : names) {
        const auto id = parse_file_name<PackId>(name);
        if (!id)
            continue;
        FARDEL_TRY_ASSIGN(const auto status, find_file_status({folder, name}, path, Links::refused));
        if (status && status->is_file())  // it may have been removed meanwhile
            packs.push_back({.id = *id, .size_bytes = status->size_bytes});
    }
    return packs;
}

Status StoreFolder::name_pack(const std::string& path, const PackId& pack) const {
    const std::string named = pack_path(pack);
    Status renamed = set_permissions(path, kReadOnly, named);
    if (renamed)
        renamed = rename_to_new(path, named, named);
    if (renamed)
        return sync_folder(folder_of_path(named));
    static_cast<void>(remove_file(path, path));
    return renamed.error().code() == ErrorCode::conflict ? ok() : std::move(renamed);
}

// ---- Packs ----------------------------------------------------------------------------------------------------------

Result<PackWriter> PackWriter::open(const StoreFolder& folder) {
    Hash number;
    fill_random(std::as_writable_bytes(std::span(number.bytes)));
    std::string unnamed = folder.path() + "/packs/" + std::string(kUnnamedStart) + number.hex().substr(0, 32);
    FARDEL_TRY_ASSIGN(auto file, stage_file(unnamed));
    return PackWriter(folder, std::move(unnamed), std::move(file));
}

Status PackWriter::flush() {
    FARDEL_TRY(file_->write_at(size_bytes_ - buffer_.size(), buffer_));
    hasher_.update(buffer_);
    buffer_.clear();
    return ok();
}

Result<std::uint64_t> PackWriter::append(std::span<const std::byte> bytes) {
    const std::uint64_t offset = size_bytes_;
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    size_bytes_ += bytes.size();
    if (buffer_.size() >= kPackBufferBytes)
        FARDEL_TRY(flush());
    return offset;
}

Result<StorePack> PackWriter::seal() && {
    FARDEL_TRY(flush());
    const StorePack pack{.id = hasher_.finish(), .size_bytes = size_bytes_};
    FARDEL_TRY(file_->commit());
    FARDEL_TRY(folder_->name_pack(unnamed_, pack.id));
    return pack;
}

}  // namespace fardel
