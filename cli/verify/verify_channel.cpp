#include "verify/verify_whole.h"

#include "bundles/tree_option.h"
#include "console/temporary_folder.h"

#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/extended_source.h>
#include <fardel/format/later_signatures.h>
#include <fardel/format/name.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/published_signatures.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// Gives the files of the bundles that a release names.
class ReleasedFiles {
public:
    // `options`: those by which the bundles are judged.
    static Result<ReleasedFiles> open(const ChannelAddress& channel, const VerifyOptions& options) {
        ReleasedFiles files(channel.address, options);
        if (channel.root.empty()) {
            FARDEL_TRY_ASSIGN(files.tree_, open_tree(channel.address, "", options.stop));
            return files;
        }
        FARDEL_TRY_ASSIGN(files.folder_, TemporaryFolder::make());
        FARDEL_TRY_ASSIGN(files.store_, BundleStore::open(files.folder_->path() + "/store", true));
        return files;
    }

    // A bundle file, with the signatures that came later at its end.
    struct Found {
        std::shared_ptr<const ByteSource> source;
        std::uint64_t file_bytes = 0;  // without these
    };

    Result<Found> find(const BundleId& bundle) const {
        FARDEL_TRY_ASSIGN(auto file, open(bundle));
        const std::uint64_t file_bytes = file->size_bytes();
        if (!tree_) {
            FARDEL_TRY_ASSIGN(auto with_later, fetch_signatures(bundle, file));
            return Found{std::move(with_later), file_bytes};
        }
        FARDEL_TRY_ASSIGN(const PublishedSignatures there, read_published_signatures(*tree_, bundle));
        FARDEL_TRY_ASSIGN(auto later, encode_envelopes(there.later));
        return Found{extend_source(std::move(file), std::move(later)), file_bytes};
    }

private:
    Result<std::shared_ptr<const ByteSource>> open(const BundleId& bundle) const {
        if (tree_)
            return tree_->open(tree_path_of(bundle));
        FetchOptions fetch;
        fetch.work.servers = {address_};
        fetch.work.bundles = {bundle};
        fetch.stop = stop_;
        FARDEL_TRY(fetch_bundles(*store_, fetch));
        return store_->open_whole_bundle(bundle);
    }

    // As a client does: if the policy refuses what the file has, the server is asked for later ones. What it still
    // refuses then, the verifier says.
    Result<std::shared_ptr<const ByteSource>> fetch_signatures(const BundleId& bundle,
                                                               std::shared_ptr<const ByteSource> file) const {
        if (policy_ == nullptr)
            return file;
        FetchOptions fetch;
        fetch.work.servers = {address_};
        fetch.work.bundles = {bundle};
        fetch.work.policy = std::shared_ptr<const TrustPolicy>(std::shared_ptr<void>(), policy_);
        fetch.work.time = time_;
        fetch.stop = stop_;
        const auto fetched = fetch_bundles(*store_, fetch);
        if (!fetched && fetched.error().code() == ErrorCode::cancelled)
            return fetched.error();
        return store_->open_whole_bundle(bundle);
    }

    ReleasedFiles(std::string address, const VerifyOptions& options)
        : address_(std::move(address)), stop_(options.stop), policy_(options.policy), time_(options.time) {}

    std::string address_;
    std::stop_token stop_;
    const TrustPolicy* policy_;  // nullptr: all are accepted
    TrustTime time_;
    std::unique_ptr<TreeTarget> tree_;
    std::optional<TemporaryFolder> folder_;  // outlives the store in it
    std::optional<BundleStore> store_;
};

// The caller's policy and the channel's; nothing if neither demands anything.
Result<std::optional<TrustPolicy>> policy_of(const ChannelStatus& status, const TrustPolicy* own) {
    if (own != nullptr) {
        FARDEL_TRY_ASSIGN(TrustPolicy both, policy_for_follower(own, status.root, status.release));
        return std::optional(std::move(both));
    }
    return channel_policy(status.root, status.release);
}

void check_texts(const ChannelStatus& status, VerifySetReport& set) {
    for (const Error& problem : status.problems)
        add_finding(set, "channel-wrong", "", problem);
    for (const std::string& warning : status.warnings)
        add_finding(set, "channel-remark", "", Error(ErrorCode::expired, warning));
    if (!status.release)
        return;
    for (const ReleasedBundle& one : status.release->bundles)
        for (const auto& recalled : status.release->recalled_bundles)
            if (recalled.id == one.bundle)
                add_finding(
                    set, "channel-wrong", "bundle " + one.bundle.hex(),
                    Error(ErrorCode::revoked, "the release names it, and recalls it: " + printable(recalled.reason)));
}

// What the release says of a bundle has to be what the bundle says.
void check_description(const ReleasedBundle& named, const VerifyReport& report, std::uint64_t file_bytes,
                       VerifySetReport& set) {
    const std::string where = fmt::format("{} {}", printable(named.name), named.version.text());
    const auto wrong = [&](const std::string& text) {
        add_finding(set, "channel-bundle-wrong", where, Error(ErrorCode::corrupt, text));
    };
    if (report.bundle.id != named.bundle)
        wrong("the file of bundle " + named.bundle.hex() + " is another bundle");
    else if (report.bundle.name != printable(named.name) || report.bundle.version != named.version.text())
        wrong(fmt::format("bundle {} says that it is {} {}", named.bundle.hex(), report.bundle.name,
                          report.bundle.version));
    else if (file_bytes != named.file_bytes)
        wrong(fmt::format("the file of bundle {} has {} bytes, and the release says {}", named.bundle.hex(), file_bytes,
                          named.file_bytes));
}

}  // namespace

Result<VerifyOutcome> verify_channel(const ChannelAddress& channel, UnixTime now, const VerifyOptions& options) {
    FARDEL_TRY_ASSIGN(const ChannelStatus status, read_channel_status(channel, now, options.stop));
    VerifyOutcome outcome{.files = {},
                          .policy = {},
                          .set = {},
                          .whole = channel.address + "/channels/" + channel.name,
                          .subject = "the channel"};
    VerifySetReport texts;
    check_texts(status, texts);
    // The bundles are judged as a client of the channel judges them.
    FARDEL_TRY_ASSIGN(const auto policy, policy_of(status, options.policy));
    VerifyOptions by_channel = options;
    by_channel.policy = policy ? &*policy : nullptr;
    by_channel.time = TrustTime::at(now);

    FARDEL_TRY_ASSIGN(const ReleasedFiles files, ReleasedFiles::open(channel, by_channel));
    std::vector<VerifyInput> inputs;
    std::vector<std::pair<ReleasedBundle, std::uint64_t>> named;  // and the bytes of its file
    for (const ReleasedBundle& one : status.release ? status.release->bundles : std::vector<ReleasedBundle>()) {
        auto found = files.find(one.bundle);
        if (!found && found.error().code() == ErrorCode::cancelled)
            return std::move(found).error();
        if (!found) {
            add_finding(texts, "channel-bundle-wrong", fmt::format("{} {}", printable(one.name), one.version.text()),
                        found.error());
            continue;
        }
        outcome.files.push_back(channel.address + "/" + tree_path_of(one.bundle));
        inputs.push_back({std::move(found->source), outcome.files.back()});
        named.emplace_back(one, found->file_bytes);
    }
    FARDEL_TRY_ASSIGN(outcome.set, verify_set(inputs, by_channel));
    for (std::size_t i = 0; i < named.size(); ++i)
        // Clients plan a fetch by what the release says of a bundle, before they have it.
        check_description(named[i].first, outcome.set.bundles[i], named[i].second, texts);
    std::ranges::move(texts.findings, std::back_inserter(outcome.set.findings));
    outcome.set.found += texts.found;
    return outcome;
}

}  // namespace fardel
