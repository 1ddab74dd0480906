// BundleLibrary: folders of bundle files. docs/store.md describes them.
#include <fardel/store/bundle_store.h>

#include "bundles/bundle_closure.h"
#include "library/library_folder.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/file_source.h>
#include <fardel/format/head.h>
#include <fardel/format/sealed_record.h>
#include <fardel/format/whole_file.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kIndexFileEnding = ".index";

// Without an index, or with one that is damaged, nothing is known.
LibraryIndex read_library_index(const std::string& path) {
    const auto bytes = read_unlinked_file(path, kLibraryIndexBytesMax);
    auto index = bytes ? decode_library_index(*bytes) : Result<LibraryIndex>(bytes.error());
    return index ? *std::move(index) : LibraryIndex();
}

// What cannot be remembered is read again the next time.
void write_library_index(const std::string& path, LibraryIndex index) {
    // A file that changed just now could change once more within the same tick of the clock.
    std::erase_if(index, [](const LibraryEntry& entry) { return entry.stamp.young; });
    const std::vector<std::byte> bytes = encode_library_index(index);
    if (bytes.size() <= kLibraryIndexBytesMax && create_folders(folder_of_path(path)))
        static_cast<void>(write_small_file(path, bytes));
}

// Opens a file if it is this bundle and as long as its heads say.
Result<std::shared_ptr<const ByteSource>> open_library_file(const std::string& path, const BundleId& id) {
    FARDEL_TRY_ASSIGN(RegularFile file, open_regular_file(path, path, {.links = Links::refused}));
    const std::uint64_t size_bytes = file.status.size_bytes;
    HeadBytes head{};
    HeadBytes layout{};
    FARDEL_TRY_ASSIGN(const std::size_t first, read_whole_at(file.descriptor, 0, head, path));
    // The id is computed again from the head whenever a bundle is opened, so the index can make a bundle be missed and
    // never be mistaken. The index is outside the library, which belongs to somebody else and may be read-only.
    if (first != head.size() || bundle_id(head) != id)
        return Error(ErrorCode::missing, path + ": the file was replaced; it is not bundle " + id.hex() + " any more");
    FARDEL_TRY_ASSIGN(const std::size_t second, read_whole_at(file.descriptor, head.size(), layout, path));
    if (second != layout.size())
        return Error(ErrorCode::corrupt, path + ": the file is too short");
    const auto verify = [&]() -> Status {
        FARDEL_TRY_ASSIGN(const BundleHead decoded, decode_head(head));
        FARDEL_TRY_ASSIGN(const LayoutHead decoded_layout, decode_layout_head(layout));
        return verify_sections(decoded, id, decoded_layout, size_bytes);
    };
    if (Status fits = verify(); !fits)
        return std::move(fits).error().with_context(path);
    return make_file_source(std::move(file.descriptor), size_bytes, path);
}

}  // namespace

struct BundleLibrary::Impl {
    std::vector<std::string> folders;
    std::vector<LibraryBundle> bundles;  // by id; of equal ones, in the order of folders and names
    std::uint64_t heads_read = 0;

    std::span<const LibraryBundle> files_of(const BundleId& id) const {
        const auto first = std::ranges::lower_bound(bundles, id, {}, &LibraryBundle::bundle);
        return {first, std::ranges::upper_bound(first, bundles.end(), id, {}, &LibraryBundle::bundle)};
    }
};

BundleLibrary::BundleLibrary(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BundleLibrary::~BundleLibrary() = default;
BundleLibrary::BundleLibrary(BundleLibrary&&) noexcept = default;
BundleLibrary& BundleLibrary::operator=(BundleLibrary&&) noexcept = default;

Result<BundleLibrary> BundleLibrary::open(std::span<const std::string> folders, const std::string& index_folder) {
    auto impl = std::make_unique<Impl>();
    for (const std::string& folder : folders) {
        FARDEL_TRY_ASSIGN(const std::string path, real_path(folder, folder));
        const std::string index_path = index_folder.empty() ? "" : index_path_of(index_folder, path, kIndexFileEnding);
        const LibraryIndex known = index_path.empty() ? LibraryIndex() : read_library_index(index_path);
        FARDEL_TRY_ASSIGN(LibraryScan scan, scan_library_folder(path, known));
        for (const LibraryEntry& entry : scan.files)
            if (entry.bundle)
                impl->bundles.push_back(
                    {.bundle = *entry.bundle, .path = path + "/" + entry.name, .file_bytes = entry.stamp.size_bytes});
        impl->heads_read += scan.heads;
        impl->folders.push_back(path);
        if (!index_path.empty() && !scan.is_remembered)
            write_library_index(index_path, std::move(scan.files));
    }
    // Stable: of files with one id, that of the first folder stays first.
    std::ranges::stable_sort(impl->bundles, {}, &LibraryBundle::bundle);
    return BundleLibrary(std::move(impl));
}

std::span<const LibraryBundle> BundleLibrary::bundles() const noexcept { return impl_->bundles; }
std::uint64_t BundleLibrary::heads_read() const noexcept { return impl_->heads_read; }
bool BundleLibrary::has(const BundleId& bundle) const { return !impl_->files_of(bundle).empty(); }

Result<BundleId> BundleLibrary::find(std::string_view digits) const {
    FARDEL_TRY(verify_id_digits(digits));
    std::optional<BundleId> found;
    for (const LibraryBundle& one : impl_->bundles) {
        if (one.bundle == found || !one.bundle.hex().starts_with(digits))
            continue;
        if (found)
            return Error(ErrorCode::conflict, "several bundles of the library begin with " + std::string(digits));
        found = one.bundle;
    }
    if (!found)
        return Error(ErrorCode::missing, "no bundle of the library begins with " + std::string(digits));
    return *found;
}

Result<std::shared_ptr<const ByteSource>> BundleLibrary::open_bundle(const BundleId& bundle) const {
    std::optional<Error> first;
    for (const LibraryBundle& one : impl_->files_of(bundle)) {
        auto source = open_library_file(one.path, bundle);
        if (source)
            return source;
        if (!first)
            first = std::move(source).error();
    }
    return first ? *std::move(first) : Error(ErrorCode::missing, "no library has bundle " + bundle.hex());
}

// ---- Stores and libraries together ----------------------------------------------------------------------------------

constexpr std::string_view kListed = "; 'fardel store ls' lists those of a store";

Result<BundleId> BundleLookup::find(std::string_view digits) const {
    FARDEL_TRY(verify_id_digits(digits));
    const Error nowhere(ErrorCode::missing,
                        "no bundle in " + where() + " begins with " + std::string(digits) + std::string(kListed));
    const auto stored = store_ != nullptr ? store_->find(digits) : nowhere;
    const auto found = library_ != nullptr ? library_->find(digits) : nowhere;
    if (stored && found && *stored != *found)
        return Error(ErrorCode::conflict, "several bundles begin with " + std::string(digits));
    for (const auto& one : {stored, found})
        if (one || one.error().code() != ErrorCode::missing)
            return one;
    return nowhere;
}

Result<std::shared_ptr<const ByteSource>> BundleLookup::find_source(const BundleId& bundle) const {
    if (store_ != nullptr)
        // What the store has whole comes first: it was verified when it came in.
        if (auto whole = store_->open_whole_bundle(bundle))
            return whole;
    if (library_ != nullptr && library_->has(bundle)) {
        auto source = library_->open_bundle(bundle);
        if (source || store_ == nullptr)
            return source;
    }
    if (store_ == nullptr)
        return std::shared_ptr<const ByteSource>();
    FARDEL_TRY_ASSIGN(const bool has_part, store_->has(bundle));
    if (!has_part)
        return std::shared_ptr<const ByteSource>();
    return store_->open_bundle(bundle);
}

Result<std::shared_ptr<const ByteSource>> BundleLookup::open_bundle(const BundleId& bundle) const {
    FARDEL_TRY_ASSIGN(auto source, find_source(bundle));
    if (!source)
        return Error(ErrorCode::missing, "bundle " + bundle.hex() + " is not in " + where() + std::string(kListed));
    return source;
}

Result<std::vector<BundleId>> BundleLookup::closure(const BundleId& bundle) const {
    if (library_ == nullptr && store_ != nullptr)
        return store_->closure(bundle);
    return collect_closure(
        bundle, [this](const BundleId& id) { return find_source(id); }, where());
}

std::string BundleLookup::where() const {
    std::string text = store_ != nullptr ? "the store " + store_->path() : "";
    if (library_ != nullptr)
        for (const std::string& folder : library_->folders())
            text += (text.empty() ? "the library " : " or the library ") + folder;
    return text.empty() ? "any store or library" : text;
}

const std::vector<std::string>& BundleLibrary::folders() const noexcept { return impl_->folders; }

}  // namespace fardel
