#include "pure_files.h"

#include "bundles/bundle_file.h"
#include "console/clock.h"

#include <fardel/base/folder.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/appended_record.h>
#include <fardel/format/block_cache.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kLooseMax = 1'000'000;
constexpr std::size_t kCacheBytes = 64u << 20;  // small assets share blocks

template <class T>
Result<T> in_file(const std::string& path, Result<T> result) {
    if (!result)
        return std::move(result).error().with_context(path);
    return result;
}

struct ClientBundle {
    // Opened with the trust policy: tainted if the policy does not trust it.
    std::shared_ptr<const Bundle> vouched;
    // Opened without a policy: every byte is compared with the manifest, whoever signed the layout.
    std::shared_ptr<const Bundle> checked;
};

Result<ClientBundle> open_client_bundle(const std::string& file, const TrustPolicy* trust,
                                        const std::shared_ptr<BlockCache>& cache) {
    FARDEL_TRY_ASSIGN(const auto source, open_bundle_source(file));
    ClientBundle bundle;
    FARDEL_TRY_ASSIGN(bundle.checked,
                      Bundle::open(source, {.policy = nullptr, .time = {}, .cache = cache, .label = file}));
    bundle.vouched = bundle.checked;
    if (trust == nullptr)
        return bundle;
    auto vouched = Bundle::open(source, {.policy = trust, .time = {}, .cache = nullptr, .label = file});
    if (vouched)
        bundle.vouched = *std::move(vouched);
    else if (vouched.error().code() != ErrorCode::untrusted)
        return std::move(vouched).error();
    return bundle;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path, std::size_t bytes_max) {
    FARDEL_TRY_ASSIGN(const auto source, open_file_source(path));
    if (source->size_bytes() > bytes_max)
        return Error(ErrorCode::limit, path + ": " + std::to_string(source->size_bytes()) + " bytes; at most " +
                                           std::to_string(bytes_max) + " were expected");
    std::vector<std::byte> bytes(static_cast<std::size_t>(source->size_bytes()));
    FARDEL_TRY(source->read_at(0, bytes));
    return bytes;
}

Result<PureOffer> read_pure_offer(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto bytes, read_file(path, 2 * kPureOfferBytes));
    return in_file(path, decode_pure_offer(bytes));
}

Result<PureAnswer> read_pure_answer(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto bytes, read_file(path, 2 * kPureAnswerBytes));
    return in_file(path, decode_pure_answer(bytes));
}

Result<PureReport> read_pure_report(const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto bytes, read_file(path, PureReport::kBytesMax));
    return in_file(path, PureReport::parse(as_text(bytes)));
}

Result<OpenBundles> open_bundles(const std::vector<std::string>& files) {
    OpenBundles bundles;
    for (const std::string& file : files) {
        FARDEL_TRY_ASSIGN(auto bundle, open_bundle(file));
        bundles.push_back(std::move(bundle));
    }
    return bundles;
}

Result<PureClient> mount_for_pure(const std::vector<std::string>& files, const PurePolicy& policy,
                                  const std::string& trust_path) {
    std::optional<TrustPolicy> trust;
    if (!trust_path.empty()) {
        FARDEL_TRY_ASSIGN(trust, read_trust_policy(trust_path));
    }
    const auto cache = std::make_shared<BlockCache>(kCacheBytes);
    std::unordered_map<BundleId, const PureBundle*> wanted;
    for (const PureBundle& bundle : policy.rules().bundles)
        wanted.emplace(bundle.bundle, &bundle);
    PureClient client;
    std::uint32_t number = 0;
    for (const std::string& file : files) {
        const auto bundle = open_client_bundle(file, trust ? &*trust : nullptr, cache);
        if (!bundle) {
            client.problems.push_back(
                // The server receives this text: no path of the player's machine, and no message that contains one.
                make_pure_problem(pure_fault_of(bundle.error().code()), {}, std::string(file_name_of_path(file)),
                                  std::string(error_code_name(bundle.error().code())) + ": it cannot be opened"));
            client.unopened.push_back(bundle.error());
            continue;
        }
        MountDescription mount{.id = MountId{++number}, .label = "bundle " + bundle->checked->id().hex().substr(0, 8)};
        if (const auto at = wanted.find(bundle->checked->id()); at != wanted.end()) {
            mount.mount_point = at->second->mount_point;
            mount.case_rule = at->second->case_rule;
        }
        client.mounts.push_back(pure_mount(mount, *bundle->vouched));
        client.bundles.push_back(bundle->checked);
    }
    std::ranges::reverse(client.mounts);  // later ones win
    return client;
}

Result<std::vector<std::string>> list_loose_paths(const std::string& folder) {
    std::vector<std::string> paths;
    FARDEL_TRY(visit_folder(folder, [&](const std::string& path, const FileStatus& status) -> Result<bool> {
        if (status.is_folder())
            return true;
        if (paths.size() == kLooseMax)
            return Error(ErrorCode::limit, folder + ": more than " + std::to_string(kLooseMax) + " files");
        paths.push_back(path);
        return false;
    }));
    std::ranges::sort(paths);
    return paths;
}

}  // namespace fardel
