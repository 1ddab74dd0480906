#include "install/lock_pins.h"

#include <fardel/base/clock.h>
#include <fardel/base/folder.h>
#include <fardel/format/hash.h>
#include <fardel/store/retention.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

namespace fardel {
namespace {

std::string pin_name_of(const std::string& path) {
    // Several lock files may use one store, and each releases only its own pins: so the path is in the pin's name. A
    // lock file that was moved leaves its pins; `fardel store unpin` ends them.
    const auto whole = canonical_path(path);
    const std::string& text = whole ? *whole : path;
    return std::string(kLockPinStart) + blake3(std::as_bytes(std::span(text))).hex().substr(0, 32);
}

// Who may only read a store pins nothing in it: its owner decides what stays.
Status unless_read_only(Status changed) {
    return !changed && changed.error().code() == ErrorCode::denied ? ok() : changed;
}

// `pins`: those of the store. A pin that is there is not written again.
Status pin_missing(const BundleStore& store, const std::vector<BundlePin>& pins, const std::string& name,
                   const LockFile& lock) {
    std::set<BundleId> pinned;
    for (const BundlePin& pin : pins)
        if (pin.name == name && !pin.until)
            pinned.insert(pin.bundle);
    for (const ResolvedBundle& one : lock.resolution.bundles)
        if (!pinned.contains(one.bundle))
            FARDEL_TRY(unless_read_only(store.pin({.bundle = one.bundle, .name = name, .until = {}})));
    return ok();
}

// Before the pins go: a program that is killed in between does both the next time. What another pin keeps stays.
Status release_unpinned(const BundleStore& store, const std::vector<BundlePin>& pins, const std::string& name,
                        const std::set<BundleId>& dropped) {
    std::vector<BundleId> released;
    for (const BundleId& bundle : dropped)
        if (std::ranges::none_of(pins, [&](const BundlePin& pin) { return pin.bundle == bundle && pin.name != name; }))
            released.push_back(bundle);
    if (released.empty())
        return ok();
    const Status marked = store.release_bundles(released, system_now());
    // Where no locks work, nothing is collected from here.
    return !marked && marked.error().code() == ErrorCode::unsupported ? ok() : marked;
}

}  // namespace

Status pin_bundles(const BundleStore& store, const std::string& path, const LockFile& lock) {
    FARDEL_TRY_ASSIGN(const auto pins, store.pins());
    return pin_missing(store, pins, pin_name_of(path), lock);
}

Status sync_pins(const BundleStore& store, const std::string& path) {
    // From the file on disk, not from what was just written: of two programs that write it at once, both end with the
    // pins of the later one.
    FARDEL_TRY_ASSIGN(const auto lock, find_lock_file(path));
    FARDEL_TRY_ASSIGN(const auto pins, store.pins());
    const std::string name = pin_name_of(path);
    std::set<BundleId> kept;
    if (lock) {
        FARDEL_TRY(pin_missing(store, pins, name, *lock));
        for (const ResolvedBundle& one : lock->resolution.bundles)
            kept.insert(one.bundle);
    }
    std::set<BundleId> dropped;
    for (const BundlePin& pin : pins)
        if (pin.name == name && !kept.contains(pin.bundle))
            dropped.insert(pin.bundle);
    FARDEL_TRY(unless_read_only(release_unpinned(store, pins, name, dropped)));
    for (const BundleId& bundle : dropped) {
        const auto unpinned = store.unpin(bundle, name);
        FARDEL_TRY(unless_read_only(unpinned ? ok() : unpinned.error()));
    }
    return ok();
}

}  // namespace fardel
