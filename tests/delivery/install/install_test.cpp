// Installing by name from a program's own loop. cli/install_test.cpp has the rules of resolving, with the program.
#include "delivery/c/c_fetch.h"
#include "mod_site.h"

#include "kit/files.h"

#include <fardel/delivery/install_bundles.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/store/retention.h>

namespace fardel::tests::install_test {

// A base in two versions and two mods of which each needs one.
struct TwoMods {
    ModSite site;
    const BundleId old_base = site.add_bundle("base", "1.0");
    const BundleId new_base = site.add_bundle("base", "2.0");
    const BundleId castle = site.add_bundle("castle", "1.0", {"base < 2"});
    const BundleId forest = site.add_bundle("forest", "1.0", {"base >= 2"});
    ModPlayer player{site.scratch.path("player")};

    TwoMods() {
        site.release();
        std::filesystem::create_directory(player.folder);
    }
    InstallSummary install(InstallWork work) const {
        auto install = value_of(Install::start(player.store(), std::move(work)));
        return value_of(install.wait());
    }
};

TEST_CASE("install: an engine installs by names in its loop, with consent, and mounts the set offline") {
    TwoMods mods;
    const BundleStore store = mods.player.store();
    int asked = 0, ended = 0;
    std::uint64_t received = 0;
    InstallCallbacks callbacks;
    callbacks.planned = [&](const InstallPlan& plan) {
        ++asked;
        CHECK(names_of(plan.added) == "base 1.0, base 2.0, castle 1.0, forest 1.0");
        CHECK(plan.removed.empty());
        CHECK(plan.fetch.bundles.size() == 4);
        CHECK_FALSE(std::filesystem::exists(mods.player.lock()));
    };
    callbacks.progress = [&](const FetchProgress& progress) { received = progress.received_bytes; };
    callbacks.ended = [&](const Result<InstallSummary>& outcome) { ended += outcome ? 1 : 100; };
    auto install = value_of(Install::start(
        store, mods.player.work(mods.site, InstallChange::install, {"castle", "forest >= 1.0"}), callbacks));
    for (int frame = 0; frame < 100'000 && !install.poll(std::chrono::milliseconds(5)); ++frame)
        if (asked == 1 && ended == 0)
            install.accept();
    CHECK(asked == 1);
    CHECK(ended == 1);
    REQUIRE(install.outcome() != nullptr);
    const InstallSummary summary = value_of(*install.outcome());
    CHECK(summary.received_bytes > 0);
    REQUIRE(summary.installed.bundles.size() == 4);
    CHECK(summary.installed.bundles[2].root == "castle");
    CHECK(summary.installed.bundles[2].resolved == std::vector{mods.old_base});
    CHECK(summary.installed.bundles[3].root == "forest >= 1.0");
    CHECK(summary.installed.bundles[3].resolved == std::vector{mods.new_base});
    CHECK(mounted_names(mods.player) == "base 1.0, base 2.0, castle 1.0, forest 1.0");
    CHECK(store.pins().value().size() == 4);
}

TEST_CASE("install: what is refused, cancelled or in conflict leaves what was installed, and pins nothing else") {
    TwoMods mods;
    mods.install(mods.player.work(mods.site, InstallChange::install, {"castle"}));
    const std::string before = read_file(mods.player.lock());
    const BundleStore store = mods.player.store();
    const auto check_unchanged = [&] {
        CHECK(read_file(mods.player.lock()) == before);
        CHECK(value_of(store.pins()).size() == 2);
        CHECK(mounted_names(mods.player) == "base 1.0, castle 1.0");
    };
    InstallCallbacks callbacks;
    bool asked = false;
    callbacks.planned = [&](const InstallPlan& plan) {
        asked = true;
        CHECK(names_of(plan.added) == "base 2.0, forest 1.0");
    };
    const InstallWork forest = mods.player.work(mods.site, InstallChange::install, {"forest"});
    {
        auto refused = value_of(Install::start(store, forest, callbacks));
        while (!refused.poll(std::chrono::milliseconds(5)))
            if (asked)
                refused.refuse();
        CHECK(code_of(*refused.outcome()) == ErrorCode::denied);
        check_unchanged();
        auto cancelled = value_of(Install::start(store, forest, callbacks));
        asked = false;
        while (!asked)
            cancelled.poll(std::chrono::milliseconds(5));
        cancelled.cancel();
        CHECK(code_of(cancelled.wait()) == ErrorCode::cancelled);
        check_unchanged();
        auto dropped = value_of(Install::start(store, forest, callbacks));
        asked = false;
        while (!asked)
            dropped.poll(std::chrono::milliseconds(5));
    }
    check_unchanged();
    auto conflict = value_of(
        Install::start(store, mods.player.work(mods.site, InstallChange::install, {"forest > 7", "ghosts"}), {}));
    check_error(conflict.wait(), ErrorCode::unresolved, "2 conflicts in release 1");
    CHECK(conflict.conflicts().size() == 2);
    check_unchanged();
}

TEST_CASE("install: servers are kept in the lock file once, however their URLs are written") {
    TwoMods mods;
    InstallWork work = mods.player.work(mods.site, InstallChange::install, {"castle"});
    const std::string url = mods.site.url();
    work.servers = {url + "/"};
    for (int round = 0; round < 3; ++round) {
        work.mirrors = {url, url + "/"};
        mods.install(work);
        CHECK(value_of(read_lock_file(work.lock)).sources == std::vector{ForeignUrl(url)});
        work.servers = ServerList({}, {.allowed_hosts = {"127.0.0.1"}});
        work.change = InstallChange::update;
        work.names.clear();
    }
}

TEST_CASE("install: servers that a lock file names are public ones, or of hosts that the user has named") {  // A152
    TwoMods mods;
    mods.install(mods.player.work(mods.site, InstallChange::install, {"castle"}));
    const std::string before = read_file(mods.player.lock());
    InstallWork work = mods.player.work(mods.site, InstallChange::update);
    const auto outcome = [&](ServerList servers) {
        work.servers = std::move(servers);
        return code_of(value_of(Install::start(mods.player.store(), work, {})).wait());
    };
    CHECK(outcome({}) == ErrorCode::denied);
    CHECK(outcome(ServerList({}, {.allowed_hosts = {"example.org"}})) == ErrorCode::denied);
    CHECK(read_file(mods.player.lock()) == before);
    work.servers = ServerList({}, {.allowed_hosts = {"127.0.0.1"}});
    CHECK(mods.install(work).installed.bundles.size() == 2);
}

TEST_CASE("install: an update and a removal change the set, and a removal that was made is said to be") {
    TwoMods mods;
    mods.install(mods.player.work(mods.site, InstallChange::install, {"castle", "forest"}));
    mods.site.add_bundle("base", "1.1");
    mods.site.release();
    InstallWork work = mods.player.work(mods.site, InstallChange::update);
    work.channel = mods.player.subject();  // the channel and its root are known from the first time, and the servers
    work.servers = ServerList({}, {.allowed_hosts = {"127.0.0.1"}});
    const InstallSummary updated = mods.install(work);
    CHECK(names_of(updated.plan.added) == "base 1.1");
    CHECK(names_of(updated.plan.removed) == "base 1.0");
    CHECK(mounted_names(mods.player) == "base 1.1, base 2.0, castle 1.0, forest 1.0");
    const BundleStore store = mods.player.store();
    CHECK(code_of(remove_installed(store, mods.player.lock(), {"castle", "base"})) == ErrorCode::missing);
    CHECK(names_of(value_of(remove_installed(store, mods.player.lock(), {"castle"}))) == "base 1.1, castle 1.0");
    CHECK(mounted_names(mods.player) == "base 2.0, forest 1.0");
    CHECK(value_of(store.pins()).size() == 2);
    CHECK(code_of(remove_installed(store, mods.player.lock(), {"castle"})) == ErrorCode::missing);
}

TEST_CASE("install: a lock file that another program changes meanwhile is not overwritten") {
    TwoMods mods;
    mods.install(mods.player.work(mods.site, InstallChange::install, {"castle"}));
    const BundleStore store = mods.player.store();
    const auto change_meanwhile = [&](const InstallPlan&) -> Status {
        value_of(remove_installed(store, mods.player.lock(), {"castle"}));
        return ok();
    };
    const InstallWork work = mods.player.work(mods.site, InstallChange::install, {"forest"});
    check_error(install_bundles(store, work, {.consent = change_meanwhile}), ErrorCode::busy, "changed meanwhile");
    CHECK(mounted_names(mods.player).empty());
    CHECK(value_of(store.pins()).empty());
    mods.install(work);
    CHECK(mounted_names(mods.player) == "base 2.0, forest 1.0");
}

TEST_CASE("install: a recalled bundle is not read as installed, and an update replaces it") {
    TwoMods mods;
    mods.install(mods.player.work(mods.site, InstallChange::install, {"forest"}));
    mods.site.add_bundle("base", "2.1");
    mods.site.release({{mods.new_base, "crashes"}});
    InstallWork work = mods.player.work(mods.site, InstallChange::update);
    auto planned = value_of(Install::start(mods.player.store(), work, {.planned = [](const InstallPlan&) {}}));
    while (!planned.poll(std::chrono::milliseconds(5)))
        planned.refuse();
    CHECK(code_of(read_installed(mods.player.store(), mods.player.lock(), mods.player.subject())) ==
          ErrorCode::revoked);
    mods.install(work);
    CHECK(mounted_names(mods.player) == "base 2.1, forest 1.0");
}

// What a mount of the lock file gives: the names, and what is left out; "refused: <code>" if there is none.
std::string used(const ModPlayer& player, const InstalledUse& use) {
    const auto installed = read_installed(player.store(), player.lock(), player.subject(), use);
    if (!installed)
        return "refused: " + std::string(error_code_name(installed.error().code()));
    std::string text = names_of(installed->bundles);
    for (const LeftOutBundle& one : installed->left_out) {
        CHECK(one.text().find(one.name + " " + one.version + " is left out: ") == 0);
        text += "; without " + one.name;
    }
    return text;
}

// A site whose bundles a player installs by these names, and which then recalls some of them.
struct RecalledMods {
    ModSite site;
    ModPlayer player{site.scratch.path("player")};
    InstalledUse lenient{.time = TrustTime::at(kChannelNow), .leave_out = true, .needed = {}, .licenses = {}};

    RecalledMods() { std::filesystem::create_directory(player.folder); }
    void install(const std::vector<std::string>& names, const std::vector<BundleId>& recalled) {
        const auto work = [&](std::vector<std::string> wanted) {
            auto install =
                value_of(Install::start(player.store(), player.work(site, InstallChange::install, std::move(wanted))));
            return install.wait().has_value();
        };
        site.release();
        REQUIRE(work(names));
        std::vector<Revocation<BundleId>> recalls;
        for (const BundleId& id : recalled)
            recalls.push_back({id, "crashes"});
        std::ranges::sort(recalls, {}, &Revocation<BundleId>::id);
        site.release(recalls);
        InstallWork ask = player.work(site, InstallChange::update);
        auto planned = value_of(Install::start(player.store(), ask, {.planned = [](const InstallPlan&) {}}));
        while (!planned.poll(std::chrono::milliseconds(5)))
            planned.refuse();
    }
};

TEST_CASE_FIXTURE(RecalledMods, "install: a recalled mod is left out, with what only it needs, if that is asked for") {
    site.add_bundle("game", "1.0");
    const BundleId castle = site.add_bundle("castle", "1.0", {"game", "walls"});
    site.add_bundle("walls", "1.0");
    site.add_bundle("forest", "1.0", {"game"});
    install({"castle", "forest"}, {castle});
    CHECK(used(player, lenient) == "game 1.0, forest 1.0; without castle");
    lenient.needed = {"castle"};
    CHECK(used(player, lenient) == "refused: revoked");
    lenient.needed = {"forest"};
    CHECK(used(player, lenient) == "game 1.0, forest 1.0; without castle");
    lenient.needed = {"game"};  // not installed by name
    CHECK(used(player, lenient) == "refused: missing");
    CHECK(used(player, {.time = lenient.time}) == "refused: revoked");
    const auto installed = read_installed(player.store(), player.lock(), player.subject(), {.time = lenient.time});
    check_error(installed, ErrorCode::revoked, "castle 1.0: ");
    check_error(installed, ErrorCode::revoked, "crashes; 'fardel remove castle' takes it out");
}

TEST_CASE_FIXTURE(RecalledMods, "install: a mod is left out for what it alone requires") {
    site.add_bundle("game", "1.0");
    site.add_bundle("castle", "1.0", {"game", "walls"});
    const BundleId walls = site.add_bundle("walls", "1.0");
    site.add_bundle("forest", "1.0", {"game"});
    install({"castle", "forest"}, {walls});
    CHECK(used(player, lenient) == "game 1.0, forest 1.0; without castle");
    const auto strict = read_installed(player.store(), player.lock(), player.subject(), {.time = lenient.time});
    check_error(strict, ErrorCode::revoked, "walls 1.0: ");
    check_error(strict, ErrorCode::revoked, "'fardel remove castle' takes out what needs it");
}

TEST_CASE_FIXTURE(RecalledMods,
                  "install: what several names need is not left out, and neither is the game's") {  // A171
    SUBCASE("a game that a mod requires") {
        const BundleId game = site.add_bundle("game", "1.0");
        site.add_bundle("castle", "1.0", {"game"});
        site.add_bundle("sounds", "1.0");
        install({"game", "castle", "sounds"}, {game});
    }
    SUBCASE("a base of two mods") {
        const BundleId base = site.add_bundle("base", "1.0");
        site.add_bundle("castle", "1.0", {"base"});
        site.add_bundle("forest", "1.0", {"base"});
        site.add_bundle("sounds", "1.0");
        install({"castle", "forest", "sounds"}, {base});
    }
    SUBCASE("a requirement of the game, beside mods that state none") {
        const BundleId engine = site.add_bundle("engine", "1.0");
        site.add_bundle("game", "1.0", {"engine"});
        site.add_bundle("sounds", "1.0");
        install({"game", "sounds"}, {engine});
    }
    SUBCASE("everything that is installed") {
        const BundleId castle = site.add_bundle("castle", "1.0");
        const BundleId forest = site.add_bundle("forest", "1.0");
        install({"castle", "forest"}, {castle, forest});
    }
    CHECK(used(player, lenient) == "refused: revoked");
}

TEST_CASE_FIXTURE(RecalledMods, "install: expired mods and mods without their licence are left out, too") {
    site.add_bundle("game", "1.0");
    const auto later = static_cast<std::int64_t>((kChannelNow + 3600).seconds);
    site.add_bundle("trial", "1.0", {"game"}, nullptr, {{.key = "expires", .value = later}});
    site.add_bundle("sold", "1.0", {"game"}, nullptr,
                    {{.key = "license-token", .value = std::string("ask shop.example")}});
    install({"game", "trial", "sold"}, {});
    CHECK(used(player, {.time = lenient.time}) == "game 1.0, trial 1.0, sold 1.0");  // a mount asks for the licence
    CHECK(used(player, lenient) == "game 1.0, trial 1.0; without sold");
    lenient.time = TrustTime::at(kChannelNow + 7200);
    CHECK(used(player, lenient) == "game 1.0; without trial; without sold");
    CHECK(used(player, {.time = lenient.time}) == "refused: expired");
}

TEST_CASE_FIXTURE(RecalledMods, "install: update is advised only where it brings another version") {
    const BundleId old = site.add_bundle("castle", "1.0");
    install({"castle"}, {old});
    const auto why = [&] {
        return read_installed(player.store(), player.lock(), player.subject(), {.time = lenient.time});
    };
    check_error(why(), ErrorCode::revoked, "'fardel remove castle'");
    site.add_bundle("castle", "1.1");
    site.release({{old, "crashes"}});
    InstallWork work = player.work(site, InstallChange::update);
    auto planned = value_of(Install::start(player.store(), work, {.planned = [](const InstallPlan&) {}}));
    while (!planned.poll(std::chrono::milliseconds(5)))
        planned.refuse();
    check_error(why(), ErrorCode::revoked, "'fardel update' replaces it");
}

TEST_CASE("install: work that cannot be done is refused with its own error") {
    TwoMods mods;
    const BundleStore store = mods.player.store();
    const auto error_of = [&](InstallWork work) {
        auto install = Install::start(store, std::move(work));
        return install ? code_of(install->wait()) : install.error().code();
    };
    InstallWork work = mods.player.work(mods.site, InstallChange::update);
    CHECK(error_of(work) == ErrorCode::missing);  // nothing is installed
    work.change = InstallChange::install;
    work.names = {"castle >"};
    CHECK(error_of(work) == ErrorCode::malformed);
    work.names = {"castle", "castle < 2"};
    CHECK(error_of(work) == ErrorCode::malformed);
    work.names = {"castle"};
    work.channel.name.clear();
    CHECK(error_of(work) == ErrorCode::missing);
    work.channel.name = kSampleChannel;
    work.servers = {"ftp://example.org"};
    CHECK(error_of(work) == ErrorCode::malformed);
    work.servers = {};
    CHECK(error_of(work) == ErrorCode::malformed);
    work.servers = {"http://127.0.0.1:1"};
    CHECK(error_of(work) == ErrorCode::unreachable);
    work.servers = {mods.site.url()};
    work.time = TrustTime::at(kChannelNow + 30 * kChannelDay);
    CHECK(error_of(work) == ErrorCode::expired);
    work.lock.clear();
    CHECK(error_of(work) == ErrorCode::malformed);
    CHECK_FALSE(std::filesystem::exists(mods.player.lock()));
    CHECK(value_of(store.pins()).empty());
}

// ---- For C ----------------------------------------------------------------------------------------------------------

struct CInstalled {
    int asked = 0;
    int ended = 0;
    std::uint64_t fetch_bytes = 0;
    fardel_code code = FARDEL_OK;
    std::string names;
    std::size_t resolved = 0;
    std::string policy;
};

void note(CInstalled& seen, const fardel_installed_set* set) {
    for (std::size_t i = 0; i < set->bundle_count; ++i) {
        seen.names += std::string(set->bundles[i]->name) + " " + set->bundles[i]->version +
                      (set->bundles[i]->root != nullptr ? " root\n" : "\n");
        seen.resolved += set->bundles[i]->resolved_count;
    }
    seen.policy = set->policy_text != nullptr ? set->policy_text : "";
}
void plan_seen(void* context, fardel_install* install, const fardel_installed_set* plan) {
    CInstalled& seen = *static_cast<CInstalled*>(context);
    ++seen.asked;
    seen.fetch_bytes = plan->fetch->fetch_bytes;
    CHECK(plan->policy_text == nullptr);
    fardel_install_accept(install);
}
void end_seen(void* context, fardel_install*, const fardel_fetch_outcome* outcome, const fardel_installed_set* set) {
    CInstalled& seen = *static_cast<CInstalled*>(context);
    ++seen.ended;
    seen.code = outcome->code;
    if (set != nullptr)
        note(seen, set);
}
void set_seen(void* context, const fardel_installed_set* set) { note(*static_cast<CInstalled*>(context), set); }

// castle 1.0 by the author, which a player has installed, and 2.0 by somebody else whom the player's policy knows, too.
struct OtherAuthor {
    ModSite site;
    ModPlayer player{site.scratch.path("player")};
    const std::unique_ptr<Signer> author = make_key_signer(numbered_key(kAuthorKey));
    const std::unique_ptr<Signer> other = make_key_signer(numbered_key(kOtherKey));
    const std::shared_ptr<const TrustPolicy> policy = std::make_shared<const TrustPolicy>(
        value_of(make_policy(std::vector{policy_key(kAuthorKey), policy_key(kOtherKey)}, {})));

    OtherAuthor() {
        std::filesystem::create_directory(player.folder);
        site.add_bundle("castle", "1.0", {}, author.get());
        site.release();
        auto first = value_of(Install::start(player.store(), work(InstallChange::install, {"castle"})));
        CHECK(value_of(first.wait()).installed.bundles.at(0).author == author->public_key());
        CHECK(first.author_changes().empty());
        site.add_bundle("castle", "2.0", {}, other.get());
        site.release();
    }
    InstallWork work(InstallChange change, std::vector<std::string> names = {}) const {
        InstallWork work = player.work(site, change, std::move(names));
        work.channel.policy = policy;
        return work;
    }
};

TEST_CASE("install: a name that another author has now is refused in a program's loop, until it names the key") {
    OtherAuthor mods;  // A146
    InstallCallbacks callbacks;
    Install* running = nullptr;
    callbacks.planned = [&](const InstallPlan&) { running->accept(); };  // of a game that knows nothing of authors
    InstallWork work = mods.work(InstallChange::update);
    const auto run = [&] {
        auto install = value_of(Install::start(mods.player.store(), work, callbacks));
        running = &install;
        while (!install.poll(std::chrono::milliseconds(5))) {
        }
        const auto& outcome = *install.outcome();
        return std::pair(outcome ? "" : outcome.error().message(), install.author_changes());
    };
    const auto [text, changes] = run();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].name == "castle");
    CHECK(changes[0].before == BundleAuthor{mods.author->public_key(), key_label(kAuthorKey)});
    CHECK(changes[0].after == BundleAuthor{mods.other->public_key(), key_label(kOtherKey)});
    check_has(text, "castle was by key6 (" + mods.author->public_key().hex() + "), and is now by key7 (" +
                        mods.other->public_key().hex() + ")");
    work.accepted_authors = {{"castle", mods.author->public_key()}, {"forest", mods.other->public_key()}};
    CHECK(run().second == changes);
    CHECK(value_of(read_lock_file(work.lock)).resolution.bundles[0].author == mods.author->public_key());
    work.accepted_authors = {{"castle", mods.other->public_key()}};
    CHECK(run().first.empty());
    CHECK(value_of(read_lock_file(work.lock)).resolution.bundles[0].author == mods.other->public_key());
    CHECK(run().second.empty());
    for (const char* const wrong : {"", "castle", "castle=", "=", "castle=77"})
        CHECK(code_of(AcceptedAuthor::parse(wrong)) == ErrorCode::malformed);
}

TEST_CASE("install: from C, a name that another author has now is refused, until the game names the key") {  // A146
    OtherAuthor mods;
    const BundleStore opened = mods.player.store();
    fardel_store* store = nullptr;
    REQUIRE(fardel_store_open(opened.path().c_str(), 0, &store, nullptr) == FARDEL_OK);
    // In C, the channel's rules count alone: this one gets them with a second root.
    ChannelRoot root = sample_root(2);
    root.trust.keys.push_back(policy_key(kOtherKey));
    root.trust.allow.push_back(
        value_of(make_policy(std::vector{policy_key(kAuthorKey), policy_key(kOtherKey)}, {})).rules().allow.front());
    REQUIRE(publish_channel_root(*make_folder_target(mods.site.tree()), root_file(root), kChannelNow));
    const CServers servers(mods.site.url());
    const std::string state = mods.player.folder + "/state", lock = mods.player.lock();
    fardel_channel_options channel = FARDEL_CHANNEL_OPTIONS_INIT;
    channel.state_folder = state.c_str();
    channel.servers = &servers.options;
    channel.now_s = kChannelNow.seconds;
    fardel_install_options options = FARDEL_INSTALL_OPTIONS_INIT;
    options.lock = lock.c_str();
    options.channel = &channel;
    options.ended = end_seen;
    options.flags = FARDEL_INSTALL_UPDATE;
    fardel_install* install = nullptr;
    const auto run = [&] {
        CInstalled seen;
        options.context = &seen;
        REQUIRE(fardel_install_start(store, &options, &install, nullptr) == FARDEL_OK);
        for (std::int32_t ended = 0; ended == 0;)
            REQUIRE(fardel_install_poll(install, 100, &ended, nullptr) == FARDEL_OK);
        return seen.code;
    };
    CHECK(run() == FARDEL_ERROR_CONFLICT);
    REQUIRE(fardel_install_author(install, 0) != nullptr);
    const std::string accepted = fardel_install_author(install, 0);
    CHECK(accepted == "castle=" + mods.other->public_key().hex());
    CHECK(fardel_install_author(install, 1) == nullptr);
    fardel_install_close(install);
    const char* const text = accepted.c_str();
    options.accepted_authors = &text;
    options.accepted_author_count = 1;
    CHECK(run() == FARDEL_OK);
    CHECK(fardel_install_author(install, 0) == nullptr);
    fardel_install_close(install);
    const char* const wrong = "castle";
    options.accepted_authors = &wrong;
    CHECK(fardel_install_start(store, &options, &install, nullptr) == FARDEL_ERROR_MALFORMED);
    CHECK(fardel_install_author(nullptr, 0) == nullptr);
    fardel_store_close(store);
}

TEST_CASE("install: from C, names are installed, read without servers, updated and removed") {
    const TwoMods mods;
    const CStore store(mods.site.scratch);
    const CServers servers(mods.site.url());
    const std::string root = root_file(sample_root()), state = mods.site.scratch.path("state"),
                      lock = mods.player.lock();
    fardel_channel_options channel = FARDEL_CHANNEL_OPTIONS_INIT;
    fardel_install_options options = FARDEL_INSTALL_OPTIONS_INIT;
    fardel_install* install = nullptr;
    CHECK(fardel_install_start(store, &options, &install, nullptr) == FARDEL_ERROR_ARGUMENT);
    channel.name = kSampleChannel;
    channel.root_text = root.c_str();
    channel.state_folder = state.c_str();
    channel.servers = &servers.options;
    channel.now_s = kChannelNow.seconds;
    options.lock = lock.c_str();
    options.channel = &channel;
    options.planned = plan_seen;
    options.ended = end_seen;
    const auto run = [&](std::vector<const char*> names, std::uint32_t flags, CInstalled& seen) {
        options.names = names.data();
        options.name_count = names.size();
        options.flags = flags;
        options.context = &seen;
        REQUIRE(fardel_install_start(store, &options, &install, nullptr) == FARDEL_OK);
        for (std::int32_t ended = 0; ended == 0;)
            REQUIRE(fardel_install_poll(install, 100, &ended, nullptr) == FARDEL_OK);
        CHECK(seen.ended == 1);
    };
    CInstalled conflict;
    run({"forest > 3"}, 0, conflict);
    CHECK(conflict.code == FARDEL_ERROR_UNRESOLVED);
    REQUIRE(fardel_install_conflict(install, 0) != nullptr);
    CHECK(std::string(fardel_install_conflict(install, 0)).find("forest") != std::string::npos);
    CHECK(fardel_install_conflict(install, 1) == nullptr);
    fardel_install_close(install);
    CInstalled first;
    run({"castle", "forest"}, 0, first);
    fardel_install_close(install);
    CHECK(first.code == FARDEL_OK);
    CHECK(first.asked == 1);
    CHECK(first.fetch_bytes > 0);
    CHECK(first.names == "base 1.0\nbase 2.0\ncastle 1.0 root\nforest 1.0 root\n");
    CHECK(first.resolved == 2);
    CHECK(TrustPolicy::parse(first.policy));
    channel.name = nullptr;
    channel.servers = nullptr;  // the sources of the lock file, which a stranger may have written
    CInstalled refused;
    run({}, FARDEL_INSTALL_UPDATE, refused);
    fardel_install_close(install);
    CHECK(refused.code == FARDEL_ERROR_DENIED);
    const char* const own_host = "127.0.0.1";
    fardel_server_options allowed = FARDEL_SERVER_OPTIONS_INIT;
    allowed.allowed_hosts = &own_host;
    allowed.allowed_host_count = 1;
    channel.servers = &allowed;
    CInstalled again;
    run({}, FARDEL_INSTALL_UPDATE, again);
    fardel_install_cancel(install);
    fardel_install_close(install);
    CHECK(again.code == FARDEL_OK);
    CHECK(again.fetch_bytes == 0);
    const char* const castle = "castle";
    REQUIRE(fardel_install_remove(store, lock.c_str(), &castle, 1, nullptr) == FARDEL_OK);
    CHECK(fardel_install_remove(store, lock.c_str(), &castle, 1, nullptr) == FARDEL_ERROR_MISSING);
    CInstalled read;
    REQUIRE(fardel_install_read(store, lock.c_str(), &channel, set_seen, &read, nullptr) == FARDEL_OK);
    CHECK(read.names == "base 2.0\nforest 1.0 root\n");
    fardel_install_close(nullptr);
    fardel_install_refuse(nullptr, nullptr);
    CHECK(fardel_install_conflict(nullptr, 0) == nullptr);
}

}  // namespace fardel::tests::install_test
