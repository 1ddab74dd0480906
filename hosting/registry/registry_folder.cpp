#include "registry/registry_folder.h"

#include "registry/pages.h"

#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/whole_file.h>
#include <fardel/hosting/publish.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::seconds kRegistryLockWait{30};
constexpr std::chrono::milliseconds kRegistryLockPause{20};
// Clients may be reading the release of the head before.
constexpr std::size_t kReleasesKept = 16;
constexpr std::size_t kReleasesBeforeRemoval = 24;
constexpr std::size_t kPageBytesMax = 256u << 20;

template <class Text>
Status sign_body(ChannelText kind, const Text& body, Signer& signer, std::string& file) {
    SignedText text{.body = body, .signatures = {}};
    FARDEL_TRY(sign_text(kind, text, signer));
    file = format_signed_text(text);
    return ok();
}

}  // namespace

ReleasedBundle released_bundle_of(const CatalogueEntry& entry) {
    const auto version = BundleVersion::parse(entry.version);
    return {.bundle = entry.bundle,
            .file_bytes = entry.file_bytes,
            // Versions of a name stand side by side here, and any may be recalled. With authors' epochs, the recall of
            // the highest one would stop the updates of all clients, which refuse an epoch that falls.
            .epoch = 0,
            .version = version ? *version : BundleVersion(),
            .name = entry.name};
}

Status write_tree_page(const std::string& folder, const std::string& path, std::string_view text) {
    const FilePath file = FilePath::of_root(folder) / path;
    const auto bytes = std::as_bytes(std::span(text));
    const auto there = read_unlinked_file(file, kPageBytesMax);
    if (there && std::ranges::equal(*there, bytes))
        return ok();
    FARDEL_TRY(create_folders_below_root(file.folder(), Lasting::yes));
    return write_small_file(file, bytes);
}

RegistryFolder::RegistryFolder(std::string folder) : folder_(std::move(folder)), tree_(make_folder_target(folder_)) {}

Result<Descriptor> RegistryFolder::lock() const {
    const FilePath path = FilePath::of_root(folder_) / ".fardel-registry.lock";
    FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(path));
    const auto deadline = std::chrono::steady_clock::now() + kRegistryLockWait;
    for (;;) {
        FARDEL_TRY_ASSIGN(const bool is_ours, lock_file(file, printable(path.text())));
        if (is_ours)
            return file;
        if (std::chrono::steady_clock::now() >= deadline)
            return Error(ErrorCode::busy, printable(folder_) + ": another program is changing the registry");
        std::this_thread::sleep_for(kRegistryLockPause);
    }
}

Result<ChannelUpdate> RegistryFolder::read_update(UnixTime now) const {
    FARDEL_TRY_ASSIGN(const RegistryRules rules, read_registry_rules(folder_));
    FARDEL_TRY_ASSIGN(auto there, read_channel(*tree_, rules.channel));
    if (!there)
        return Error(ErrorCode::missing, tree_->name() + " has no root of channel " + printable(rules.channel) +
                                             "; sign it with 'fardel channel sign', then 'fardel channel publish'");
    return begin_in_tree(std::move(there->files), now);
}

Status RegistryFolder::refresh(UnixTime now) { return read(now, true, false); }
Status RegistryFolder::reread(UnixTime now) { return read(now, false, false); }
Status RegistryFolder::read_for_check(UnixTime now) { return read(now, false, true); }

Status RegistryFolder::read(UnixTime now, bool only_if_changed, bool for_check) {
    FARDEL_TRY_ASSIGN(ChannelUpdate update, read_update(now));
    FARDEL_TRY_ASSIGN(RegistryRules rules, read_registry_rules(folder_));
    if (only_if_changed && state_ && update_ && update_->files() == update.files() && state_->rules == rules)
        return ok();
    auto state = std::make_shared<RegistryState>();
    state->rules = std::move(rules);
    state->root = update.root();
    state->release = update.release();
    problems_.clear();
    const auto keys = registry_keys_of(state->root);
    const Catalogue* const before = state_ && registry_keys_of(state_->root) == keys ? &state_->catalogue : nullptr;
    FARDEL_TRY_ASSIGN(state->catalogue, read_catalogue(*tree_, keys, before, problems_));
    // A catalogue without a bundle that the disk did not give would show its name as free, and somebody else could take
    // it.
    if (const auto unread = std::ranges::find(problems_, true, &CatalogueProblem::is_unread);
        !for_check && unread != problems_.end())
        return Error(unread->code, printable(unread->path) + ": " + unread->text);
    if (state->release)
        state->catalogue.prefer(*state->release);
    state_ = std::move(state);
    update_ = std::move(update);
    return ok();
}

std::vector<BundleId> RegistryFolder::unreleased() const {
    std::unordered_set<BundleId> known;
    if (state_->release) {
        for (const ReleasedBundle& one : state_->release->bundles)
            known.insert(one.bundle);
        for (const auto& one : state_->release->recalled_bundles)
            known.insert(one.id);
    }
    std::vector<BundleId> ids;
    for (const auto& [id, entry] : state_->catalogue.entries())
        if (!known.contains(id) &&
            std::ranges::count(state_->catalogue.owners_of(entry.name, state_->rules), entry.author) != 0)
            ids.push_back(id);
    return ids;
}

std::optional<UnixTime> RegistryFolder::head_expires() const {
    return update_ && update_->head() ? std::optional(update_->head()->expires) : std::nullopt;
}

Status RegistryFolder::change(ChannelChange change, const std::vector<BundleId>& added, Signer& release, Signer& head,
                              UnixTime now, std::uint64_t head_life_s) {
    change.older_versions = OlderVersions::kept;
    for (const BundleId& id : added)
        if (const CatalogueEntry* const entry = state_->catalogue.find(id))
            change.added.push_back(released_bundle_of(*entry));
    // Also one that no head names yet, because a kill came between.
    FARDEL_TRY_ASSIGN(const auto before, find_newest_release(*tree_, *update_));
    ReleaseInTree next;
    FARDEL_TRY_ASSIGN(next.release, next_release(before, update_->root(), change, now));
    FARDEL_TRY_ASSIGN(const std::string body, format_channel_release(next.release));
    FARDEL_TRY(sign_body(ChannelText::release, body, release, next.file));
    FARDEL_TRY_ASSIGN(const std::string head_file, sign_head(next, head, now, head_life_s));
    // The head last: until it names the release, clients keep the one before.
    FARDEL_TRY(publish_channel_release(*tree_, next.file, now));
    FARDEL_TRY(publish_head(head_file, now));
    remove_old_releases();
    return ok();
}

Status RegistryFolder::renew_head(Signer& head, UnixTime now, std::uint64_t head_life_s) {
    FARDEL_TRY_ASSIGN(const auto newest, find_newest_release(*tree_, *update_));
    if (!newest)
        return Error(ErrorCode::missing, tree_->name() + " has no release");
    FARDEL_TRY_ASSIGN(const std::string file, sign_head(*newest, head, now, head_life_s));
    return publish_head(file, now);
}

Result<std::string> RegistryFolder::sign_head(const ReleaseInTree& release, Signer& head, UnixTime now,
                                              std::uint64_t head_life_s) const {
    FARDEL_TRY_ASSIGN(const ChannelHead next, next_head(*update_, release, now, head_life_s));
    FARDEL_TRY_ASSIGN(const std::string body, format_channel_head(next));
    std::string file;
    FARDEL_TRY(sign_body(ChannelText::head, body, head, file));
    return file;
}

Status RegistryFolder::publish_head(const std::string& file, UnixTime now) {
    FARDEL_TRY(publish_channel_head(*tree_, file, now));
    return refresh(now);
}

// What cannot be read or removed is left alone: no client is led to it.
void RegistryFolder::remove_old_releases() const {
    const auto files = tree_->list(channel_releases_folder(state_->root.channel));
    if (!files || files->size() <= kReleasesBeforeRemoval)
        return;
    std::vector<std::pair<std::uint64_t, std::string>> releases;
    for (const TreeFile& file : *files) {
        const auto content = read_tree_text(*tree_, file.path, channel_file_bytes_max(ChannelText::release));
        const auto text = content ? parse_signed_text(ChannelText::release, *content) : content.error();
        const auto release = text ? parse_channel_release(text->body) : text.error();
        if (release)
            releases.emplace_back(release->version, file.path);
    }
    std::ranges::sort(releases);
    for (std::size_t i = 0; i + kReleasesKept < releases.size(); ++i)
        static_cast<void>(tree_->remove(releases[i].second));
}

Result<std::shared_ptr<const Bundle>> RegistryFolder::open_bundle(const BundleId& id) const {
    if (state_->catalogue.find(id) == nullptr)
        return Error(ErrorCode::missing, id.hex() + " is not in the registry");
    FARDEL_TRY_ASSIGN(const auto source, tree_->open(tree_path_of(id)));
    FARDEL_TRY_ASSIGN(auto bundle, Bundle::open(source, {}));
    if (bundle->id() != id)
        return Error(ErrorCode::corrupt, tree_path_of(id) + " is another bundle");
    return bundle;
}

Status RegistryFolder::write_bundle_page(const BundleId& bundle, const std::vector<RegistryRefusal>& remarks) const {
    const CatalogueEntry* const entry = state_->catalogue.find(bundle);
    if (entry == nullptr)
        return Error(ErrorCode::missing, bundle.hex() + " is not in the registry");
    FARDEL_TRY_ASSIGN(const auto opened, open_bundle(bundle));
    FARDEL_TRY_ASSIGN(const std::string page,
                      bundle_page(*opened, *entry, state_->rules, remarks,
                                  [this](const BundleId& dependency) { return open_bundle(dependency); }));
    return write_tree_page(folder_, bundle_page_path(bundle), page);
}

Status RegistryFolder::write_missing_bundle_pages() const {
    for (const auto& [id, entry] : state_->catalogue.entries()) {
        const FilePath path = FilePath::of_root(folder_) / bundle_page_path(id);
        FARDEL_TRY_ASSIGN(const auto there, find_file_status(path, printable(path.text())));
        if (there)
            continue;
        FARDEL_TRY_ASSIGN(const auto source, tree_->open(tree_path_of(id)));
        FARDEL_TRY_ASSIGN(const VerifyReport report, verify_bundle(source, {.time = TrustTime::ignored()}));
        if (report.good())  // fsck says what is wrong with others
            FARDEL_TRY(write_bundle_page(id, remarks_of(report)));
    }
    return ok();
}

Status RegistryFolder::write_pages(const std::set<std::string>& names) const {
    for (const auto& [path, text] : overview_pages(*state_))
        FARDEL_TRY(write_tree_page(folder_, path, text));
    std::set<std::string> all = names;
    if (all.empty())
        for (const auto& [id, entry] : state_->catalogue.entries())
            all.insert(entry.name);
    for (const std::string& name : all)
        FARDEL_TRY(write_tree_page(folder_, name_page_path(name), name_page(name, *state_)));
    return ok();
}

}  // namespace fardel
