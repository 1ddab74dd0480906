// A registry whose disk fails, or that is killed, at any call while it takes a bundle, recalls one, or is checked.
#include "wire_registry.h"

#include "kit/failing_call.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/registry_check.h>

#include <array>
#include <cerrno>
#include <map>

namespace fardel::tests::registry_faults_test {

#if defined(FARDEL_CAN_FAIL_CALLS)

using Files = std::map<std::string, std::string>;

// All files, except what anybody but the registry never sees.
Files public_files(const std::string& folder) {
    Files files = files_below(folder);
    std::erase_if(files, [](const auto& file) { return file.first.starts_with(".fardel-"); });
    return files;
}

bool has_file(const Files& files, const std::string& path, const std::string& bytes) {
    const auto found = files.find(path);
    return found != files.end() && found->second == bytes;
}

void check_file(const std::string& path, bool is_good) {
    CAPTURE(path);
    CHECK(is_good);
}

// A registry with one bundle, and what it does with a second one.
struct FaultySite : FolderRegistry {
    FaultySite() {
        first = make_memory_source(bytes_of(signed_by(*author, map_version("1"))));
        second = make_memory_source(bytes_of(signed_by(*author, map_version("2"))));
        require_good(accept(first));
        std::filesystem::copy(tree, saved, std::filesystem::copy_options::recursive);
        before = public_files(tree);
    }

    Status accept(const std::shared_ptr<const ByteSource>& file) const {
        FARDEL_TRY_ASSIGN(const RegistryAnswer answer, registry->accept(file, author->public_key(), {}));
        return answer.outcome == RegistryOutcome::refused ? Error(ErrorCode::denied, answer.refusals.front().text)
                                                          : ok();
    }

    Status recall() const {
        FARDEL_TRY(registry->recall(value_of(Bundle::open(first, {}))->id(), "it crashes", nullptr));
        return ok();
    }

    void restore() {
        std::filesystem::remove_all(tree);
        std::filesystem::copy(saved, tree, std::filesystem::copy_options::recursive);
    }

    // Each file is as before or as after; a head names a release that is there, and a release bundles that are.
    void check_visible(const std::string& folder, const Files& after) const {
        const Files now = public_files(folder);
        for (const auto& [path, bytes] : now) {
            check_file(path, has_file(before, path, bytes) || has_file(after, path, bytes));
        }
        const std::string head = channel_head_path("hub/stable");
        for (const Files* const state : {&before, &after})
            if (state->contains(head) && now.contains(head) && state->at(head) == now.at(head))
                for (const auto& [path, bytes] : *state)
                    if (path.ends_with(".fardel") || path == head)
                        check_file(path, has_file(now, path, bytes));
        CHECK(now.contains(head));
    }

    void check_clean(std::size_t released, std::size_t recalled) const {
        const RegistryCheck check = value_of(check_registry(tree, {.now = kNow, .stop = {}}));
        for (const RegistryProblem& problem : check.problems)
            FAIL_CHECK(problem.path << ": " << problem.text);
        CHECK(check.released == released);
        CHECK(check.recalled == recalled);
    }

    const std::unique_ptr<Signer> author = make_key_signer(SecretKey::generate());
    const std::string saved = disk.path("saved");
    std::shared_ptr<const ByteSource> first, second;
    Files before;
};

constexpr int kCallsMax = 3000;
enum ChildEnd : int { done, repeated, failed_twice };

const std::vector<int> kErrors{ENOSPC, EIO, EROFS};  // in turn: how they are handled does not depend on which it is

// `work` fails at its n-th call, for each n. What is visible then is checked as it is and after the same process has
// repeated the work. Returns how often it had to.
template <class Work, class Check>
int fail_at_each_call(FaultySite& site, const Files& after, Work work, Check check) {
    const std::string seen = site.disk.path("seen");  // the folder between the two attempts
    int repeats = 0;
    const auto prepare = [&] {
        site.restore();
        std::filesystem::remove_all(seen);
    };
    const auto try_twice = [&] {
        if (work())
            return done;
        std::error_code failure;
        std::filesystem::copy(site.tree, seen, std::filesystem::copy_options::recursive, failure);
        return !failure && work() ? repeated : failed_twice;
    };
    fail_each_call(kCallsMax, kErrors, prepare, try_twice, [&](const FailedCall& outcome) {
        CHECK(outcome.exit_code != failed_twice);
        if (outcome.exit_code == repeated) {
            ++repeats;
            site.check_visible(seen, after);
        }
        check();
    });
    return repeats;
}

// A102
TEST_CASE(
    "registry: when any call fails while a bundle is accepted, nothing is half visible, and a repeat accepts it") {
    FaultySite site;
    require_good(site.accept(site.second));
    const Files after = public_files(site.tree);
    site.restore();
    site.open();
    const int repeats = fail_at_each_call(
        site, after, [&] { return static_cast<bool>(site.accept(site.second)); }, [&] { site.check_clean(2, 0); });
    CHECK(repeats > 50);
}

// A102
TEST_CASE(
    "registry: when any call fails while a bundle is recalled, nothing is half visible, and a repeat recalls it") {
    FaultySite site;
    require_good(site.recall());
    const Files after = public_files(site.tree);
    site.restore();
    site.open();
    const int repeats = fail_at_each_call(
        site, after, [&] { return static_cast<bool>(site.recall()); }, [&] { site.check_clean(0, 1); });
    CHECK(repeats > 20);
}

TEST_CASE("registry: killed at any change while a bundle is accepted, the next start goes on") {  // A100
    FaultySite site;
    require_good(site.accept(site.second));
    const Files after = public_files(site.tree);
    site.restore();
    site.open();
    const auto verify = [&](int, bool) {
        site.open();
        require_good(site.accept(site.second));
        site.check_clean(2, 0);
        const Files now = public_files(site.tree);
        const std::string page = "names/maps/dm.html";
        CHECK(now.at(page) == after.at(page));
        site.restore();
        site.open();
    };
    kill_at_each_call(
        kCallsMax, [&] { site.restore(); }, [&] { return site.accept(site.second) ? 0 : 1; }, verify);
}

// The name "maps/new" of a bundle that nobody has brought before.
struct NewNameSite : FaultySite {
    NewNameSite() { second = make_memory_source(bytes_of(signed_by(*author, map_named("maps/new", "1")))); }

    // Whether a stranger gets the name once the registry has started again without the bundle.
    bool gives_name_away() {
        open();
        std::filesystem::remove_all(tree + "/bundles");
        std::filesystem::create_directory(tree + "/bundles");
        open();
        const auto answer = registry->accept(
            make_memory_source(bytes_of(signed_by(*thief, map_named("maps/new", "2")))), thief->public_key(), {});
        return !answer || answer->outcome != RegistryOutcome::refused ||
               std::ranges::count(answer->refusals, "name-owned", &RegistryRefusal::reason) != 1;
    }
    const std::unique_ptr<Signer> thief = make_key_signer(SecretKey::generate());
};

TEST_CASE("registry: when any call fails while a name is new, an author to whom it was given keeps it") {  // A146
    NewNameSite site;
    require_good(site.accept(site.second));
    const Files after = public_files(site.tree);
    check_has(after.at("registry.names"), "maps/new " + site.author->public_key().hex());
    site.restore();
    site.open();
    const int repeats = fail_at_each_call(
        site, after, [&] { return static_cast<bool>(site.accept(site.second)); }, [&] { site.check_clean(2, 0); });
    CHECK(repeats > 50);
}

TEST_CASE("registry: killed at any change while a name is new, it is its author's from the release on") {  // A146
    NewNameSite site;
    const auto verify = [&](int, bool) {
        site.open();
        const bool is_released = read_file(site.tree + "/registry.json").find("maps/new") != std::string::npos;
        CHECK(site.gives_name_away() == !is_released);
        site.restore();
        site.open();
    };
    kill_at_each_call(
        kCallsMax, [&] { site.restore(); }, [&] { return site.accept(site.second) ? 0 : 1; }, verify);
}

TEST_CASE("registry: when any call fails at the start, a name still belongs to its author") {  // A102
    FaultySite site;
    site.registry.reset();
    const auto thief = make_key_signer(SecretKey::generate());
    const auto stolen = make_memory_source(bytes_of(signed_by(*thief, map_version("3"))));
    int failures = 0;
    const auto steal = [&] {
        const auto started =
            Registry::open({.folder = site.tree, .signers = site.new_signers(), .now = [] { return kNow; }});
        if (!started)
            return repeated;
        const auto answer = (*started)->accept(stolen, thief->public_key(), {});
        return answer && answer->outcome == RegistryOutcome::accepted ? failed_twice : done;
    };
    fail_each_call(
        kCallsMax, kErrors, [&] { site.restore(); }, steal,
        [&](const FailedCall& outcome) {
            failures += outcome.exit_code == repeated ? 1 : 0;
            CHECK(outcome.exit_code != failed_twice);
        });
    CHECK(failures > 20);
}

TEST_CASE("registry fsck: when any call fails, a repeat writes every page again") {  // A102
    FaultySite site;
    for (const auto& [path, bytes] : site.before)
        if (path.ends_with(".html") || path.ends_with(".json") || path.ends_with(".tables"))
            std::filesystem::remove(site.saved + "/" + path);
    fail_each_call(
        kCallsMax, kErrors, [&] { site.restore(); },
        [&] { return check_registry(site.tree, {.now = kNow, .stop = {}}) ? done : repeated; },
        [&](const FailedCall&) {
            for (const auto& [path, bytes] : public_files(site.tree))
                check_file(path, has_file(site.before, path, bytes));
            site.check_clean(1, 0);
            CHECK(public_files(site.tree) == site.before);
        });
}
#endif

}  // namespace fardel::tests::registry_faults_test
