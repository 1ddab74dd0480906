#include "registry/registry_folder.h"

#include "channel/publish_needs.h"
#include "registry/pages.h"

#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/whole_file.h>
#include <fardel/hosting/channel_dates.h>
#include <fardel/hosting/publish.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::seconds kRegistryLockWait{30};
constexpr std::chrono::milliseconds kRegistryLockPause{20};
// Clients may be reading the release of the head before.
constexpr std::size_t kReleasesKept = 16;
constexpr std::size_t kReleasesBeforeRemoval = 24;
constexpr std::size_t kRegistryPageBytesMax = 256u << 20;

// An older registry has no record yet.
Result<std::string> read_names(const std::string& folder) {
    const std::string path = folder + "/" + std::string(kRegistryNamesFile);
    auto bytes = read_unlinked_file(path, kRegistryNamesBytesMax);
    if (!bytes && bytes.error().code() == ErrorCode::missing)
        return std::string();
    if (!bytes)
        return std::move(bytes).error().with_context(printable(path));
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

template <class Text>
Status sign_body(ChannelText kind, const Text& body, Signer& signer, std::string& file) {
    SignedText text{.body = body, .signatures = {}};
    FARDEL_TRY(sign_text(kind, text, signer));
    file = format_signed_text(text);
    return ok();
}

std::string file_name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_of_recalled_author(const ReleasedBundle& one, const ChannelRelease& release, const Catalogue& catalogue) {
    const CatalogueEntry* const entry = release.recalled_keys.empty() ? nullptr : catalogue.find(one.bundle);
    return entry != nullptr &&
           std::ranges::binary_search(release.recalled_keys, entry->author, {}, &Revocation<PublicKey>::id);
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
    const auto there = read_unlinked_file(file, kRegistryPageBytesMax);
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
    FARDEL_TRY_ASSIGN(std::string names, read_names(folder_));
    if (only_if_changed && state_ && update_ && update_->files() == update.files() && state_->rules == rules &&
        names_ == names)
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
    // A record that is damaged stops all changes: without it, nobody knows whose names without bundles are.
    RegistryNames recorded;
    if (!names.empty()) {
        auto parsed = RegistryNames::parse(names);
        if (!parsed)
            return std::move(parsed).error().with_context(printable(folder_) + "/" + std::string(kRegistryNamesFile));
        recorded = *std::move(parsed);
    }
    state->catalogue.set_names(std::move(recorded));
    index_state(*state);
    state_ = std::move(state);
    update_ = std::move(update);
    names_ = std::move(names);
    return ok();
}

std::vector<const CatalogueEntry*> RegistryFolder::find_unrecorded() const {
    const Catalogue& catalogue = state_->catalogue;
    std::vector<const CatalogueEntry*> found;
    std::set<std::string_view> seen;
    for (const auto& [id, entry] : catalogue.entries()) {
        // What is not in a release reserves nothing: it may be pruned, and the name is free then.
        const CatalogueEntry* const first =
            catalogue.recorded().find(entry.name) == nullptr ? catalogue.find_first_released(entry.name) : nullptr;
        if (first != nullptr && verify_registry_name(entry.name) && seen.insert(first->name).second)
            found.push_back(first);
    }
    return found;
}

Status RegistryFolder::record_names() {
    const auto found = find_unrecorded();
    if (found.empty())
        return ok();
    RegistryNames names = state_->catalogue.recorded();
    for (const CatalogueEntry* const first : found)
        // A full record gives no new names to uploads. It must not keep the registry from starting and recalling.
        if (names.names().size() < kRecordedNamesMax)
            FARDEL_TRY(names.add(first->name, {.key = first->author, .since = first->accepted}));
    return names.names().size() == state_->catalogue.recorded().names().size() ? ok() : replace_names(std::move(names));
}

Status RegistryFolder::transfer_name(std::string_view name, const PublicKey& to, UnixTime now) {
    RegistryNames names = state_->catalogue.recorded();
    FARDEL_TRY(names.transfer(name, {.key = to, .since = now}));
    return replace_names(std::move(names));
}

Status RegistryFolder::replace_names(RegistryNames names) {
    std::string text = names.format();
    // What could not be read again is not written: it would stop the registry.
    FARDEL_TRY(RegistryNames::parse(text));
    FARDEL_TRY(write_small_file(folder_ + "/" + std::string(kRegistryNamesFile),
                                std::as_bytes(std::span(std::as_const(text)))));
    auto state = std::make_shared<RegistryState>(*state_);
    state->catalogue.set_names(std::move(names));
    state_ = std::move(state);
    names_ = std::move(text);
    return ok();
}

std::optional<UnixTime> RegistryFolder::head_expires() const {
    return update_ && update_->head() ? std::optional(update_->head()->expires) : std::nullopt;
}

ChannelChange RegistryFolder::change_that_adds(const std::vector<BundleId>& bundles) const {
    ChannelChange change;
    for (const BundleId& id : bundles)
        if (const CatalogueEntry* const entry = state_->catalogue.find(id))
            change.added.push_back(released_bundle_of(*entry));
    return change;
}

bool RegistryFolder::has_recalled_authors() const {
    return state_->release && std::ranges::any_of(state_->release->bundles, [&](const ReleasedBundle& one) {
               return is_of_recalled_author(one, *state_->release, state_->catalogue);
           });
}

Result<RegistryFolder::PlannedRelease> RegistryFolder::plan(ChannelChange change, NeedsOfBundles known, Signer& release,
                                                            Signer& head, UnixTime now,
                                                            std::uint64_t head_life_s) const {
    FARDEL_TRY(verify_not_behind(update_->head(), now, head_life_s));  // before anything is signed
    change.older_versions = OlderVersions::kept;
    // Also one that no head names yet, because a kill came between.
    FARDEL_TRY_ASSIGN(const auto before, find_newest_release(*tree_, *update_));
    PlannedRelease planned;
    ChannelRelease& next = planned.release.release;
    FARDEL_TRY_ASSIGN(next, next_release(before, update_->root(), change, now));
    // Clients refuse these. An operator who recalls the key of an author who floods gets all the room back.
    std::erase_if(next.bundles,
                  [&](const ReleasedBundle& one) { return is_of_recalled_author(one, next, state_->catalogue); });
    FARDEL_TRY_ASSIGN(const std::string body, format_channel_release(next));
    known.merge(find_known_needs(*tree_, *update_));
    FARDEL_TRY_ASSIGN(planned.needs, make_release_needs(*tree_, next, known, UnreadableNeeds::left_out));
    FARDEL_TRY(sign_body(ChannelText::release, body, release, planned.release.file));
    FARDEL_TRY_ASSIGN(planned.head, sign_head(planned.release, head, now, head_life_s));
    return planned;
}

std::optional<std::string> RegistryFolder::describe_dates(UnixTime now, std::uint64_t head_life_s) const {
    if (const Status ready = verify_not_behind(update_->head(), now, head_life_s); !ready)
        return ready.error().message();
    const auto describe = [&](ChannelText kind, const auto& text) {
        return text ? describe_ahead(kind, text->channel, text->version, text->created, now) : std::nullopt;
    };
    auto ahead = describe(ChannelText::head, update_->head());
    return ahead ? ahead : describe(ChannelText::release, update_->release());
}

Status RegistryFolder::publish(const PlannedRelease& planned, UnixTime now) {
    // The head last: until it names the release, clients keep the one before.
    FARDEL_TRY(publish_channel_release(*tree_, planned.release.file, planned.needs, now));
    FARDEL_TRY(publish_head(planned.head, now));
    remove_old_releases();
    remove_unneeded_texts();
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
    for (const TreeFile& file : *files)
        if (const auto version = find_release_version(*tree_, file.path))
            releases.emplace_back(*version, file.path);
    std::ranges::sort(releases);
    for (std::size_t i = 0; i + kReleasesKept < releases.size(); ++i)
        static_cast<void>(tree_->remove(releases[i].second));
}

// Each release has a text about what its bundles need. Those of releases that are gone are read by nobody.
void RegistryFolder::remove_unneeded_texts() const {
    const std::string& channel = state_->root.channel;
    const auto texts = tree_->list(folder_of_path(channel_requirements_path(channel, Hash())));
    if (!texts || texts->size() <= kReleasesBeforeRemoval)
        return;
    const auto releases = tree_->list(channel_releases_folder(channel));
    if (!releases)
        return;
    std::set<std::string> needed;
    for (const TreeFile& file : *releases)
        needed.insert(file_name_of(file.path));
    for (const TreeFile& file : *texts)
        if (!needed.contains(file_name_of(file.path)))
            static_cast<void>(tree_->remove(file.path));
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
                      bundle_page(*opened, *entry, *state_, remarks,
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
    if (all.empty()) {
        for (const auto& [id, entry] : state_->catalogue.entries())
            all.insert(entry.name);
        for (const auto& [name, holders] : state_->catalogue.recorded().names())
            all.insert(name);
    }
    for (const std::string& name : all)
        FARDEL_TRY(write_tree_page(folder_, name_page_path(name), name_page(name, *state_)));
    return ok();
}

}  // namespace fardel
