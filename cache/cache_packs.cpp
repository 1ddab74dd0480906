#include "cache_packs.h"

#include "stored_file.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/block_cache.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kPacksFolder = "packs";
constexpr std::string_view kPackEnd = ".fardel";
constexpr std::size_t kPackDigits = 16;
constexpr auto kLookedAtFor = std::chrono::milliseconds(10);     // a file system is not asked for each hit
constexpr std::size_t kPackBlocksBytes = std::size_t(16) << 20;  // small objects share blocks

std::optional<std::uint64_t> find_pack_number(std::string_view name) {
    if (name.size() != kPackDigits + kPackEnd.size() || !name.ends_with(kPackEnd))
        return std::nullopt;
    const Hash zeros;
    const auto id = Hash::parse(std::string(name.substr(0, kPackDigits)) + zeros.hex().substr(kPackDigits));
    return id ? std::optional(cache_pack_number(*id)) : std::nullopt;
}

Result<std::optional<BundledFile>> find_bundled(const std::shared_ptr<const Bundle>& bundle, CacheFileKind kind,
                                                const Hash& id) {
    return kind == CacheFileKind::record ? find_bundled_record(bundle, id_from<BuildKey>(id))
                                         : find_bundled_object(bundle, id_from<AssetId>(id));
}

Status verify_packed(CacheFileKind kind, const Hash& id, const BundledFile& file) {
    if (kind != CacheFileKind::record)
        return file.bundle->verify_asset(file.asset);
    FARDEL_TRY_ASSIGN(const auto bytes, file.read(kCacheRecordBytesMax));
    FARDEL_TRY(decode_cache_record(id_from<BuildKey>(id), bytes));
    return ok();
}

// Also if it was marked as used.
bool is_same_pack(const FileStatus& before, const FileStatus& now) {
    return before.same_file_as(now) && before.modified_ns == now.modified_ns && before.size_bytes == now.size_bytes;
}

}  // namespace

std::string pack_file_name(std::uint64_t number) {
    return std::string(kPacksFolder) + '/' + cache_pack_id(number).hex().substr(0, kPackDigits) + std::string(kPackEnd);
}

bool is_broken_content(const Error& error) {
    return error.code() == ErrorCode::corrupt || error.code() == ErrorCode::malformed ||
           error.code() == ErrorCode::limit || error.code() == ErrorCode::unsupported;
}

Result<std::vector<BundledEntry>> list_bundled(const std::shared_ptr<const Bundle>& bundle, CacheFileKind kind) {
    if (bundle->name_count() > kPackEntriesMax)
        return Error(ErrorCode::limit, bundle->label() + ": a pack with " + std::to_string(bundle->name_count()) +
                                           " entries; at most " + std::to_string(kPackEntriesMax));
    const std::string folder = std::string(cache_kind_folder(kind)) + '/';
    FARDEL_TRY_ASSIGN(const NameIndex first, bundle->lower_bound_name(folder));
    std::vector<BundledEntry> entries;
    for (auto i = static_cast<std::uint32_t>(first); i < bundle->name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const std::string_view name, bundle->name_text(NameIndex(i)));
        if (!name.starts_with(folder))
            break;
        const auto id = Hash::parse(name.substr(folder.size()));
        if (!id)
            continue;
        FARDEL_TRY_ASSIGN(auto bytes, find_bundled(bundle, kind, *id));
        if (bytes)
            entries.push_back({.id = *id, .bytes = *std::move(bytes)});
    }
    return entries;
}

// ---- Packs that are open --------------------------------------------------------------------------------------------

struct CachePacks::Pack {
    std::uint64_t number = 0;
    FileStatus status;
    std::atomic<std::int64_t> used_ns = 0;
    std::shared_ptr<const Bundle> bundle;  // nullptr: it cannot be opened
    std::atomic<bool> is_left_out = false;
};

CachePacks::CachePacks(FilePath root, BrokenPacks broken)
    : root_(std::move(root)), broken_(broken), blocks_(std::make_shared<BlockCache>(kPackBlocksBytes)) {}
CachePacks::~CachePacks() = default;

std::optional<PackedFile> CachePacks::find(CacheFileKind kind, const Hash& id) {
    if (kind == CacheFileKind::pack)
        return std::nullopt;
    if (const auto packs = looked_at_lately())
        if (auto found = find(*packs, kind, id))
            return found;
    return find(*current(), kind, id);
}

std::optional<PackedFile> CachePacks::find(const Packs& packs, CacheFileKind kind, const Hash& id) const {
    for (const std::shared_ptr<Pack>& pack : packs) {
        if (!pack->bundle || pack->is_left_out)
            continue;
        auto found = find_bundled(pack->bundle, kind, id);
        if (!found)
            leave_out(*pack, found.error());
        else if (*found)
            return PackedFile{.bytes = **std::move(found), .pack = pack->number, .used_ns = pack->used_ns};
    }
    return std::nullopt;
}

std::optional<std::uint64_t> CachePacks::find_broken(CacheFileKind kind, const Hash& id) {
    const auto found = find(kind, id);
    if (!found)
        return std::nullopt;
    const Status whole = verify_packed(kind, id, found->bytes);
    return !whole && is_broken_content(whole.error()) ? std::optional(found->pack) : std::nullopt;
}

void CachePacks::note_use(std::uint64_t number, std::int64_t used_ns) {
    const std::scoped_lock lock(mutex_);
    if (!packs_)
        return;
    for (const std::shared_ptr<Pack>& pack : *packs_)
        if (pack->number == number)
            pack->used_ns = used_ns;
}

void CachePacks::look_again() {
    const std::scoped_lock lock(mutex_);
    packs_.reset();
}

void CachePacks::leave_out(Pack& pack, const Error& error) const {
    pack.is_left_out = true;
    const FilePath path = root_ / pack_file_name(pack.number);
    if (broken_ == BrokenPacks::removed && is_broken_content(error))
        static_cast<void>(remove_file(path, path));
}

Result<std::vector<std::uint64_t>> CachePacks::list_numbers() const {
    std::vector<std::uint64_t> numbers;
    const FilePath path = root_ / kPacksFolder;
    auto folder = open_folder(path, path, {.links = Links::refused});
    if (!folder && (folder.error().code() == ErrorCode::missing || folder.error().system_number() == ELOOP))
        return numbers;
    if (!folder)
        return std::move(folder).error();
    FARDEL_TRY_ASSIGN(const auto names, list_names(*folder, path));
    for (const std::string& name : names)
        if (const auto number = find_pack_number(name))
            numbers.push_back(*number);
    std::ranges::sort(numbers, std::greater());
    return numbers;
}

Result<std::shared_ptr<const Bundle>> CachePacks::open(std::uint64_t number) const {
    const FilePath path = root_ / pack_file_name(number);
    FARDEL_TRY_ASSIGN(auto source, open_stored_file(path));
    return Bundle::open(std::move(source), {.cache = blocks_, .label = path.text()});
}

// `mutex_` is locked. Packs that are open stay open.
Result<std::shared_ptr<const CachePacks::Packs>> CachePacks::list() const {
    FARDEL_TRY_ASSIGN(std::vector<std::uint64_t> numbers, list_numbers());
    numbers.resize(std::min(numbers.size(), kPacksMax));
    auto packs = std::make_shared<Packs>();
    for (const std::uint64_t number : numbers) {
        const FilePath path = root_ / pack_file_name(number);
        const auto status = find_file_status(path, path, Links::refused);
        if (!status || !*status)
            continue;  // removed meanwhile
        const std::int64_t used_ns = std::max((*status)->used_ns, (*status)->modified_ns);
        const auto is_known = [&](const auto& known) {
            return known->number == number && is_same_pack(known->status, **status) && !known->is_left_out;
        };
        if (packs_) {
            if (const auto known = std::ranges::find_if(*packs_, is_known); known != packs_->end()) {
                (*known)->used_ns = used_ns;
                packs->push_back(*known);
                continue;
            }
        }
        auto pack = std::make_shared<Pack>();
        pack->number = number;
        pack->status = **status;
        pack->used_ns = used_ns;
        if (auto bundle = open(number))
            pack->bundle = *std::move(bundle);
        else
            leave_out(*pack, bundle.error());
        packs->push_back(std::move(pack));
    }
    return std::shared_ptr<const Packs>(std::move(packs));
}

std::shared_ptr<const CachePacks::Packs> CachePacks::looked_at_lately() {
    const std::scoped_lock lock(mutex_);
    return packs_ && SteadyClock::now() - looked_at_ < kLookedAtFor ? packs_ : nullptr;
}

std::shared_ptr<const CachePacks::Packs> CachePacks::current() {
    const FilePath path = root_ / kPacksFolder;
    const std::int64_t now_ns = wall_clock_ns();
    const auto status = find_file_status(path, path, Links::refused);
    const PathStamp stamp = status && *status ? stamp_of(**status, now_ns) : PathStamp();
    const std::scoped_lock lock(mutex_);
    looked_at_ = SteadyClock::now();
    if (packs_ && is_unchanged(listed_, stamp))
        return packs_;
    auto packs = list();
    if (!packs)
        return std::make_shared<Packs>();  // looked for again at the next look-up
    packs_ = *std::move(packs);
    listed_ = stamp;
    return packs_;
}

}  // namespace fardel
