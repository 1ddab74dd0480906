#include "serve/served_files.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/text_fields.h>
#include <fardel/delivery/asset_frames.h>
#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/first_contact.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/later_signatures.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_trace.h>
#include <fardel/hosting/registry.h>
#include <fardel/hosting/tree_target.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kIdDigits = 64;
constexpr std::size_t kOpenBundlesMax = 32;
constexpr std::chrono::seconds kKeptOpen{10};

constexpr std::string_view kChannels = "channels/";

// Whether the file has other bytes later.
bool is_replaced(const RequestedFile& file) {
    return file.kind == RequestedFileKind::trace || file.kind == RequestedFileKind::signatures ||
           file.kind == RequestedFileKind::delta_list || file.kind == RequestedFileKind::page ||
           (file.kind == RequestedFileKind::channel_text &&
            (file.text_path.ends_with("/head") || file.text_path == kChannelListPath));
}

std::string etag_of(const RequestedFile& file, const FileStatus& status) {
    const std::string size = std::to_string(status.size_bytes);
    switch (file.kind) {
        case RequestedFileKind::bundle: return "\"" + file.bundle.hex() + "-" + size + "\"";
        case RequestedFileKind::tables: return "\"" + file.bundle.hex() + "-tables-" + size + "\"";
        case RequestedFileKind::asset_frames: return "\"" + file.bundle.hex() + "-frames-" + size + "\"";
        case RequestedFileKind::piece_slices: return "\"" + file.bundle.hex() + "-slices-" + size + "\"";
        case RequestedFileKind::delta:
            return "\"" + file.bundle.hex() + "-" + file.old_bundle.hex() + "-" + size + "\"";
        case RequestedFileKind::channel_text:
            if (!is_replaced(file))
                return "\"" + file.text_path.substr(file.text_path.rfind('/') + 1) + "-" + size + "\"";
            break;
        case RequestedFileKind::page:
        case RequestedFileKind::trace:
        case RequestedFileKind::signatures:
        case RequestedFileKind::delta_list: break;
    }
    // Files that are replaced have no hash in their names: inode and time tell their versions apart.
    const std::string mark = file.kind == RequestedFileKind::page           ? "page-"
                             : file.kind == RequestedFileKind::channel_text ? "head-"
                             : file.kind == RequestedFileKind::trace        ? file.bundle.hex() + "-trace-"
                             : file.kind == RequestedFileKind::signatures   ? file.bundle.hex() + "-signatures-"
                                                                            : file.bundle.hex() + "-deltas-";
    return "\"" + mark + std::to_string(status.inode) + "-" + std::to_string(status.modified_ns) + "\"";
}

std::string content_type_of(const RequestedFile& file) {
    if (file.kind != RequestedFileKind::page)
        return "application/octet-stream";
    if (file.text_path.ends_with(".html"))
        return "text/html; charset=utf-8";
    return file.text_path.ends_with(".json") ? "application/json" : "text/plain; charset=utf-8";
}

// "channels/<channel>/root/<version>", "…/release/<hash>", "…/requirements/<hash>" or "…/head"; any other text has
// another path.
bool is_channel_path(std::string_view path) {
    if (!path.starts_with(kChannels) || !is_tree_path(path))
        return false;
    path.remove_prefix(kChannels.size());
    if (path.ends_with("/head"))
        return true;
    const std::size_t file_at = path.rfind('/');
    if (file_at == std::string_view::npos)
        return false;
    const std::string_view folder = path.substr(0, file_at);
    const std::string_view file = path.substr(file_at + 1);
    return (folder.ends_with("/root") && parse_decimal(file, UINT64_MAX)) ||
           ((folder.ends_with("/release") || folder.ends_with("/requirements")) && Hash::parse(file));
}

class FolderFiles final : public ServedFiles {
public:
    explicit FolderFiles(Descriptor tree) : tree_(std::move(tree)) {}

    Result<ServedFile> open(const RequestedFile& file) const override {
        const std::string path = path_of(file);
        const auto name_begin = path.rfind('/') + 1;
        Descriptor opened_folder;
        const Descriptor* folder = &tree_;
        // Part by part from the open folder: a link below it could lead anywhere on the disk.
        for (std::size_t begin = 0; begin < name_begin;) {
            const std::size_t end = path.find('/', begin);
            const std::string part = path.substr(begin, end - begin);
            FARDEL_TRY_ASSIGN(opened_folder, open_folder({*folder, part}, part, {.links = Links::refused}));
            folder = &opened_folder;
            begin = end + 1;
        }
        const std::string name = path.substr(name_begin);
        FARDEL_TRY_ASSIGN(RegularFile opened, open_regular_file({*folder, name}, name, {.links = Links::refused}));
        return ServedFile{.descriptor = std::move(opened.descriptor),
                          .source = nullptr,
                          .size_bytes = opened.status.size_bytes,
                          .etag = etag_of(file, opened.status),
                          .may_change = is_replaced(file),
                          .content_type = content_type_of(file)};
    }

private:
    const Descriptor tree_;
};

// Opening a bundle reads its record, which may be large, and opens its packs: bundles that are asked for often stay
// open for a while.
class StoreFiles final : public ServedFiles {
public:
    explicit StoreFiles(const BundleStore& store) : store_(store) {}

    Result<ServedFile> open(const RequestedFile& file) const override {
        if (file.kind == RequestedFileKind::signatures)
            return open_signatures(file.bundle);
        if (file.kind != RequestedFileKind::bundle)
            return Error(ErrorCode::missing, "a store has bundle files only");
        auto source = find_open(file.bundle);
        if (!source) {
            FARDEL_TRY_ASSIGN(source, store_.open_whole_bundle(file.bundle));
            keep_open(file.bundle, source);
        }
        const std::uint64_t size_bytes = source->size_bytes();
        return ServedFile{.descriptor = {},
                          .source = std::move(source),
                          .size_bytes = size_bytes,
                          .etag = etag_of(file, {.size_bytes = size_bytes})};
    }

private:
    // A store adds signatures to what it has, and a cache on the way may have the file from before.
    Result<ServedFile> open_signatures(const BundleId& id) const {
        FARDEL_TRY_ASSIGN(auto source, store_.open_whole_bundle(id));
        FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(std::move(source), {}));
        FARDEL_TRY_ASSIGN(auto bytes, encode_envelopes(bundle->envelopes()));
        if (bytes.empty())
            return Error(ErrorCode::missing, "the bundle has no signatures");
        const Hash hash = blake3(bytes);
        const std::uint64_t size_bytes = bytes.size();
        return ServedFile{.descriptor = {},
                          .source = make_memory_source(std::move(bytes)),
                          .size_bytes = size_bytes,
                          .etag = "\"" + hash.hex() + "\"",
                          .may_change = true};
    }

    struct OpenBundle {
        std::shared_ptr<const ByteSource> source;
        SteadyTime since;
    };

    std::shared_ptr<const ByteSource> find_open(const BundleId& id) const {
        const std::scoped_lock lock(mutex_);
        const auto found = open_.find(id);
        if (found == open_.end() || std::chrono::steady_clock::now() - found->second.since > kKeptOpen)
            return nullptr;
        return found->second.source;
    }

    void keep_open(const BundleId& id, const std::shared_ptr<const ByteSource>& source) const {
        const std::scoped_lock lock(mutex_);
        if (open_.size() >= kOpenBundlesMax)
            open_.clear();
        open_[id] = {source, std::chrono::steady_clock::now()};
    }

    const BundleStore& store_;
    mutable std::mutex mutex_;
    mutable std::unordered_map<BundleId, OpenBundle> open_;
};

}  // namespace

std::string path_of(const RequestedFile& file) {
    switch (file.kind) {
        case RequestedFileKind::bundle: return tree_path_of(file.bundle);
        case RequestedFileKind::tables: return tables_path_of(file.bundle);
        case RequestedFileKind::asset_frames: return asset_frames_path_of(file.bundle);
        case RequestedFileKind::piece_slices: return piece_slices_path_of(file.bundle);
        case RequestedFileKind::trace: return trace_path_of(file.bundle);
        case RequestedFileKind::signatures: return signatures_path_of(file.bundle);
        case RequestedFileKind::delta: return delta_path_of(file.bundle, file.old_bundle);
        case RequestedFileKind::channel_text:
        case RequestedFileKind::page: return file.text_path;
        case RequestedFileKind::delta_list: break;
    }
    return delta_list_path_of(file.bundle);
}

std::optional<RequestedFile> find_requested_file(std::string_view target) {
    if (!target.starts_with('/'))
        return std::nullopt;
    const std::string_view path = target.substr(1);
    // What is not an id stays zeros, and then the file has another path.
    const auto id_at = [&](std::size_t at) {
        const auto id = BundleId::parse(path.substr(std::min(at, path.size()), kIdDigits));
        return id ? *id : BundleId{};
    };
    constexpr std::string_view kBundles = "bundles/";
    constexpr std::string_view kDeltas = "deltas/";
    RequestedFile file;
    if (path == kChannelListPath) {
        file.kind = RequestedFileKind::channel_text;
        file.text_path = path;
    } else if (path.starts_with(kChannels)) {
        if (!is_channel_path(path))
            return std::nullopt;
        file.kind = RequestedFileKind::channel_text;
        file.text_path = path;
    } else if (path.starts_with(kDeltas)) {
        file.bundle = id_at(kDeltas.size());
        file.kind = path.ends_with("/list") ? RequestedFileKind::delta_list : RequestedFileKind::delta;
        if (file.kind == RequestedFileKind::delta)
            file.old_bundle = id_at(kDeltas.size() + kIdDigits + 1);
    } else {
        file.bundle = id_at(kBundles.size());
        if (path.ends_with(".tables"))
            file.kind = RequestedFileKind::tables;
        else if (path.ends_with(".frames"))
            file.kind = RequestedFileKind::asset_frames;
        else if (path.ends_with(".slices"))
            file.kind = RequestedFileKind::piece_slices;
        else if (path.ends_with(".trace"))
            file.kind = RequestedFileKind::trace;
        else if (path.ends_with(".signatures"))
            file.kind = RequestedFileKind::signatures;
    }
    return path_of(file) == path ? std::optional(file) : std::nullopt;
}

std::optional<RequestedFile> find_registry_page(std::string_view target) {
    constexpr std::string_view kIndex = "index.html";
    if (!target.starts_with('/'))
        return std::nullopt;
    const std::string_view path = target == "/" ? kIndex : target.substr(1);
    const auto is_below = [&](std::string_view folder) { return path.starts_with(folder); };
    const bool is_list = path == kIndex || path == kRegistryListFile || path == kRegistryRulesFile;
    const bool is_page = path.ends_with(".html") && (is_below("pages/") || is_below("names/") || is_below("bundles/"));
    if (!is_tree_path(path) || !(is_list || is_page))
        return std::nullopt;
    return RequestedFile{.bundle = {}, .kind = RequestedFileKind::page, .text_path = std::string(path)};
}

Result<std::unique_ptr<ServedFiles>> serve_folder(const std::string& path) {
    FARDEL_TRY_ASSIGN(Descriptor folder, open_folder(path, path));
    return std::unique_ptr<ServedFiles>(std::make_unique<FolderFiles>(std::move(folder)));
}

std::unique_ptr<ServedFiles> serve_store(const BundleStore& store) { return std::make_unique<StoreFiles>(store); }

}  // namespace fardel
