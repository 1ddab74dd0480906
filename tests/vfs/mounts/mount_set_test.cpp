#include "mounts/mount_set.h"

#include "vfs/test_bundle.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs.h>

#include <map>

namespace fardel::tests::mount_set_test {

// A literal implementation of the rules of docs/vfs.md, without regard to speed.
struct ModelMount {
    MountId id{};
    MountOptions options;
    std::map<std::string, std::optional<std::string>> published;  // nothing: a tombstone
};

std::optional<std::string> look_up(const std::vector<ModelMount>& mounts, const std::string& path) {
    for (const ModelMount& mount : mounts)
        for (const auto& [name, content] : mount.published) {
            const std::string full =
                "/" + (mount.options.mount_point.empty() ? "" : mount.options.mount_point + "/") + name;
            if (mount.options.case_rule == CaseRule::fold ? names_fold_equal(full, path) : full == path)
                return content;
        }
    return std::nullopt;
}

TEST_CASE("mount set: while many mounts come and go, each path resolves as the rules say") {
    FARDEL_RANDOM(random);
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    const std::vector<std::string> names{"a", "b", "c", "d/a", "d/b", "D/c", "e/f/g", "m/a", "m/n/b", "\u00e4/x"};
    const std::vector<std::string> mount_points{"", "", "", "", "", "m", "m/n", "d"};
    std::vector<std::string> paths;
    for (const std::string& name : names)
        for (const char* folder : {"/", "/m/", "/M/n/", "/d/"}) {
            paths.push_back(folder + name);
            if (pick(2) == 0)
                std::ranges::transform(paths.back(), paths.back().begin(),
                                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
        }

    Vfs vfs;
    std::vector<ModelMount> model;  // in order of precedence
    for (int step = 0; step < 120; ++step) {
        if (!model.empty() && (pick(4) == 0 || model.size() > 40)) {
            const std::size_t victim = pick(model.size());
            REQUIRE(vfs.unmount(model[victim].id));
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(victim));
        } else {
            ModelMount mount;
            mount.options = {.mount_point = mount_points[pick(mount_points.size())],
                             .priority = static_cast<int>(pick(3)),
                             .case_rule = pick(3) == 0 ? CaseRule::fold : CaseRule::exact,
                             .allow_unsigned = true};
            BundleMaker maker;
            maker.version(std::to_string(step));
            for (const std::string& name : names) {
                const std::string content = std::to_string(step) + " " + name;
                const std::size_t chance = pick(16);
                if (chance < 3)
                    mount.published[name] = content, maker.add(name, content);
                else if (chance == 3)
                    mount.published[name] = std::nullopt, maker.add_tombstone(name);
                else if (chance == 4)
                    maker.add_unpublished(name, content);
                else if (chance == 5)
                    maker.add_variants(name, {content}, true);
            }
            mount.id = tests::mount(vfs, maker.write(), mount.options);
            const auto at = std::ranges::find_if(
                model, [&](const ModelMount& m) { return m.options.priority <= mount.options.priority; });
            model.insert(at, std::move(mount));
        }
        REQUIRE(vfs.mounts().size() == model.size());
        for (const std::string& path : paths) {
            CAPTURE(path);
            const auto expected = look_up(model, path);
            const auto file = vfs.find(path);
            REQUIRE(file);
            REQUIRE(file->has_value() == expected.has_value());
            if (expected)
                CHECK(text_of(*(*file)->read_all()) == *expected);
        }
    }
}

TEST_CASE("mount set: a mount with damaged tables, one of many, still decides by its error") {
    Vfs vfs;
    std::optional<MountId> damaged;
    for (int i = 0; i < 30; ++i) {
        const Bytes bundle = BundleMaker().add("only " + std::to_string(i), "x").add("all", std::to_string(i)).write();
        if (i == 3)
            damaged = mount(vfs, damage_table(bundle, TableKind::name_buckets), unsigned_at("", 1));
        else
            mount(vfs, bundle);
    }
    CHECK(outcome_of(vfs.find("/all")) == "corrupt");
    CHECK(outcome_of(vfs.find("/only 3")) == "corrupt");
    CHECK(outcome_of(vfs.open("/nothing")) == "missing");  // its filters, which are undamaged, exclude the name
    REQUIRE(vfs.unmount(*damaged));
    CHECK(content_at(vfs, "/all") == "29");
    CHECK(content_at(vfs, "/only 7") == "x");
    CHECK(outcome_of(vfs.open("/nothing")) == "missing");
}

TEST_CASE("mount set: a bundle that floods a bucket hides no name of another bundle") {
    BundleMaker maker;
    for (int i = 0; i < 200; ++i)
        maker.add(std::to_string(i), "x");
    const Bytes hostile = flood_name_buckets(maker.write(), name_hash("victim"));
    Vfs vfs;
    mount(vfs, hostile);
    for (int i = 0; i < 20; ++i)
        mount(vfs, BundleMaker().add("victim", std::to_string(i)).version(std::to_string(i)).write(),
              unsigned_at("", i == 5));
    CHECK(content_at(vfs, "/victim") == "5");
}

TEST_CASE("mount set: a name that hundreds of mounts have resolves to the first mount") {
    Vfs vfs;
    for (int i = 0; i < 300; ++i)
        mount(vfs, BundleMaker().add("mod.json", std::to_string(i)).add("own/" + std::to_string(i), "x").write());
    CHECK(content_at(vfs, "/mod.json") == "299");
    CHECK(content_at(vfs, "/own/0") == "x");
    while (vfs.mounts().size() > 100)
        REQUIRE(vfs.unmount(vfs.mounts().front().id));
    CHECK(content_at(vfs, "/mod.json") == "99");
    CHECK(outcome_of(vfs.open("/own/100")) == "missing");
}

}  // namespace fardel::tests::mount_set_test
