// Vfs::poll for bundle files that are replaced, and for projects.
#include "kit/files.h"
#include "vfs/test_bundle.h"

#include <fardel/base/file.h>
#include <fardel/sources/project_reader.h>

namespace fardel::tests::content_watch_test {

// As a build does it.
void replace_file(const ScratchFolder& scratch, std::string_view name, const Bytes& bytes) {
    const std::string written = scratch.write(std::string(name) + ".tmp", bytes);
    REQUIRE(rename_file(written, scratch.path(name), name));
}

Bytes game(std::string_view content) { return BundleMaker().add("a", content).add("b", "stays").write(); }

MountOptions watched() { return {.allow_unsigned = true, .watch = true}; }

std::string paths_of(const Result<std::vector<AssetChange>>& changes) {
    if (!changes)
        return changes.error().text();
    std::string paths;
    for (const AssetChange& change : *changes)
        paths += (paths.empty() ? "" : " ") + change.path;
    return paths;
}

// A file that was just written is left alone for a moment if it is bad.
std::string next_error(Vfs& vfs) {
    std::string error;
    REQUIRE(wait_until([&] {
        error = outcome_of(vfs.poll());
        return error != "ok";
    }));
    return error;
}

TEST_CASE("content watch: poll shows the bundle that has taken the path of a mounted one") {
    const ScratchFolder scratch;
    replace_file(scratch, "game.fardel", game("first"));
    Vfs vfs;
    const MountId id = value_of(vfs.mount(scratch.path("game.fardel"), watched()));
    CHECK(paths_of(vfs.poll()).empty());
    const File open = value_of(vfs.open("a"));

    replace_file(scratch, "game.fardel", game("second"));
    CHECK(content_at(vfs, "a") == "first");
    const auto changes = value_of(vfs.poll());
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].path == "/a");
    CHECK(changes[0].before == id_of("first"));
    CHECK(changes[0].after == id_of("second"));
    CHECK(content_at(vfs, "a") == "second");
    CHECK(text_of(value_of(open.read_all())) == "first");
    CHECK(vfs.mounts().front().id == id);
    CHECK(paths_of(vfs.poll()).empty());

    fs::remove(scratch.path("game.fardel"));  // somebody is about to write another one
    CHECK(paths_of(vfs.poll()).empty());
    CHECK(content_at(vfs, "a") == "second");
    replace_file(scratch, "game.fardel", game("third"));
    CHECK(paths_of(vfs.poll()) == "/a");
    CHECK(content_at(vfs, "a") == "third");
}

TEST_CASE("content watch: a bundle without `watch`, or that was replaced by another mount's content, is not followed") {
    const ScratchFolder scratch;
    replace_file(scratch, "game.fardel", game("first"));
    replace_file(scratch, "mod.fardel", game("mod"));
    Vfs vfs;
    value_of(vfs.mount(scratch.path("game.fardel"), unsigned_at()));
    const MountId mod = value_of(vfs.mount(scratch.path("mod.fardel"), watched()));
    value_of(vfs.replace(mod, {make_memory_source(game("other")), unsigned_at()}));
    replace_file(scratch, "game.fardel", game("second"));
    replace_file(scratch, "mod.fardel", game("third"));
    CHECK(paths_of(vfs.poll()).empty());
    CHECK(content_at(vfs, "a") == "other");
}

TEST_CASE("content watch: a bad new bundle leaves the mount as it was and is an error once") {
    const ScratchFolder scratch;
    replace_file(scratch, "game.fardel", game("first"));
    Vfs vfs;
    value_of(vfs.mount(scratch.path("game.fardel"), watched()));
    for (const std::string_view bad : {"no bundle at all", "", "FARDEL"}) {
        replace_file(scratch, "game.fardel", bytes_of(bad));
        CHECK(next_error(vfs) != "ok");
        CHECK(paths_of(vfs.poll()).empty());
        CHECK(paths_of(vfs.poll()).empty());
        CHECK(content_at(vfs, "b") == "stays");
    }
    replace_file(scratch, "game.fardel", game("second"));
    CHECK(paths_of(vfs.poll()) == "/a");
}

TEST_CASE("content watch: a new bundle is judged by the policy of the first one, which the caller need not keep") {
    const ScratchFolder scratch;
    Author author, stranger;
    replace_file(scratch, "game.fardel", author.sign(game("first")));
    Vfs vfs;
    {
        const TrustPolicy policy = author.policy();
        value_of(vfs.mount(scratch.path("game.fardel"), {.policy = &policy, .watch = true}));
    }
    replace_file(scratch, "game.fardel", game("unsigned"));
    CHECK(next_error(vfs) == "untrusted");
    CHECK(content_at(vfs, "a") == "first");
    replace_file(scratch, "game.fardel", stranger.sign(game("strange")));
    CHECK(next_error(vfs) == "untrusted");
    CHECK_FALSE(vfs.tainted());
    replace_file(scratch, "game.fardel", author.sign(game("second")));
    CHECK(paths_of(vfs.poll()) == "/a");
    CHECK_FALSE(vfs.tainted());
}

TEST_CASE("content watch: an error of one mount does not take away what changed in another one") {
    const ScratchFolder scratch;
    for (const char* name : {"1.fardel", "2.fardel", "3.fardel"})
        replace_file(scratch, name, BundleMaker().add(name, "first").write());
    Vfs vfs;
    for (const char* name : {"1.fardel", "2.fardel", "3.fardel"})
        value_of(vfs.mount(scratch.path(name), watched()));
    replace_file(scratch, "1.fardel", BundleMaker().add("1.fardel", "second").write());
    replace_file(scratch, "2.fardel", bytes_of("no bundle"));
    replace_file(scratch, "3.fardel", BundleMaker().add("3.fardel", "second").write());
    grow_old();
    CHECK(paths_of(vfs.poll()) == "/1.fardel /3.fardel");
    CHECK(outcome_of(vfs.poll()) != "ok");
    CHECK(paths_of(vfs.poll()).empty());
    CHECK(content_at(vfs, "2.fardel") == "first");
}

// ---- Projects -------------------------------------------------------------------------------------------------------

// What the project of a test is now.
struct FakeState {
    std::string content = "first";
    std::optional<ErrorCode> error;
    bool changed = false;
    int reads = 0;
    bool watch = false;
};

class FakeProject final : public OpenProject {
public:
    explicit FakeProject(FakeState& state) : state_(state) {}
    Result<ProjectBundle> read(const std::stop_token&) override {
        state_.changed = false;
        ++state_.reads;
        if (state_.error)
            return Error(*state_.error, "a mistake in the project");
        return ProjectBundle{.source = make_memory_source(game(state_.content)), .report = {}};
    }
    Result<bool> has_changed() override { return state_.changed; }

private:
    FakeState& state_;
};

class FakeReader final : public ProjectReader {
public:
    explicit FakeReader(FakeState& state) : state_(state) {}
    std::unique_ptr<OpenProject> open(const std::string&, ProjectOptions options) const override {
        state_.watch = options.watch;
        return std::make_unique<FakeProject>(state_);
    }

private:
    FakeState& state_;
};

TEST_CASE("content watch: a project needs a reader and, being unsigned, the game's word") {
    const ScratchFolder scratch;
    const std::string file = scratch.write("fardel.toml", "name = \"game\"\n");
    FakeState state;
    Vfs vfs;
    const auto refused = vfs.mount(file, unsigned_at());
    CHECK(outcome_of(refused) == "unsupported");
    CHECK(refused.error().message().find("make_project_reader()") != std::string::npos);
    CHECK(outcome_of(vfs.mount(file, {.projects = std::make_shared<FakeReader>(state)})) == "untrusted");
    CHECK(outcome_of(vfs.mount(scratch.path("none.toml"), unsigned_at())) == "missing");
    CHECK(state.reads == 0);
    value_of(vfs.mount(file, {.allow_unsigned = true, .projects = std::make_shared<FakeReader>(state)}));
    CHECK_FALSE(state.watch);
    CHECK(content_at(vfs, "a") == "first");
    CHECK(vfs.tainted());
    CHECK(mount_kind_text(vfs.mounts().front().kind) == "project");
}

TEST_CASE("content watch: a project is read again when it has changed, and its mistakes are reported once") {
    const ScratchFolder scratch;
    FakeState state;
    Vfs vfs;
    const MountId id =
        value_of(vfs.mount(scratch.write("fardel.toml", ""),
                           {.allow_unsigned = true, .watch = true, .projects = std::make_shared<FakeReader>(state)}));
    CHECK(state.watch);
    CHECK(paths_of(vfs.poll()).empty());
    CHECK(state.reads == 1);

    state.content = "second";
    state.changed = true;
    CHECK(paths_of(vfs.poll()) == "/a");
    CHECK(content_at(vfs, "a") == "second");

    state.error = ErrorCode::malformed;
    state.changed = true;
    CHECK(outcome_of(vfs.poll()) == "malformed");
    CHECK(outcome_of(vfs.poll()) == "ok");
    CHECK(state.reads == 3);
    CHECK(content_at(vfs, "a") == "second");

    // A build of the project runs beside: the change waits for it.
    state.error = ErrorCode::busy;
    state.content = "third";
    state.changed = true;
    CHECK(paths_of(vfs.poll()).empty());
    CHECK(paths_of(vfs.poll()).empty());
    CHECK(state.reads == 5);
    state.error.reset();
    CHECK(paths_of(vfs.poll()) == "/a");
    CHECK(paths_of(vfs.poll()).empty());

    state.content = "fourth";
    CHECK(paths_of(vfs.refresh(id)) == "/a");
    CHECK(content_at(vfs, "a") == "fourth");
}

}  // namespace fardel::tests::content_watch_test
