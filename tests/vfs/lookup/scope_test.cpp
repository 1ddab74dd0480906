#include "lookup/scope.h"

#include "kit/bundles.h"
#include "vfs/test_bundle.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/vfs/pure_policy.h>

namespace fardel::tests::scope_test {

std::string content_from(const Vfs& vfs, const File& from, std::string_view reference) {
    const auto file = vfs.open({reference, {}, &from});
    return file ? text_of(file->read_all().value()) : std::string(error_code_name(file.error().code()));
}

// A map that refers to its wall by a name of its own bundle.
Bytes map_of(std::string_view wall, std::string version) {
    return BundleMaker()
        .add("maps/dm01", "map " + version)
        .add("textures/wall", wall)
        .version(std::move(version))
        .write();
}

TEST_CASE("scope: two versions of one map, side by side, each with its own wall") {
    Vfs vfs;
    const Bytes old_map = map_of("brick", "1"), new_map = map_of("steel", "2");
    mount(vfs, old_map);
    mount(vfs, new_map);
    const auto map_in = [&](const Bytes& bundle) {
        return vfs.open("/bundles/" + bundle_id_of(bundle).hex() + "/maps/dm01").value();
    };
    CHECK(content_from(vfs, map_in(old_map), "textures/wall") == "brick");
    CHECK(content_from(vfs, map_in(new_map), "textures/wall") == "steel");
    CHECK(content_at(vfs, "/textures/wall") == "steel");
    CHECK(content_from(vfs, map_in(old_map), "/textures/wall") == "steel");
}

TEST_CASE("scope: its own bundle, then static dependencies in order, then the published tree") {
    const Bytes first = BundleMaker().add_unpublished("shared", "of the first").version("1").write();
    const Bytes second =
        BundleMaker().add_unpublished("shared", "of the second").add_unpublished("second", "2").version("2").write();
    const Bytes loose = BundleMaker().add_unpublished("loose", "of a dynamic dependency").version("3").write();
    BundleMaker map;
    map.add("map", "map").add_unpublished("own", "own");
    map.plan().dependencies = {{.bundle = bundle_id_of(first)},
                               {.bundle = bundle_id_of(second)},
                               {.bundle = bundle_id_of(loose), .is_static = false}};
    Vfs vfs;
    mount(vfs, BundleMaker().add("own", "published").add("shared", "published").add("game", "published").write());
    for (const Bytes& bundle : {second, first, loose, map.write()})
        mount(vfs, bundle);
    const File from = vfs.open("/map").value();
    CHECK(content_from(vfs, from, "own") == "own");
    CHECK(content_from(vfs, from, "shared") == "of the first");
    CHECK(content_from(vfs, from, "second") == "2");
    CHECK(content_from(vfs, from, "game") == "published");
    CHECK(content_from(vfs, from, "loose") == "missing");
    CHECK(content_from(vfs, from, "nobody") == "missing");
    CHECK(content_from(vfs, from, "../own") == "malformed");  // A01
    CHECK(content_from(vfs, from, "") == "malformed");
    CHECK_FALSE(vfs.find({"nobody", {}, &from}).value());
}

TEST_CASE("scope: the link table is searched first") {
    const Bytes base = BundleMaker().add_unpublished("wall", "base wall").write();
    BundleMaker map;
    map.add("map", "map").add("decoy", "decoy").add_unpublished("hidden", "hidden");
    map.plan().dependencies = {{.bundle = bundle_id_of(base)}};
    map.plan().assets[0].references = {
        {.spelling = "decoy", .target = PlannedReference::Internal{2}},
        {.spelling = "textures\\wall.tga", .target = PlannedReference::Foreign{id_of("base wall"), 0}},
        {.spelling = "$sound", .target = PlannedReference::Dynamic{"sounds/any"}},
        {.spelling = "decay", .target = PlannedReference::Internal{0}},
    };
    Vfs vfs;
    mount(vfs, map.write());
    const File from = vfs.open("/map").value();
    CHECK(content_from(vfs, from, "decoy") == "hidden");
    CHECK(content_from(vfs, from, "decay") == "map");
    CHECK(content_from(vfs, from, "textures\\wall.tga") == "unresolved");
    mount(vfs, base);
    CHECK(content_from(vfs, from, "textures\\wall.tga") == "base wall");
    CHECK(content_from(vfs, from, "$sound") == "missing");
    mount(vfs, BundleMaker().add("sounds/any", "sound").write());
    CHECK(content_from(vfs, from, "$sound") == "sound");
    // Another asset of the same bundle has no such links.
    CHECK(content_from(vfs, vfs.open("/decoy").value(), "decoy") == "decoy");
}

TEST_CASE("scope: an open file still resolves names after its bundle is unmounted") {
    Vfs vfs;
    const MountId id = mount(vfs, map_of("brick", "1"));
    const File from = vfs.open("/maps/dm01").value();
    REQUIRE(vfs.unmount(id));
    CHECK(content_from(vfs, from, "textures/wall") == "brick");
    CHECK(content_from(vfs, from, "textures/none") == "missing");
}

TEST_CASE("scope: a search through a bundle and its own earlier version ends") {  // A78
    BundleMaker maker;
    maker.add("map", "map");
    Vfs vfs;
    const Bytes first = maker.write();
    maker.plan().dependencies = {{.bundle = bundle_id_of(first)}};
    mount(vfs, first);
    mount(vfs, maker.write());
    const File from = vfs.open("/map").value();
    CHECK(content_from(vfs, from, "map") == "map");
    CHECK(content_from(vfs, from, "other") == "missing");
}

TEST_CASE("scope: references that lead nowhere are malformed") {  // A25
    BundleMaker map;
    map.add("map", "map").add("other", "other");
    map.plan().assets[0].references = {{.spelling = "link", .target = PlannedReference::Internal{1}}};
    const Bytes hostile = rewrite_table(map.write(), TableKind::references,
                                        [](std::span<std::byte> records) { records[8] = std::byte{99}; });
    Vfs vfs;
    mount(vfs, hostile);
    CHECK(content_from(vfs, vfs.open("/map").value(), "link") == "malformed");
}

// ---- References to names that have variants, or get them from other bundles ----

// Two models that refer to one skin by name: static references, as the packer writes them.
Bytes game_of(std::string version, bool with_variants) {
    BundleMaker game;
    game.add("model", "model " + version);
    const auto skin = static_cast<std::uint32_t>(game.plan().assets.size());
    if (with_variants)
        game.add_variants("skin", {"plain " + version, "fine " + version});
    else
        game.add("skin", "plain " + version);
    game.plan().assets[0].references = {
        {.spelling = "the skin", .target = PlannedReference::Internal{skin}, .name = "skin"}};
    return game.version(std::move(version)).write();
}

Bytes hd_pack(std::string_view content, std::vector<BundleId> of) {
    BundleMaker pack;
    pack.add_variants("skin", {std::string(content)}, true);
    pack.plan().names.back().variants.front().tags = {{"quality", "1"}};
    for (const BundleId& bundle : of)
        pack.plan().dependencies.push_back({.bundle = bundle});
    return pack.write();
}

File model_in(const Vfs& vfs, const Bytes& bundle) {
    return vfs.open("/bundles/" + bundle_id_of(bundle).hex() + "/model").value();
}

void prefer_hd(Vfs& vfs) { vfs.prefer(parse_variant_preference("quality=1").value()); }

TEST_CASE("scope: of two versions, each chooses among its own variants") {
    Vfs vfs;
    const Bytes first = game_of("1", true), second = game_of("2", true);
    mount(vfs, first);
    mount(vfs, second);
    CHECK(content_from(vfs, model_in(vfs, first), "the skin") == "plain 1");
    CHECK(content_from(vfs, model_in(vfs, second), "the skin") == "plain 2");
    prefer_hd(vfs);
    CHECK(content_from(vfs, model_in(vfs, first), "the skin") == "fine 1");
    CHECK(content_from(vfs, model_in(vfs, second), "the skin") == "fine 2");
    CHECK(content_from(vfs, model_in(vfs, first), "skin") == "fine 1");
    CHECK(content_at(vfs, "/skin") == "fine 2");
}

TEST_CASE("scope: a mod above the base replaces published names, and none of the base's references") {
    Vfs vfs;
    const Bytes base = game_of("1", true);
    mount(vfs, base);
    mount(vfs, BundleMaker().add("skin", "of the mod").write());
    prefer_hd(vfs);
    CHECK(content_at(vfs, "/skin") == "of the mod");
    CHECK(content_from(vfs, model_in(vfs, base), "the skin") == "fine 1");
}

TEST_CASE("scope: a pack that depends on one version adds variants to that version alone") {
    Vfs vfs;
    const Bytes first = game_of("1", false), second = game_of("2", false);
    mount(vfs, first);
    mount(vfs, second);
    mount(vfs, hd_pack("fine 1", {bundle_id_of(first)}));
    prefer_hd(vfs);
    CHECK(content_from(vfs, model_in(vfs, first), "the skin") == "fine 1");
    CHECK(content_from(vfs, model_in(vfs, second), "the skin") == "plain 2");
    mount(vfs, BundleMaker().add("skin", "of the mod").write());
    CHECK(content_from(vfs, model_in(vfs, first), "the skin") == "fine 1");
}

TEST_CASE("scope: a pack without dependencies adds variants to the bundle that publishes the name") {
    Vfs vfs;
    const Bytes first = game_of("1", false), second = game_of("2", false);
    mount(vfs, first);
    mount(vfs, second);
    mount(vfs, hd_pack("fine", {}));
    prefer_hd(vfs);
    CHECK(content_from(vfs, model_in(vfs, first), "the skin") == "plain 1");
    CHECK(content_from(vfs, model_in(vfs, second), "the skin") == "fine");
    CHECK(content_at(vfs, "/skin") == "fine");
}

TEST_CASE("scope: a reference into a dependency chooses among that bundle's variants") {
    const Bytes base = game_of("1", true);
    BundleMaker map;
    map.add("map", "map");
    map.plan().dependencies = {{.bundle = bundle_id_of(base)}};
    map.plan().assets[0].references = {
        {.spelling = "s", .target = PlannedReference::Foreign{id_of("plain 1"), 0}, .name = "skin"},
        {.spelling = "gone", .target = PlannedReference::Foreign{id_of("plain 1"), 0}, .name = "no/such"}};
    Vfs vfs;
    mount(vfs, base);
    mount(vfs, game_of("2", true));
    mount(vfs, map.write());
    const File from = vfs.open("/map").value();
    CHECK(content_from(vfs, from, "s") == "plain 1");
    prefer_hd(vfs);
    CHECK(content_from(vfs, from, "s") == "fine 1");
    CHECK(content_from(vfs, from, "gone") == "plain 1");
    mount(vfs, hd_pack("finer", {bundle_id_of(base)}));
    CHECK(content_from(vfs, from, "s") == "finer");
}

TEST_CASE("scope: in pure mode each version chooses among its own variants, and no hidden pack or mod gives any") {
    const Bytes first = game_of("1", true), second = game_of("2", true);
    const Bytes allowed = hd_pack("finer 1", {bundle_id_of(first)});
    const Bytes hidden = hd_pack("finest", {bundle_id_of(first), bundle_id_of(second)});
    Vfs vfs;
    mount(vfs, first);
    mount(vfs, second);
    mount(vfs, allowed);
    mount(vfs, hidden);
    mount(vfs, BundleMaker().add("skin", "of the mod").write());
    prefer_hd(vfs);
    const File of_first = model_in(vfs, first), of_second = model_in(vfs, second);
    CHECK(content_from(vfs, of_first, "the skin") == "finest");
    CHECK(content_from(vfs, of_second, "the skin") == "finest");

    PureRules rules;
    rules.unsigned_allowed = true;
    for (const Bytes* bundle : {&first, &second, &allowed})
        rules.bundles.push_back({.bundle = bundle_id_of(*bundle), .mount_point = "", .name = ""});
    vfs.enter_pure(PurePolicy::make(rules).value());
    for (const File& model : {of_first, model_in(vfs, first)})
        CHECK(content_from(vfs, model, "the skin") == "finer 1");
    for (const File& model : {of_second, model_in(vfs, second)})
        CHECK(content_from(vfs, model, "the skin") == "fine 2");
    CHECK(content_at(vfs, "/skin") == "fine 2");
    vfs.leave_pure();
    CHECK(content_from(vfs, of_second, "the skin") == "finest");
    CHECK(content_at(vfs, "/skin") == "of the mod");
}

TEST_CASE("mount: a bundle whose static dependency is missing is listed as such, or refused on request") {
    const Bytes base = game_of("1", false);
    BundleMaker map;
    map.add("map", "map");
    map.plan().dependencies = {{.bundle = bundle_id_of(base)}};
    const Bytes bundle = map.write();
    MountOptions strict = unsigned_at();
    strict.require_dependencies = true;

    Vfs vfs;
    const auto refused = vfs.mount(make_memory_source(bundle), strict);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::unresolved);
    CHECK(refused.error().text().find(bundle_id_of(base).hex()) != std::string::npos);
    CHECK(vfs.mounts().empty());

    mount(vfs, bundle);
    REQUIRE(vfs.mounts().at(0).missing_dependencies.size() == 1);
    CHECK(vfs.mounts().at(0).missing_dependencies.front().bundle == bundle_id_of(base));
    mount(vfs, base);
    for (const MountDescription& one : vfs.mounts())
        CHECK(one.missing_dependencies.empty());

    Vfs together;  // one change, the dependency last
    MountChange change;
    change.mount.push_back({.subject = make_memory_source(bundle), .options = strict});
    change.mount.push_back({.subject = make_memory_source(base), .options = strict});
    CHECK(together.apply(std::move(change)));
}

TEST_CASE("scope: a reference without extension is searched in the whole scope, name by name") {
    const NameExtensions images = NameExtensions::parse("tga,png").value();
    const Bytes base = BundleMaker().add_unpublished("wall.tga", "of the base").version("1").write();
    BundleMaker map;
    map.add("map", "map").add_unpublished("wall.png", "own").add_unpublished("floor.png", "own floor");
    map.plan().dependencies = {{.bundle = bundle_id_of(base)}};
    Vfs vfs;
    mount(vfs, base);
    mount(vfs, map.write());
    mount(vfs, BundleMaker().add("sky.png", "published").write());
    const File from = vfs.open("/map").value();
    const auto content = [&](std::string_view reference) {
        const auto file = vfs.open({reference, &images, &from});
        return file ? text_of(file->read_all().value()) : std::string(error_code_name(file.error().code()));
    };
    CHECK(outcome_of(vfs.open({"floor", {}, &from})) == "missing");
    CHECK(content("floor") == "own floor");
    CHECK(content("wall") == "of the base");
    CHECK(content("wall.png") == "own");
    CHECK(content("sky") == "published");
    CHECK(content("/sky") == "published");
    CHECK(content("/floor") == "missing");
    CHECK(content("none") == "missing");
}

TEST_CASE("scope: two mods that require two versions of one base each find their own, and the tree shows one") {
    const Bytes old_base =
        BundleMaker().add("walls/stone", "stone 1").add_unpublished("inner", "in 1").title("base").version("1").write();
    const Bytes new_base =
        BundleMaker().add("walls/stone", "stone 2").add("walls/new", "new 2").title("base").version("2").write();
    const auto mod = [](const char* name) {
        BundleMaker maker;
        maker.add(std::string("maps/") + name, name).title(name);
        maker.plan().assets[0].references = {{.spelling = "$wall", .target = PlannedReference::Dynamic{"walls/stone"}}};
        maker.plan().consumes = {{.text = "walls/stone"}};
        return maker.write();
    };
    const Bytes castle = mod("castle"), forest = mod("forest");
    Vfs vfs;
    mount(vfs, old_base);
    mount(vfs, new_base);
    const auto mount_with = [&](const Bytes& bundle, const Bytes& base) {
        MountOptions options = unsigned_at();
        options.resolved = {bundle_id_of(base)};
        options.require_dependencies = true;
        REQUIRE(vfs.mount(make_memory_source(bundle), options));
    };
    mount_with(castle, old_base);
    mount_with(forest, new_base);
    const File in_castle = vfs.open("/maps/castle").value();
    const File in_forest = vfs.open("/maps/forest").value();
    for (const char* reference : {"$wall", "walls/stone"}) {
        CHECK(content_from(vfs, in_castle, reference) == "stone 1");
        CHECK(content_from(vfs, in_forest, reference) == "stone 2");
    }
    CHECK(content_from(vfs, in_castle, "inner") == "in 1");
    CHECK(content_from(vfs, in_forest, "inner") == "missing");
    CHECK(content_from(vfs, in_castle, "walls/new") == "new 2");  // nothing nearer has it
    CHECK(content_at(vfs, "/walls/stone") == "stone 2");
}

TEST_CASE("scope: what a requirement means comes behind the bundle and its static dependencies") {
    const Bytes base = BundleMaker().add("wall", "base").add("floor", "base").add("sky", "base").write();
    const Bytes needed = BundleMaker().add("floor", "static").title("static").write();
    BundleMaker maker;
    maker.add("map", "map").add("wall", "own").title("mod");
    maker.plan().dependencies = {{.bundle = bundle_id_of(needed)}};
    Vfs vfs;
    mount(vfs, base);
    mount(vfs, needed);
    MountOptions options = unsigned_at();
    options.resolved = {bundle_id_of(base)};
    REQUIRE(vfs.mount(make_memory_source(maker.write()), options));
    mount(vfs, BundleMaker().add("sky", "another mod").title("other").write());
    const File from = vfs.open("/map").value();
    CHECK(content_from(vfs, from, "wall") == "own");
    CHECK(content_from(vfs, from, "floor") == "static");
    CHECK(content_from(vfs, from, "sky") == "base");
    CHECK(content_at(vfs, "/sky") == "another mod");
}

TEST_CASE("mount: what a requirement means counts as a dependency that is needed") {
    const Bytes base = BundleMaker().add("wall", "base").write();
    MountOptions options = unsigned_at();
    options.resolved = {bundle_id_of(base)};
    options.require_dependencies = true;
    const Bytes mod = BundleMaker().add("map", "map").title("mod").write();
    Vfs vfs;
    CHECK(vfs.mount(make_memory_source(mod), options).error().code() == ErrorCode::unresolved);
    options.require_dependencies = false;
    REQUIRE(vfs.mount(make_memory_source(mod), options));
    REQUIRE(vfs.mounts().at(0).missing_dependencies.size() == 1);
    CHECK(vfs.mounts().at(0).missing_dependencies.front().bundle == bundle_id_of(base));
    mount(vfs, base);
    CHECK(vfs.mounts().at(1).missing_dependencies.empty());
    options.resolved.assign(257, bundle_id_of(base));
    CHECK(vfs.mount(make_memory_source(mod), options).error().code() == ErrorCode::limit);
}

}  // namespace fardel::tests::scope_test
