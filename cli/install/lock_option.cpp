#include "install/lock_option.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/store/retention.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>

namespace fardel {
namespace {

// A file has pins of its own, so several lock files may use one store.
std::string pin_name_of(const std::string& path) {
    std::error_code unknown;
    const std::string whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path), unknown).string();
    const std::string& text = unknown ? path : whole;
    return "lock-" + blake3(std::as_bytes(std::span(text))).hex().substr(0, 32);
}

}  // namespace

void add_lock_option(CommandLine& line, std::string& lock) {
    line.text("--lock", "FILE", lock, "The lock file, which says what is installed (default: fardel.lock)");
}

Result<std::optional<LockFile>> find_lock_file(const std::string& path) {
    auto lock = read_lock_file(path);
    if (!lock && lock.error().code() == ErrorCode::missing)
        return std::optional<LockFile>();
    if (!lock)
        return std::move(lock).error();
    return std::optional(*std::move(lock));
}

Status pin_bundles(const BundleStore& store, const std::string& path, const LockFile& lock) {
    const std::string name = pin_name_of(path);
    for (const ResolvedBundle& one : lock.resolution.bundles)
        FARDEL_TRY(store.pin({.bundle = one.bundle, .name = name, .until_s = {}}));
    return ok();
}

Status sync_pins(const BundleStore& store, const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto lock, find_lock_file(path));
    std::set<BundleId> kept;
    if (lock) {
        FARDEL_TRY(pin_bundles(store, path, *lock));
        for (const ResolvedBundle& one : lock->resolution.bundles)
            kept.insert(one.bundle);
    }
    FARDEL_TRY_ASSIGN(const auto pins, store.pins());
    const std::string name = pin_name_of(path);
    for (const BundlePin& pin : pins)
        if (pin.name == name && !kept.contains(pin.bundle))
            FARDEL_TRY(store.unpin(pin.bundle, name));
    return ok();
}

std::optional<std::string> find_recall(const ChannelState& state, const BundleId& bundle) {
    const auto found = std::ranges::find(state.recalled_bundles, bundle, &Revocation<BundleId>::id);
    return found == state.recalled_bundles.end() ? std::nullopt : std::optional(found->reason);
}

OpenResolved open_stored(const BundleStore& store, const TrustPolicy* policy) {
    return [&store, policy](const BundleId& id) -> Result<std::shared_ptr<const Bundle>> {
        FARDEL_TRY_ASSIGN(auto source, store.open_bundle(id));
        return Bundle::open(std::move(source),
                            {.policy = policy, .time = {}, .cache = {}, .label = "bundle " + id.hex()});
    };
}

}  // namespace fardel
