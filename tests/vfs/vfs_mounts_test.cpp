#include <fardel/format/manifest.h>
#include <fardel/sources/archive_reader.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/vfs.h>

#include "kit/archives.h"
#include "kit/bundles.h"
#include "kit/emulator.h"
#include "kit/files.h"
#include "kit/portable.h"
#include "test_bundle.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace fardel::tests::vfs_mounts_test {

MountRequest request(Bytes bundle, MountOptions options = unsigned_at()) {
    return {.subject = make_memory_source(std::move(bundle)), .options = std::move(options)};
}

std::string labels(const Vfs& vfs) {
    std::string out;
    for (const MountDescription& mount : vfs.mounts())
        out += (out.empty() ? "" : " ") + mount.label;
    return out;
}

// "/added+ /changed~ /gone-"
std::string paths_of(const std::vector<AssetChange>& changes) {
    std::string out;
    for (const AssetChange& change : changes)
        out += (out.empty() ? "" : " ") + change.path + (change.before ? change.after ? "~" : "-" : "+");
    return out;
}

// Polls until something has changed; a watch may need a second or two.
std::vector<AssetChange> poll_until_changed(Vfs& vfs) {
    std::vector<AssetChange> changes;
    REQUIRE_MESSAGE(wait_until([&] {
                        changes = value_of(vfs.poll());
                        return !changes.empty();
                    }),
                    "no change was seen");
    return changes;
}

// Reads archives, but waits at a closed gate before it does.
class GatedReader final : public ArchiveReader {
public:
    Status list(std::shared_ptr<const ByteSource> bytes, std::string_view format, const std::string& path,
                SourceListing& listing) const override {
        {
            std::unique_lock lock(mutex_);
            ++waiting_;
            changed_.notify_all();
            changed_.wait(lock, [this] { return open_; });
            --waiting_;
        }
        return reader_->list(std::move(bytes), format, path, listing);
    }
    void close() const { set(false); }
    void open() const { set(true); }
    void wait_for_a_scan() const {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_ > 0; });
    }

private:
    void set(bool open) const {
        const std::scoped_lock lock(mutex_);
        open_ = open;
        changed_.notify_all();
    }
    std::shared_ptr<const ArchiveReader> reader_ = make_archive_reader();
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable bool open_ = true;
    mutable int waiting_ = 0;
};

// An archive that is mounted and whose refresh has come to the gate.
struct StoppedRefresh {
    ScratchFolder scratch;
    std::shared_ptr<GatedReader> reader = std::make_shared<GatedReader>();
    Vfs vfs;
    MountId id{};
    std::string outcome;  // of the refresh, once it has ended
    std::jthread thread;

    StoppedRefresh() {
        write("old");
        MountOptions options = unsigned_at();
        options.archives = reader;
        id = vfs.mount(scratch.path("pak0.pk3"), options).value();
        write("new");
        reader->close();
        thread = std::jthread([this] {
            const auto changes = vfs.refresh(id);
            outcome = changes ? paths_of(*changes) : outcome_of(changes);
        });
        reader->wait_for_a_scan();
    }
    ~StoppedRefresh() { reader->open(); }
    std::string finish() {
        reader->open();
        thread.join();
        return outcome;
    }
    // The archive with one file of that name, whose content is "hello".
    void write(std::string_view name) {
        std::filesystem::remove(scratch.path("pak0.pk3"));
        scratch.write("pak0.pk3", build_zip({{.name = std::string(name), .content = "hello"}}));
    }
};

TEST_CASE("apply: a whole set is changed in one step, later ones win") {
    Vfs vfs;
    const MountId old_map = mount(vfs, BundleMaker().add("map", "old").write(), labelled("old"));
    const MountId base =
        mount(vfs, BundleMaker().add("base", "base").add("map", "default").write(), labelled("base", -1));
    MountChange change;
    change.unmount = {old_map};
    change.mount.push_back(request(BundleMaker().add("map", "new").write(), labelled("new")));
    change.mount.push_back(request(BundleMaker().add("map", "newer").write(), labelled("newer")));
    const auto ids = vfs.apply(std::move(change));
    REQUIRE(ids);
    REQUIRE(ids->size() == 2);
    CHECK(labels(vfs) == "newer new base");
    CHECK(content_at(vfs, "/map") == "newer");

    MountChange reorder;
    reorder.prioritise = {{.mount = (*ids)[0], .priority = 0}, {.mount = base, .priority = 0}};
    REQUIRE(vfs.apply(std::move(reorder)));
    CHECK(labels(vfs) == "base new newer");
    CHECK(content_at(vfs, "/map") == "default");
}

TEST_CASE("apply: on any error nothing is changed") {
    Vfs vfs;
    const Bytes kept_bundle = BundleMaker().add("a", "kept").write();
    const MountId kept = mount(vfs, kept_bundle, labelled("kept"));
    const auto refused = [&](MountChange change, std::string_view code) {
        CHECK(outcome_of(vfs.apply(std::move(change))) == code);
        CHECK(labels(vfs) == "kept");
        CHECK(content_at(vfs, "/a") == "kept");
    };
    const auto with = [&](MountRequest wanted) {
        MountChange change;
        change.unmount = {kept};
        change.mount.push_back(request(BundleMaker().add("b", "good").write()));
        change.mount.push_back(std::move(wanted));
        return change;
    };
    refused(with(request(bytes_of("no bundle"))), "malformed");
    refused(with(request(kept_bundle, {})), "untrusted");
    refused(with({.subject = std::string("/nowhere/at/all"), .options = unsigned_at()}), "missing");
    refused(with(request(BundleMaker().add("c", "c").write(), unsigned_at("assets"))), "denied");
    refused(with(request(BundleMaker().add("b", "good").write())), "conflict");
    MountChange unknown;
    unknown.mount.push_back(request(BundleMaker().add("b", "good").write()));
    unknown.unmount = {MountId{77}};
    refused(std::move(unknown), "missing");
    MountChange twice;
    twice.unmount = {kept, kept};
    refused(std::move(twice), "missing");
    MountChange reorder;
    reorder.unmount = {kept};
    reorder.prioritise = {{.mount = kept, .priority = 4}};
    refused(std::move(reorder), "missing");
}

TEST_CASE("apply: hundreds of mounts are added and removed in one step") {
    Vfs vfs;
    MountChange all;
    for (int i = 0; i < 300; ++i)
        all.mount.push_back(
            request(BundleMaker().add("own " + std::to_string(i), "x").add("all", std::to_string(i)).write()));
    const auto ids = vfs.apply(std::move(all)).value();
    CHECK(content_at(vfs, "/all") == "299");
    CHECK(content_at(vfs, "/own 0") == "x");
    MountChange next;
    next.unmount = ids;
    next.mount.push_back(request(BundleMaker().add("all", "one").write()));
    REQUIRE(vfs.apply(std::move(next)));
    CHECK(vfs.mounts().size() == 1);
    CHECK(content_at(vfs, "/all") == "one");
    CHECK(outcome_of(vfs.open("/own 0")) == "missing");
}

TEST_CASE("replace: a mount gets other content under the same id, and the changes are reported") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("over", "hidden by all").write(), labelled("top", 9));
    const MountId id =
        mount(vfs, BundleMaker().add("same", "same").add("edited", "1").add("gone", "g").add("over", "1").write(),
              labelled("map"));
    mount(vfs, BundleMaker().add("gone", "from below").write(), labelled("base", -1));
    const File open = vfs.open("/edited").value();
    const auto changes = vfs.replace(
        id, request(BundleMaker().add("same", "same").add("edited", "2").add("added", "a").add("over", "2").write(),
                    labelled("map 2")));
    REQUIRE(changes);
    CHECK(paths_of(*changes) == "/added+ /edited~ /gone~");
    CHECK((*changes)[1].before == id_of("1"));
    CHECK((*changes)[1].after == id_of("2"));
    CHECK((*changes)[2].after == id_of("from below"));
    CHECK(labels(vfs) == "top map 2 base");
    CHECK(vfs.mounts().at(1).id == id);
    CHECK(content_at(vfs, "/edited") == "2");
    CHECK(text_of(open.read_all().value()) == "1");
    CHECK(outcome_of(vfs.replace(id, request(bytes_of("no bundle")))) == "malformed");
    CHECK(content_at(vfs, "/edited") == "2");
    CHECK(outcome_of(vfs.replace(MountId{99}, request(BundleMaker().add("x", "x").write()))) == "missing");
    CHECK(outcome_of(vfs.refresh(id)) == "unsupported");
}

TEST_CASE(
    "replace: files swapped, renamed in case, and turned into folders and back give exactly the new tree") {  // A19
    const auto old_version = [] {
        BundleMaker maker;
        maker.add("a", "first").add("b", "second").add("Readme", "text").add("file", "was a file");
        return maker.add("folder/inner", "was in a folder").add("gone", "gone").write();
    };
    const auto new_version = [] {
        BundleMaker maker;
        maker.add("a", "second").add("b", "first").add("README", "text").add("file/inner", "is in a folder");
        return maker.add("folder", "is a file").add("new", "new").write();
    };
    const auto tree_of = [](const Vfs& vfs) {
        std::string text = listing_of(vfs, "/") + "|" + listing_of(vfs, "/file") + "|" + listing_of(vfs, "/folder");
        for (const char* path : {"/a", "/b", "/readme", "/Readme", "/README", "/file", "/FILE/inner", "/file/inner",
                                 "/folder", "/folder/inner", "/gone", "/new"})
            text += std::string("\n") + path + ": " + (vfs.exists(path) ? content_at(vfs, path) : "-");
        return text;
    };
    for (const CaseRule rule : {CaseRule::exact, CaseRule::fold}) {
        const auto options = [&](int priority) {
            MountOptions with = labelled("game", priority);
            with.case_rule = rule;
            return with;
        };
        Vfs fresh;
        mount(fresh, new_version(), options(0));
        Vfs updated;
        const MountId id = mount(updated, old_version(), options(0));
        const std::string before = tree_of(updated);
        REQUIRE(updated.replace(id, request(new_version(), options(0))));
        CHECK(tree_of(updated) == tree_of(fresh));
        CHECK(content_at(updated, "/a") == "second");
        CHECK(content_at(updated, rule == CaseRule::fold ? "/FILE/INNER" : "/file/inner") == "is in a folder");
        CHECK_FALSE(updated.exists("/folder/inner"));
        REQUIRE(updated.replace(id, request(old_version(), options(0))));
        CHECK(tree_of(updated) == before);
    }
}

TEST_CASE("replace: a path that a damaged mount decides is reported with the reason") {
    Vfs vfs;
    const MountId id = mount(vfs, BundleMaker().add("a", "1").write());
    mount(vfs, damage_table(BundleMaker().add("a", "x").write(), TableKind::name_buckets), unsigned_at("", 1));
    const auto changes = vfs.replace(id, request(BundleMaker().add("a", "2").write())).value();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].path == "/a");
    REQUIRE(changes[0].error);
    CHECK(changes[0].error->code() == ErrorCode::corrupt);

    const Bytes unnamed = damage_table(BundleMaker().add("a", "3").write(), TableKind::names);
    const auto unlisted = vfs.replace(id, request(unnamed)).value();
    REQUIRE(!unlisted.empty());
    CHECK(unlisted.back().path == "/");
    CHECK(unlisted.back().error.has_value());
}

TEST_CASE("replace: verdicts about the old content do not apply to the new content") {
    Vfs vfs;
    const std::string told_text = noise_text(30'000, 1), true_text = noise_text(30'000, 2);
    const Bytes good = BundleMaker().add("a", told_text).write();
    const MountId id = mount(vfs, good);
    CHECK(content_at(vfs, "/assets/" + id_of(told_text).hex()) == told_text);
    REQUIRE(vfs.replace(id, request(forge_content(good, told_text, true_text))));
    CHECK(outcome_of(vfs.open("/assets/" + id_of(told_text).hex())) == "corrupt");
}

TEST_CASE("refresh: a folder's edits, additions and removals are reported with old and new ids") {
    const ScratchFolder scratch;
    scratch.write("game/same", "same");
    scratch.write("game/edited", "1");
    scratch.write("game/gone", "gone");
    Vfs vfs;
    const MountId id = vfs.mount(scratch.path("game"), unsigned_at("mod")).value();
    CHECK(vfs.refresh(id).value().empty());
    scratch.write("game/edited", "two");
    scratch.write("game/new/file", "new");
    std::filesystem::remove(scratch.path("game/gone"));
    const auto changes = vfs.refresh(id).value();
    CHECK(paths_of(changes) == "/mod/edited~ /mod/gone- /mod/new/file+");
    CHECK(changes[0].before == id_of("1"));
    CHECK(changes[0].after == id_of("two"));
    CHECK(content_at(vfs, "/mod/new/file") == "new");
    CHECK(content_at(vfs, "/mod/same") == "same");
}

TEST_CASE("refresh: nothing else waits while it scans") {
    StoppedRefresh stopped;
    Vfs& vfs = stopped.vfs;
    const MountId other = mount(vfs, BundleMaker().add("a", "1").write());
    CHECK(content_at(vfs, "/a") == "1");
    CHECK(paths_of(vfs.replace(other, request(BundleMaker().add("a", "2").write())).value()) == "/a~");
    vfs.prefer({});
    CHECK_FALSE(vfs.enter_pure(PurePolicy::make({}).value()).empty());
    CHECK(vfs.pure_report());
    vfs.leave_pure();
    REQUIRE(vfs.unmount(other));
    CHECK(vfs.poll().value().empty());
    CHECK(vfs.mounts().size() == 1);
    CHECK(content_at(vfs, "/old") == "hello");
    CHECK(stopped.finish() == "/new+ /old-");
    CHECK(content_at(vfs, "/new") == "hello");
}

TEST_CASE("refresh: a mount that is removed meanwhile is missing") {
    StoppedRefresh stopped;
    REQUIRE(stopped.vfs.unmount(stopped.id));
    CHECK(stopped.finish() == "missing");
    CHECK(stopped.vfs.mounts().empty());
}

TEST_CASE("refresh: a mount that is replaced meanwhile keeps the new content") {
    StoppedRefresh with_bundle;
    REQUIRE(with_bundle.vfs.replace(with_bundle.id, request(BundleMaker().add("a", "bundle").write())));
    CHECK(with_bundle.finish() == "unsupported");  // as a refresh after the replacement
    CHECK(content_at(with_bundle.vfs, "/a") == "bundle");

    StoppedRefresh with_folder;
    with_folder.scratch.write("game/a", "folder");
    REQUIRE(with_folder.vfs.replace(with_folder.id,
                                    {.subject = with_folder.scratch.path("game"), .options = unsigned_at()}));
    CHECK(with_folder.finish() == "");  // the folder has been scanned again
    CHECK(content_at(with_folder.vfs, "/a") == "folder");
    CHECK(outcome_of(with_folder.vfs.open("/old")) == "missing");
}

TEST_CASE("refresh: an unmount does not wait for it, and a replacement wins") {
    const ScratchFolder scratch;
    scratch.write("game/a", "folder");
    Vfs vfs;
    MountId id = vfs.mount(scratch.path("game"), unsigned_at()).value();
    // Each round meets the refresh at another moment; every order gives one of the same few results.
    for (int round = 0; round < 20; ++round) {
        const bool replaced = round % 2 == 0;
        std::string outcome;
        std::jthread refreshing([&] { outcome = outcome_of(vfs.refresh(id)); });
        if (replaced)
            REQUIRE(vfs.replace(id, request(BundleMaker().add("a", "bundle").write())));
        else
            REQUIRE(vfs.unmount(id));
        refreshing.join();
        CHECK_MESSAGE((outcome == "ok" || outcome == (replaced ? "unsupported" : "missing")), outcome);
        if (replaced) {
            CHECK(content_at(vfs, "/a") == "bundle");
            REQUIRE(vfs.unmount(id));
        }
        CHECK(vfs.mounts().empty());
        id = vfs.mount(scratch.path("game"), unsigned_at()).value();
    }
}

TEST_CASE("poll: a change in a watched folder is reported, at any depth, and nothing else is") {
    if (!can_watch_folders())
        return;
    const ScratchFolder scratch;
    scratch.write("game/a/deep/file", "1");
    MountOptions options = unsigned_at();
    options.watch = true;
    Vfs vfs;
    const MountId id = vfs.mount(scratch.path("game"), options).value();
    REQUIRE(vfs.poll().value().empty());

    scratch.write("game/a/deep/file", "2!");
    CHECK(paths_of(poll_until_changed(vfs)) == "/a/deep/file~");
    CHECK(content_at(vfs, "/a/deep/file") == "2!");

    scratch.write("game/b/c/new", "new");
    CHECK(paths_of(poll_until_changed(vfs)) == "/b/c/new+");
    scratch.write("game/b/c/new", "newer");
    CHECK(paths_of(poll_until_changed(vfs)) == "/b/c/new~");
    std::filesystem::rename(scratch.path("game/b/c/new"), scratch.path("game/moved"));
    CHECK(paths_of(poll_until_changed(vfs)) == "/b/c/new- /moved+");
    CHECK(vfs.poll().value().empty());

    REQUIRE(vfs.unmount(id));
    scratch.write("game/moved", "unseen");
    CHECK(vfs.poll().value().empty());
}

TEST_CASE("poll: files that contradict each other are an error, once, and leave the tree as it was") {
    if (!can_watch_folders() || !can_tell_cases_apart())
        return;
    const ScratchFolder scratch;
    scratch.write("game/a", "1");
    MountOptions options = unsigned_at();
    options.watch = true;
    Vfs vfs;
    REQUIRE(vfs.mount(scratch.path("game"), options));
    REQUIRE(vfs.poll().value().empty());

    scratch.write("game/A", "2");
    CHECK(vfs.poll().value().empty());  // it may be in the middle of an edit
    const auto refused = vfs.poll();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::conflict);
    CHECK(refused.error().text().find("differ only in case") != std::string::npos);
    CHECK(vfs.poll().value().empty());
    CHECK(listing_of(vfs, "/") == "a@ assets/ bundles/");

    std::filesystem::remove(scratch.path("game/a"));
    CHECK(paths_of(poll_until_changed(vfs)) == "/A+ /a-");
}

TEST_CASE("poll: a mount that is not watched, or is not a folder, reports no change") {
    const ScratchFolder scratch;
    scratch.write("game/a", "1");
    Vfs vfs;
    REQUIRE(vfs.mount(scratch.path("game"), unsigned_at()));
    scratch.write("game/a", "22");
    CHECK(vfs.poll().value().empty());
}

// ---- Missing dependencies -------------------------------------------------------------------------------------------

Bytes map_needing(const std::vector<Bytes>& bundles) {
    BundleMaker map;
    map.add("map", "map");
    for (const Bytes& bundle : bundles)
        map.plan().dependencies.push_back({.bundle = bundle_id_of(bundle)});
    return map.write();
}

TEST_CASE("missing dependencies: the event reports what a change leaves missing, once") {
    const Bytes base = BundleMaker().add("base", "1").write();
    const Bytes other = BundleMaker().add("other", "2").write();
    const Bytes map = map_needing({base, other});
    std::vector<MissingDependency> events;
    std::size_t mounts_seen = 0;
    const Vfs* seen = nullptr;
    Vfs vfs({.on_missing_dependency = [&](const MissingDependency& missing) {
        events.push_back(missing);
        mounts_seen = seen->mounts().size();  // the change has taken effect, and no lock is held
    }});
    seen = &vfs;
    using Events = std::vector<MissingDependency>;
    const auto take = [&] { return std::exchange(events, {}); };

    const MountId map_id = mount(vfs, map);
    CHECK(take() == Events{{map_id, bundle_id_of(base)}, {map_id, bundle_id_of(other)}});
    CHECK(mounts_seen == 1);
    const MountId base_id = mount(vfs, base);
    CHECK(take().empty());  // the other one is still missing, as before
    const MountId other_id = mount(vfs, other);
    REQUIRE(vfs.unmount(base_id));
    CHECK(take() == Events{{map_id, bundle_id_of(base)}});
    REQUIRE(vfs.replace(other_id, request(BundleMaker().add("other", "3").write())));
    CHECK(take() == Events{{map_id, bundle_id_of(other)}});
    REQUIRE(vfs.replace(map_id, request(map_needing({other}))));
    CHECK(take() == Events{{map_id, bundle_id_of(other)}});
    REQUIRE(vfs.unmount(map_id));

    MountChange together;
    together.mount = {request(map), request(base), request(other)};
    CHECK(vfs.apply(std::move(together)));
    CHECK(take().empty());
}

Bytes versioned(const std::string& name, const std::string& version, const std::string& required = {}) {
    BundleMaker maker;
    maker.add(name + ".txt", version);
    maker.plan().metadata = {{"name", name}, {"version", version}};
    if (!required.empty())
        maker.plan().metadata.push_back({"requires.studio/base", required});
    return maker.write();
}

TEST_CASE("missing dependencies: a requirement by name is judged as a dependency by id is") {
    const Bytes mod = versioned("mod", "1", ">= 2.0");
    std::vector<std::string> events;
    Vfs vfs({.on_missing_dependency = [&](const MissingDependency& missing) {
        CHECK(missing.bundle == BundleId{});
        events.push_back(missing.requirement);
    }});
    MountOptions strict = unsigned_at();
    strict.require_dependencies = true;
    const auto refused = vfs.mount(make_memory_source(mod), strict);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::unresolved);
    CHECK(refused.error().text().find("studio/base >= 2.0") != std::string::npos);
    CHECK(events.empty());

    mount(vfs, mod);
    CHECK(events == std::vector<std::string>{"studio/base >= 2.0"});
    // One that is too old does not meet it, and the report says so.
    const MountId old = mount(vfs, versioned("studio/base", "1.9"));
    CHECK(events.size() == 1);
    UnresolvedNeeds needs = value_of(vfs.check_links());
    CHECK_FALSE(needs.complete());
    REQUIRE(needs.requirements.size() == 1);
    CHECK(needs.requirements.front().reason.find("1.9") != std::string::npos);

    const MountId base = mount(vfs, versioned("studio/base", "2.1"));
    CHECK(value_of(vfs.check_links()).complete());
    for (const MountDescription& one : vfs.mounts())
        CHECK(one.missing_dependencies.empty());
    CHECK(vfs.mount(make_memory_source(versioned("mod2", "1", ">= 2.0")), strict));
    REQUIRE(vfs.unmount(old));
    CHECK(events.size() == 1);
    REQUIRE(vfs.unmount(base));
    CHECK(events.size() == 3);  // for both mods
}

TEST_CASE("missing dependencies: what a lock file says a requirement means is what must be mounted") {
    const Bytes base = versioned("studio/base", "2.1");
    const Bytes other = versioned("studio/base", "2.2");
    Vfs vfs;
    mount(vfs, base);
    MountOptions how = unsigned_at();
    how.resolved = {bundle_id_of(other)};
    const MountId mod = value_of(vfs.mount(make_memory_source(versioned("mod", "1", ">= 2.0")), how));
    const auto missing = vfs.mounts().front().missing_dependencies;
    CHECK(missing == std::vector<MissingDependency>{{mod, bundle_id_of(other)}});
    CHECK(value_of(vfs.check_links()).requirements.empty());
}

TEST_CASE("replace: a group of mounts changes in one step, and keeps its position") {
    const Bytes base = BundleMaker().add("base", "1").add("both", "base").write();
    const Bytes fonts = BundleMaker().add("font", "f").write();
    std::size_t events = 0;
    Vfs vfs({.on_missing_dependency = [&](const MissingDependency&) { ++events; }});
    mount(vfs, BundleMaker().add("below", "b").add("base", "lowest").write(), labelled("below"));
    std::vector<MountId> group;
    const auto named = [](const Bytes& bundle, const std::string& label) { return request(bundle, labelled(label)); };
    REQUIRE(vfs.replace(group, {named(fonts, "fonts"), named(base, "base"), named(map_needing({base, fonts}), "map")}));
    mount(vfs, BundleMaker().add("over", "o").write(), labelled("over"));
    CHECK(labels(vfs) == "over map base fonts below");
    CHECK(content_at(vfs, "/base") == "1");

    const Bytes new_base = BundleMaker().add("base", "2").add("both", "base").add("more", "m").write();
    const MountId top = group.back();
    const auto before = group;
    const auto changes = vfs.replace(
        group, {named(new_base, "base 2"), named(fonts, "fonts"), named(map_needing({new_base, fonts}), "map 2")});
    REQUIRE(changes);
    CHECK(paths_of(*changes) == "/base~ /more+");
    CHECK(labels(vfs) == "over map 2 fonts base 2 below");
    CHECK(group.size() == 3);
    CHECK(group.back() == top);
    CHECK(content_at(vfs, "/base") == "2");
    CHECK(events == 0);

    // On an error nothing changes.
    const auto now = group;
    CHECK(outcome_of(vfs.replace(group, {})) == "malformed");
    CHECK(outcome_of(vfs.replace(group, {named(fonts, "a"), named(fonts, "b"), named(base, "c")})) == "conflict");
    MountRequest strict = named(map_needing({base}), "strict");
    strict.options.require_dependencies = true;
    CHECK(outcome_of(vfs.replace(group, {strict})) == "unresolved");
    auto unknown = before;
    CHECK(outcome_of(vfs.replace(unknown, {named(base, "base")})) == "missing");
    CHECK(group == now);
    CHECK(labels(vfs) == "over map 2 fonts base 2 below");

    CHECK(paths_of(vfs.replace(group, {named(BundleMaker().add("alone", "a").write(), "alone")}).value()) ==
          "/alone+ /base~ /both- /font- /map- /more-");
    CHECK(labels(vfs) == "over alone below");
    CHECK(events == 0);
}

TEST_CASE("replace: no look-up sees a part of a group with a part of the one before") {
    const auto group_of = [](const std::string& number) {
        return std::vector{request(BundleMaker().add("pair/base" + number, "b").write()),
                           request(BundleMaker().add("pair/root" + number, "r").write())};
    };
    const std::vector<MountRequest> groups[] = {group_of("1"), group_of("2")};
    Vfs vfs;
    std::vector<MountId> mounts;
    REQUIRE(vfs.replace(mounts, groups[0]));
    std::atomic<int> torn{0};
    std::atomic<int> reads{0};
    std::jthread reader([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const auto entries = vfs.list("pair").value();
            if (entries.size() != 2 || entries[0].name.back() != entries[1].name.back())
                ++torn;
            ++reads;
        }
    });
    for (int change = 1; change <= 500 || reads.load() < 500; ++change)
        REQUIRE(vfs.replace(mounts, groups[change % 2]));
    reader.request_stop();
    reader.join();
    CHECK(torn.load() == 0);
}

TEST_CASE("replace: the order within a group decides, also between bundles that stay") {
    const Bytes one = BundleMaker().add("both", "1").write();
    const Bytes two = BundleMaker().add("both", "2").write();
    const Bytes map = BundleMaker().add("map", "m").write();
    Vfs vfs;
    std::vector<MountId> group;
    REQUIRE(vfs.replace(group, {request(one), request(two), request(map)}));
    CHECK(content_at(vfs, "/both") == "2");
    CHECK(paths_of(vfs.replace(group, {request(two), request(one), request(map)}).value()) == "/both~");
    CHECK(content_at(vfs, "/both") == "1");
    CHECK(paths_of(vfs.replace(group, {request(two), request(one), request(map)}).value()).empty());
}

TEST_CASE("missing dependencies: a change that is refused reports none") {
    std::size_t events = 0;
    Vfs vfs({.on_missing_dependency = [&](const MissingDependency&) { ++events; }});
    const Bytes map = map_needing({BundleMaker().add("base", "1").write()});
    MountOptions strict = unsigned_at();
    strict.require_dependencies = true;
    CHECK(outcome_of(vfs.mount(make_memory_source(map), strict)) == "unresolved");
    const MountId empty = mount(vfs, BundleMaker().add("a", "a").write());
    CHECK(outcome_of(vfs.replace(empty, request(map, strict))) == "unresolved");
    CHECK(content_at(vfs, "/a") == "a");
    CHECK(events == 0);
    CHECK(vfs.replace(empty, request(map)));
    CHECK(events == 1);
}

}  // namespace fardel::tests::vfs_mounts_test
