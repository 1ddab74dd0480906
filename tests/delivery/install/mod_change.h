// A player whose installed mods are changed, and what must be true however the change ended.
#pragma once

#include "mod_site.h"

#include "delivery/served_bundle.h"
#include "kit/disks.h"
#include "kit/failing_call.h"

#include <fardel/delivery/install_bundles.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/http/range_client.h>
#include <fardel/store/retention.h>

#include <functional>
#include <set>

namespace fardel::tests {

// A player has castle 1.0, which needs a base. Then there are newer versions, and forest, which needs the newer base.
class ModChange {
public:
    ModChange() {
        site_.add_bundle("base", "1.0");
        site_.add_bundle("castle", "1.0", {"base"});
        site_.release();
        value_of(RangeClient::open({}));  // loads libcurl
        std::filesystem::create_directory(player_.folder);
        value_of(install_bundles(player_.store(), player_.work(site_, InstallChange::install, {"castle"}), {}));
        std::filesystem::copy(player_.folder, saved_, std::filesystem::copy_options::recursive);
        site_.add_bundle("base", "1.1");
        site_.add_bundle("castle", "1.1", {"base >= 1.1"});
        site_.add_bundle("forest", "1.0", {"base >= 1.1"});
        site_.release();
    }
    // Everything as it was before the change. Pins belong to the path of the lock file, so that stays the same.
    void restore() const {
        std::filesystem::remove_all(player_.folder);
        std::filesystem::copy(saved_, player_.folder, std::filesystem::copy_options::recursive);
    }
    // Returns an exit code: 0, or 1 and the code of the error.
    int change(const InstallWork& work) const {
        const auto store = BundleStore::open(player_.store_path(), true);
        return store ? exit_code_of(install_bundles(*store, work, {})) : exit_code_of(store);
    }
    int install() const { return change(player_.work(site_, InstallChange::install, {"forest"})); }
    int update() const { return change(player_.work(site_, InstallChange::update)); }
    int remove() const {
        const auto store = BundleStore::open(player_.store_path(), true);
        return store ? exit_code_of(remove_installed(*store, player_.lock(), {"castle"})) : exit_code_of(store);
    }

    // After a change that ended somehow: what was installed before is mounted, or what is to be installed then. What is
    // mounted survives a collection. The change can be repeated, and leaves nothing else behind.
    void check(const std::function<int()>& again, const std::string& then, bool collects) const {
        const std::string now = mounted_names(player_);
        CHECK((now == kBefore || now == then));
        const BundleStore store = player_.store();
        CHECK(value_of(store.check(true)).findings.empty());
        if (collects) {
            value_of(store.collect({.now = {4'000'000'000}, .grace_s = 0, .incoming_for_s = 0, .bytes_max = 0}));
            CHECK(mounted_names(player_) == now);
        }
        const int code = again();
        CHECK((code == 0 || (now == then && code == exit_code_of(ErrorCode::missing))));
        CHECK(mounted_names(player_) == then);
        check_kept(store);
        store.remove_leftovers();
        check_tidy(store);
        std::set<std::string> left;
        for (const auto& entry : std::filesystem::directory_iterator(player_.folder))
            left.insert(entry.path().filename().string());
        CHECK(left == std::set<std::string>{"mods.lock", "state", "store"});
    }

    static constexpr const char* kBefore = "base 1.0, castle 1.0";

private:
    // The pins are those of the bundles that the lock file names.
    void check_kept(const BundleStore& store) const {
        std::set<BundleId> pinned, named;
        for (const BundlePin& pin : value_of(store.pins()))
            pinned.insert(pin.bundle);
        for (const ResolvedBundle& one : value_of(read_lock_file(player_.lock())).resolution.bundles)
            named.insert(one.bundle);
        CHECK(pinned == named);
    }

    ModSite site_;
    const SmallDisk disk_{site_.scratch, "64m"};  // syncing is quick there; any other disk will do
    const ModPlayer player_{disk_.path("player")};
    const std::string saved_ = disk_.path("saved");
};

}  // namespace fardel::tests
