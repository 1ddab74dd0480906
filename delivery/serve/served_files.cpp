#include "serve/served_files.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

struct ServedKind {
    RequestedFileKind kind;
    std::string_view ending;
    std::string_view mark;  // in entity tags
};
constexpr ServedKind kServedKinds[] = {{RequestedFileKind::bundle, ".fardel", "-"},
                                       {RequestedFileKind::tables, ".tables", "-tables-"},
                                       {RequestedFileKind::asset_frames, ".frames", "-frames-"},
                                       {RequestedFileKind::trace, ".trace", "-trace-"}};
constexpr std::size_t kOpenBundlesMax = 32;
constexpr std::chrono::seconds kKeptOpen{10};

const ServedKind& served_kind(RequestedFileKind kind) noexcept {
    return *std::ranges::find(kServedKinds, kind, &ServedKind::kind);
}

std::string etag_of(const RequestedFile& file, std::uint64_t size_bytes) {
    return "\"" + file.bundle.hex() + std::string(served_kind(file.kind).mark) + std::to_string(size_bytes) + "\"";
}

// Of a trace, which `fardel publish` replaces.
std::string etag_of_trace(const BundleId& bundle, const FileStatus& status) {
    return "\"" + bundle.hex() + std::string(served_kind(RequestedFileKind::trace).mark) +
           std::to_string(status.size_bytes) + "-" + std::to_string(status.modified_ns) + "\"";
}

class FolderFiles final : public ServedFiles {
public:
    explicit FolderFiles(Descriptor tree) : tree_(std::move(tree)) {}

    Result<ServedFile> open(const RequestedFile& file) const override {
        const std::string folder_name = "bundles";
        const std::string name = file.bundle.hex() + std::string(served_kind(file.kind).ending);
        FARDEL_TRY_ASSIGN(const Descriptor folder,
                          open_folder({tree_, folder_name}, folder_name, {.links = Links::refused}));
        FARDEL_TRY_ASSIGN(RegularFile opened, open_regular_file({folder, name}, name, {.links = Links::refused}));
        const std::uint64_t size_bytes = opened.status.size_bytes;
        const bool is_trace = file.kind == RequestedFileKind::trace;
        return ServedFile{.descriptor = std::move(opened.descriptor),
                          .source = nullptr,
                          .size_bytes = size_bytes,
                          .etag = is_trace ? etag_of_trace(file.bundle, opened.status) : etag_of(file, size_bytes),
                          .may_change = is_trace};
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
        if (file.kind != RequestedFileKind::bundle)
            return Error(ErrorCode::missing, "a store has bundle files only");
        auto source = find_open(file.bundle);
        if (!source) {
            FARDEL_TRY_ASSIGN(source, store_.open_whole_bundle(file.bundle));
            keep_open(file.bundle, source);
        }
        const std::uint64_t size_bytes = source->size_bytes();
        return ServedFile{
            .descriptor = {}, .source = std::move(source), .size_bytes = size_bytes, .etag = etag_of(file, size_bytes)};
    }

private:
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

std::optional<RequestedFile> find_requested_file(std::string_view target) {
    constexpr std::string_view kFolder = "/bundles/";
    if (!target.starts_with(kFolder))
        return std::nullopt;
    target.remove_prefix(kFolder.size());
    const auto* const kind =
        std::ranges::find_if(kServedKinds, [&](const ServedKind& one) { return target.ends_with(one.ending); });
    if (kind == std::end(kServedKinds))
        return std::nullopt;
    target.remove_suffix(kind->ending.size());
    auto id = BundleId::parse(target);
    if (!id || id->hex() != target)
        return std::nullopt;
    return RequestedFile{.bundle = *id, .kind = kind->kind};
}

Result<std::unique_ptr<ServedFiles>> serve_folder(const std::string& path) {
    FARDEL_TRY_ASSIGN(Descriptor folder, open_folder(path, path));
    return std::unique_ptr<ServedFiles>(std::make_unique<FolderFiles>(std::move(folder)));
}

std::unique_ptr<ServedFiles> serve_store(const BundleStore& store) { return std::make_unique<StoreFiles>(store); }

}  // namespace fardel
