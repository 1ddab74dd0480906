// resolve_plan: the targets of references, and the names that are missing, unused or reached from roots.
#include <fardel/format/manifest.h>

#include <fardel/packer/plan_scan.h>
#include <fardel/packer/resolve.h>
#include "kit/test.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/format/unpacked_bundle.h>

namespace fardel::tests::resolve_test {

using Names = std::vector<std::string>;

FoundReference texture(std::string spelling, std::uint32_t defined_in = kNoDefinition) {
    return {.spelling = std::move(spelling), .use = ReferenceUse::texture, .defined_in = defined_in};
}
FoundReference shader(std::string spelling) { return {.spelling = std::move(spelling), .use = ReferenceUse::shader}; }
FoundReference relative(std::string spelling) {
    return {.spelling = std::move(spelling), .form = ReferenceForm::relative};
}
FoundReference optional(FoundReference reference) {
    reference.optional = true;
    return reference;
}

// A game in memory; each file is an asset of ten bytes after its name.
struct Game {
    BundlePlan plan;
    std::vector<AssetScan> assets;
    ResolveOptions options;

    std::uint32_t add(const std::string& name, std::vector<FoundReference> references = {},
                      std::vector<std::string> defines = {}) {
        const auto asset = static_cast<std::uint32_t>(plan.assets.size());
        plan.assets.push_back({.source = make_memory_blob(std::vector<std::byte>(10, std::byte(asset))), .key = name});
        assets.push_back(
            {.size_bytes = 10, .findings = {.references = std::move(references), .defines = std::move(defines)}});
        add_name(name, asset);
        return asset;
    }

    void add_name(const std::string& name, std::uint32_t asset) {
        plan.names.push_back({.name = *AssetName::parse(name), .variants = {{.asset = asset}}});
    }

    ResolveResult resolve() const { return tests::value_of(resolve_plan(plan, assets, options)); }

    Names texts(std::span<const std::uint32_t> names) const {
        Names out;
        for (const std::uint32_t name : names)
            out.push_back(plan.names[name].name.text());
        std::ranges::sort(out);
        return out;
    }
};

const PlannedReference* find(const ResolveResult& result, std::uint32_t asset, std::string_view spelling) {
    const auto at = std::ranges::find(result.assets[asset].references, spelling, &PlannedReference::spelling);
    return at != result.assets[asset].references.end() ? &*at : nullptr;
}

std::uint32_t internal(const ResolveResult& result, std::uint32_t asset, std::string_view spelling) {
    const PlannedReference* const reference = find(result, asset, spelling);
    REQUIRE(reference);
    REQUIRE(std::holds_alternative<PlannedReference::Internal>(reference->target));
    return std::get<PlannedReference::Internal>(reference->target).asset;
}

Names unused_of(const ResolveResult& result) {
    Names names;
    for (const UnusedAsset& unused : result.audit.unused)
        names.push_back(unused.name);
    return names;
}

std::shared_ptr<const Bundle> open_bundle(const BundlePlan& plan) {
    auto source = make_unpacked_source(plan);
    REQUIRE(source);
    return value_of(Bundle::open(*source, {}));
}

TEST_CASE("resolve: a reference means the first candidate that exists, in any case") {
    Game game;
    const auto map = game.add(
        "maps/a.bsp", {texture("textures/WALL"), texture("textures/floor.tga"), texture("textures\\floor.tga")});
    game.add("textures/wall.jpg");
    const auto png = game.add("textures/Wall.tga");
    const auto floor = game.add("textures/floor.jpg");
    const ResolveResult result = game.resolve();
    CHECK(internal(result, map, "textures/WALL") == png);
    CHECK(internal(result, map, "textures/floor.tga") == floor);
    CHECK(internal(result, map, "textures\\floor.tga") == floor);
    CHECK(result.audit.references == 3);
    CHECK(result.audit.resolved == 3);
    CHECK(result.audit.missing.empty());
    CHECK(result.audit.unused.empty());  // without roots
}

FoundReference read_as(std::string spelling, std::uint32_t statement, std::uint32_t reading) {
    FoundReference reference = relative(std::move(spelling));
    reference.statement = statement;
    reference.reading = reading;
    return reference;
}

TEST_CASE("resolve: of a statement with several readings, the first counts that leads somewhere as a whole") {
    Game game;
    const auto model =
        game.add("m/a.obj", {read_as("my lib.mtl", 1, 0), read_as("my", 1, 1), read_as("lib.mtl", 1, 1),
                             read_as("b.mtl c.mtl", 2, 0), read_as("b.mtl", 2, 1), read_as("c.mtl", 2, 1)});
    const auto library = game.add("m/my lib.mtl");
    const auto b = game.add("m/b.mtl");
    const auto c = game.add("m/c.mtl");
    const ResolveResult result = game.resolve();
    CHECK(internal(result, model, "my lib.mtl") == library);
    CHECK(internal(result, model, "b.mtl") == b);
    CHECK(internal(result, model, "c.mtl") == c);
    CHECK(result.assets[model].references.size() == 3);
    CHECK(result.assets[model].targets[1].is_unread);
    CHECK(result.audit.references == 3);
    CHECK(result.audit.missing.empty());
}

TEST_CASE("resolve: a statement that leads nowhere is missing as one name, with the names that were tried") {
    Game game;
    game.add("a.obj", {read_as("my lib.mtl", 1, 0), read_as("my", 1, 1), read_as("lib.mtl", 1, 1)});
    game.add("b.mtl", {read_as("\"w.png\" # x", 1, 0), read_as("w.png", 1, 1)});
    game.add("c.obj", {read_as("d.mtl e.mtl", 1, 0), read_as("d.mtl", 1, 1), read_as("e.mtl", 1, 1)});
    game.add("d.mtl");
    const ResolveResult result = game.resolve();
    REQUIRE(result.audit.missing.size() == 3);
    CHECK(result.audit.missing[0].reference.spelling == "my lib.mtl");
    CHECK(result.audit.missing[1].reference.spelling == "w.png");
    CHECK(result.audit.missing[1].tried == Names{"w.png"});
    CHECK(result.audit.missing[2].reference.spelling == "e.mtl");
    CHECK(result.audit.missing[2].tried == Names{"d.mtl e.mtl", "e.mtl"});
    CHECK(describe_tried(result.audit.missing[2]) == "tried d.mtl e.mtl, e.mtl");
}

TEST_CASE("resolve: a reference of which only the case differs is listed with the name that is there") {
    Game game;
    game.add("m.gltf", {relative("Textures/Wall.PNG"), relative("textures/floor.png"), optional(relative("SKY.png")),
                        relative("Ocan\u0303a.png")});
    game.add("textures/wall.png");
    game.add("textures/floor.png");
    game.add("sky.png");
    game.add("Oca\u00f1a.png");
    ResolveResult result = game.resolve();
    REQUIRE(result.audit.respelled.size() == 2);
    CHECK(describe(result.audit.respelled[1]) == "m.gltf: file Textures/Wall.PNG is textures/wall.png");
    CHECK(result.audit.respelled[0].name == "Oca\u00f1a.png");
    CHECK(is_complete(result.audit));
    game.options.fold_case = true;
    result = game.resolve();
    CHECK(result.audit.respelled.empty());
}

TEST_CASE("resolve: what a base has is looked up at run time, and is not missing") {
    Game base;
    base.add("textures/wall.tga");
    base.assets[0].findings = {};
    const std::string script = "sky/blue\n{\n}\n";
    base.plan.assets.push_back(
        {.source = make_memory_blob({reinterpret_cast<const std::byte*>(script.data()),
                                     reinterpret_cast<const std::byte*>(script.data()) + script.size()}),
         .key = "scripts/x.shader",
         .content_type = "text/x-quake-shader"});
    base.add_name("scripts/x.shader", 1);
    Game mod;
    const auto map = mod.add("m.bsp", {texture("textures/Wall"), shader("sky/blue"), texture("textures/gone")});
    mod.options.bases = {open_bundle(base.plan)};
    const ResolveResult result = mod.resolve();
    REQUIRE(find(result, map, "textures/Wall"));
    CHECK(std::get<PlannedReference::Dynamic>(find(result, map, "textures/Wall")->target).name == "textures/wall.tga");
    CHECK(find(result, map, "sky/blue"));
    REQUIRE(result.audit.missing.size() == 1);
    CHECK(result.audit.missing[0].reference.spelling == "textures/gone");
    REQUIRE(result.audit.respelled.size() == 1);
    CHECK(result.audit.respelled[0].name == "textures/wall.tga");
}

TEST_CASE(
    "resolve: a file that could not be looked into makes the audit incomplete, unless the game does not read it") {
    Game game;
    game.add("a.gltf");
    game.add("b.shader");
    game.assets[0].broken = "cut off";
    ResolveResult result = game.resolve();
    CHECK_FALSE(is_complete(result.audit));

    game.assets[0].broken.clear();
    game.assets[0].findings.mistakes = {"line 3: } without {"};
    result = game.resolve();
    REQUIRE(result.audit.broken.size() == 1);
    CHECK(result.audit.broken[0].kind == BrokenKind::part);
    CHECK_FALSE(is_complete(result.audit));

    game.assets[0].findings.mistakes.clear();
    game.assets[1].findings.other_format = "JSON";
    result = game.resolve();
    REQUIRE(result.audit.broken.size() == 1);
    CHECK(result.audit.broken[0].kind == BrokenKind::other_format);
    CHECK(is_complete(result.audit));
    game.options.roots = {"b.shader"};
    CHECK_FALSE(is_complete(game.resolve().audit));

    game.options.roots.clear();
    game.assets[0].broken = "cut off";
    GameProfile profile;
    profile.soft = {{.files = "*.gltf", .why = "only tools read it"}};
    game.options.profile = std::make_shared<const GameProfile>(profile);
    result = game.resolve();
    CHECK(is_complete(result.audit));
    CHECK(result.audit.broken[0].why_soft == "only tools read it");
}

TEST_CASE("resolve: a shader leads to its script, and only its own images are reached") {
    Game game;
    game.options.roots = {"maps/*.bsp"};
    const auto map = game.add("maps/a.bsp", {shader("textures/Water")});
    const auto script =
        game.add("scripts/x.shader", {texture("w.tga", 0), texture("lava.tga", 1), texture("gone.tga", 1)},
                 {"textures/water", "textures/lava"});
    game.add("w.tga");
    game.add("lava.tga");
    game.add("maps/b.bsp", {shader("textures/lava")});
    const ResolveResult result = game.resolve();
    CHECK(internal(result, map, "textures/Water") == script);
    REQUIRE(result.audit.roots.size() == 2);
    CHECK(game.texts(result.audit.roots[0].names) == Names{"maps/a.bsp", "scripts/x.shader", "w.tga"});
    CHECK(result.audit.roots[0].missing.empty());
    CHECK(result.audit.roots[0].size_bytes == 30);
    CHECK(game.texts(result.audit.roots[1].names) == Names{"lava.tga", "maps/b.bsp", "scripts/x.shader"});
    CHECK(result.audit.roots[1].missing == std::vector<std::uint32_t>{0});
    CHECK(game.texts(result.uses[0]) == Names{"scripts/x.shader", "w.tga"});
    CHECK(result.uses[1].empty());  // the script itself needs nothing
}

TEST_CASE("resolve: a script that is a root, or referenced as a file, is used with all its shaders") {
    Game game;
    game.options.roots = {"scripts/x.shader", "list.txt"};
    game.add("scripts/x.shader", {texture("w.tga", 0)}, {"water"});
    game.add("w.tga");
    game.add("list.txt", {{.spelling = "scripts/y.shader", .use = ReferenceUse::script}});
    game.add("scripts/y.shader", {texture("l.tga", 0)}, {"lava"});
    game.add("l.tga");
    const ResolveResult result = game.resolve();
    CHECK(game.texts(result.audit.roots[0].names) == Names{"l.tga", "list.txt", "scripts/y.shader"});
    CHECK(game.texts(result.audit.roots[1].names) == Names{"scripts/x.shader", "w.tga"});
    CHECK(game.texts(result.uses[0]) == Names{"w.tga"});
    CHECK(game.texts(result.uses[2]) == Names{"l.tga", "scripts/y.shader"});
}

TEST_CASE("resolve: a shader that two scripts define leads to the last script by name, and reaches both") {
    Game game;
    game.options.roots = {"a.bsp"};
    const auto map = game.add("a.bsp", {shader("sky")});
    game.add("scripts/a.shader", {texture("one.tga", 0)}, {"sky"});
    const auto last = game.add("scripts/b.shader", {texture("two.tga", 0), texture("three.tga", 1)}, {"SKY", "sky"});
    for (const char* image : {"one.tga", "two.tga", "three.tga"})
        game.add(image);
    const ResolveResult result = game.resolve();
    CHECK(internal(result, map, "sky") == last);
    CHECK(unused_of(result) == Names{"three.tga"});  // the second of that name in its script
}

TEST_CASE("resolve: cycles of shaders and files end") {
    Game game;
    game.options.roots = {"a"};
    game.add("a", {{.spelling = "b"}, {.spelling = "a"}});
    game.add("b", {{.spelling = "a"}, shader("s")});
    game.add("x.shader",
             {{.spelling = "t", .use = ReferenceUse::shader, .defined_in = 0},
              {.spelling = "s", .use = ReferenceUse::shader, .defined_in = 1}},
             {"s", "t"});
    const ResolveResult result = game.resolve();
    CHECK(game.texts(result.audit.roots[0].names) == Names{"a", "b", "x.shader"});
    CHECK(result.uses[0] == std::vector<std::uint32_t>{1});
}

TEST_CASE(
    "resolve: a missing reference is reported once, with the names that were tried; an optional one is not reported") {
    Game game;
    game.options.roots = {"m.bsp"};
    const auto map = game.add(
        "m.bsp",
        {texture("gone"), optional(texture("editor.tga")), {.spelling = "../../up", .form = ReferenceForm::relative}});
    const ResolveResult result = game.resolve();
    REQUIRE(result.audit.missing.size() == 2);
    CHECK(result.audit.missing[0].reference.spelling == "../../up");
    CHECK(result.audit.missing[0].tried.empty());
    CHECK(result.audit.missing[1].from == "m.bsp");
    CHECK(result.audit.missing[1].tried ==
          Names{"gone.tga", "gone.jpg", "gone.jpeg", "gone.png", "gone.pcx", "gone.bmp"});
    CHECK(result.audit.roots[0].missing.size() == 2);
    CHECK(result.assets[map].references.empty());
    CHECK(result.audit.resolved == 0);
}

TEST_CASE("resolve: a sky box without images is reported once, one that lacks some images once per image") {
    const auto box = [](std::string spelling) {
        return FoundReference{.spelling = std::move(spelling), .use = ReferenceUse::sky_box, .defined_in = 0};
    };
    Game game;
    game.options.roots = {"*.bsp"};
    game.add("a.bsp", {shader("none"), shader("half"), shader("all"), shader("word")});
    game.add("b.bsp", {shader("none")});
    game.add("scripts/none.shader", {box("env/none")}, {"none"});
    const auto half = game.add("scripts/half.shader", {box("env/half")}, {"half"});
    game.add("env/half_bk.jpg");
    const auto all = game.add("scripts/all.shader", {box("env/all")}, {"all"});
    const auto first = game.add("env/all_rt.png");
    for (const std::string side : {"bk", "lf", "ft", "up", "dn"})
        game.add("env/all_" + side + ".tga");
    game.add("scripts/word.shader", {optional(box("full"))}, {"word"});
    const ResolveResult result = game.resolve();
    CHECK(internal(result, all, "env/all_rt") == first);
    CHECK(result.assets[all].references.size() == 6);
    CHECK(result.assets[half].references.size() == 1);
    Names reported;
    for (const MissingReference& missing : result.audit.missing)
        reported.push_back(std::string(reference_use_name(missing.reference.use)) + " " + missing.reference.spelling +
                           " " + missing.tried.front());
    CHECK(reported == Names{"texture env/half_dn env/half_dn.tga", "texture env/half_ft env/half_ft.tga",
                            "texture env/half_lf env/half_lf.tga", "texture env/half_rt env/half_rt.tga",
                            "texture env/half_up env/half_up.tga", "sky_box env/none env/none_rt.tga"});
    CHECK(result.audit.roots[0].missing.size() == 6);
    CHECK(result.audit.roots[1].missing.size() == 1);
    CHECK(result.audit.references == 5 + 6 + 6 + 1 + 1);
    CHECK(result.audit.resolved == 5 + 1 + 6);

    game.options.consumed = {"env/**"};  // then other bundles provide what is absent here
    const ResolveResult consuming = game.resolve();
    CHECK(consuming.audit.missing.empty());
    CHECK(consuming.consumes.size() == 5 + 6);
    CHECK(std::ranges::none_of(consuming.consumes, &PlannedConsume::optional));
}

TEST_CASE("resolve: consumed names become dynamic, and the bundle consumes them and nothing that it contains") {
    Game game;
    game.options.consumed = {"textures/**", "sound/**"};
    const auto map = game.add("m.bsp", {texture("textures/base/wall"),
                                        {.spelling = "textures/a.cfg"},
                                        optional(texture("textures/o.tga")),
                                        texture("textures/here"),
                                        shader("textures/sky"),
                                        texture("env/gone")});
    game.add("textures/here.jpg");
    const ResolveResult result = game.resolve();
    const PlannedReference* const wall = find(result, map, "textures/base/wall");
    REQUIRE(wall);
    CHECK(std::get<PlannedReference::Dynamic>(wall->target).name == "textures/base/wall.tga");
    REQUIRE(result.consumes.size() == 4);
    CHECK(result.consumes[0].text == "textures/a.cfg");
    CHECK_FALSE(result.consumes[0].pattern);
    CHECK(result.consumes[1].text == "textures/base/wall.*");
    CHECK(result.consumes[1].pattern);
    CHECK_FALSE(result.consumes[1].optional);
    CHECK(result.consumes[2].text == "textures/o.*");
    CHECK(result.consumes[2].optional);
    CHECK(result.consumes[3].optional);  // a script of another bundle may define that shader
    REQUIRE(result.audit.missing.size() == 1);
    CHECK(result.audit.missing[0].reference.spelling == "env/gone");

    game.plan.consumes = {{.text = "textures/HERE.jpg"}};
    CHECK(code_of(resolve_plan(game.plan, game.assets, game.options)) == ErrorCode::malformed);
    game.plan.names.back().extends = true;  // then another bundle has to publish it
    CHECK(resolve_plan(game.plan, game.assets, game.options));
}

TEST_CASE("resolve: names and shaders of static dependencies are found, after those of the bundle") {
    Game base;
    base.add("textures/wall.tga");
    base.add("textures/both.tga");
    const std::string text = "textures/sky\n{\n{\nmap textures/wall.tga\n}\n}\n";
    const auto bytes = std::as_bytes(std::span(text));
    base.plan.assets.push_back({.source = make_memory_blob({bytes.begin(), bytes.end()}),
                                .key = "scripts/s.shader",
                                .content_type = "text/x-quake-shader"});
    base.add_name("scripts/s.shader", 2);
    const auto bundle = open_bundle(base.plan);

    Game game;
    game.plan.dependencies = {{.bundle = bundle->id(), .is_static = true}};
    game.options.dependencies = {bundle};
    const auto map = game.add("m.bsp", {texture("textures/wall"), texture("textures/both"), shader("textures/SKY")});
    const auto own = game.add("textures/both.tga");
    const ResolveResult result = game.resolve();
    CHECK(result.audit.resolved == 3);
    CHECK(internal(result, map, "textures/both") == own);
    const auto id_of = [&](std::string_view name) {
        return bundle->asset(*bundle->default_asset(*bundle->name(**bundle->find_name(name))))->id;
    };
    const auto foreign = [&](std::string_view spelling) {
        return std::get<PlannedReference::Foreign>(find(result, map, spelling)->target);
    };
    CHECK(foreign("textures/wall").asset == id_of("textures/wall.tga"));
    CHECK(foreign("textures/wall").dependency == 0);
    CHECK(find(result, map, "textures/wall")->name == "textures/wall.tga");
    CHECK(find(result, map, "textures/SKY")->name.empty());  // the script is not the target's name
    CHECK(foreign("textures/SKY").asset == id_of("scripts/s.shader"));

    game.plan.assets[map].references = result.assets[map].references;
    CHECK(open_bundle(game.plan)->table_count(TableKind::foreign_assets) == 2);

    game.plan.dependencies[0].is_static = false;
    CHECK_FALSE(resolve_plan(game.plan, game.assets, game.options));
}

TEST_CASE("resolve: one spelling of an asset has one target: of several uses the first that is not optional") {
    Game game;
    game.options.roots = {"m.bsp"};
    const auto map = game.add("m.bsp", {optional({.spelling = "x.tga"}), shader("x.tga"), texture("x.tga")});
    const auto script = game.add("s.shader", {}, {"x"});
    game.add("x.tga");
    const ResolveResult result = game.resolve();
    REQUIRE(result.assets[map].references.size() == 1);
    CHECK(internal(result, map, "x.tga") == script);
    CHECK_FALSE(find(result, map, "x.tga")->optional);
    CHECK(unused_of(result).empty());  // all of them are reached
}

TEST_CASE(
    "resolve: a relative spelling that means another file behind each name of its asset is in no table, and reaches "
    "both") {
    Game game;
    game.options.roots = {"a/m.obj", "b/m.obj"};
    const auto model = game.add("a/m.obj", {relative("m.mtl"), relative("../c.mtl")});
    game.add_name("b/m.obj", model);
    game.add("a/m.mtl");
    game.add("b/m.mtl");
    const auto common = game.add("c.mtl");
    const ResolveResult result = game.resolve();
    CHECK(find(result, model, "m.mtl") == nullptr);
    CHECK(internal(result, model, "../c.mtl") == common);
    CHECK(game.texts(result.audit.roots[0].names) == Names{"a/m.mtl", "a/m.obj", "c.mtl"});
    CHECK(game.texts(result.audit.roots[1].names) == Names{"b/m.mtl", "b/m.obj", "c.mtl"});
}

TEST_CASE("resolve: a reference to a name with variants means that name in its own bundle") {
    Game game;
    const auto map = game.add("m.bsp", {texture("t.tga"), texture("u.tga")});
    const auto plain = game.add("t.tga"), more = game.add("x.tga");
    for (const char* name : {"t.tga", "u.tga"}) {
        PlannedName planned{.name = *AssetName::parse(name),
                            .variants = {{.asset = plain}, {{{"quality", "hd"}}, more}},
                            .published = std::string_view(name) == "t.tga"};
        std::erase_if(game.plan.names, [&](const PlannedName& one) { return one.name == planned.name; });
        game.plan.names.push_back(std::move(planned));
    }
    const ResolveResult result = game.resolve();
    CHECK(internal(result, map, "t.tga") == plain);
    CHECK(find(result, map, "t.tga")->name == "t.tga");
    CHECK(internal(result, map, "u.tga") == plain);
    CHECK(find(result, map, "u.tga")->name == "u.tga");
    CHECK(result.consumes.empty());
}

TEST_CASE("resolve: spellings that no bundle can hold are resolved, and in no table") {
    Game game;
    const auto file = game.add("m.gltf", {{.spelling = "a.bin?\xff", .form = ReferenceForm::relative_uri}});
    game.add("a.bin");
    const ResolveResult result = game.resolve();
    CHECK(result.audit.resolved == 1);
    CHECK(result.assets[file].references.empty());
}

TEST_CASE("resolve: `used` patterns keep what they reach in use; patterns that match nothing are reported") {
    Game game;
    game.options.roots = {"m.bsp", "nothing/**"};
    game.options.used = {"gfx/*"};
    game.add("m.bsp");
    game.add("gfx/hud.menu", {texture("gfx2/bar")});
    game.add("gfx2/bar.tga");
    game.add("left.tga");
    game.assets[3].broken = "not a picture";
    const ResolveResult result = game.resolve();
    CHECK(unused_of(result) == Names{"left.tga"});
    CHECK(result.audit.by_code == 2);
    CHECK(result.audit.idle_patterns == Names{"nothing/**"});
    REQUIRE(result.audit.broken.size() == 1);
    CHECK(result.audit.broken[0].name == "left.tga");
}

TEST_CASE("resolve: input that contradicts itself is refused") {
    Game game;
    game.add("a", {texture("x", 3)});
    CHECK_FALSE(resolve_plan(game.plan, game.assets, {}));
    game.assets[0].findings = {};
    CHECK(resolve_plan(game.plan, game.assets, {}));
    CHECK_FALSE(resolve_plan(game.plan, {}, {}));
    ResolveOptions options;
    options.roots = {"a**"};
    CHECK_FALSE(resolve_plan(game.plan, game.assets, options));
    game.plan.names[0].variants[0].asset = 7;
    CHECK_FALSE(resolve_plan(game.plan, game.assets, {}));
}

TEST_CASE("resolve: files with equal bytes agree on their references, so the bundle can be written") {
    Game game;
    const std::string text = "mtllib m.mtl\nmtllib ../c.mtl\n";
    const auto bytes = std::as_bytes(std::span(text));
    for (const std::string name : {"a/m.obj", "b/m.obj"}) {
        game.add(name);
        game.plan.assets.back().source = make_memory_blob({bytes.begin(), bytes.end()});
        game.plan.assets.back().content_type = "model/obj";
        game.assets.back().size_bytes = text.size();
    }
    for (const char* name : {"a/m.mtl", "b/m.mtl", "c.mtl"})
        game.add(name);
    const auto scan = scan_plan(game.plan, game.assets);
    REQUIRE(scan);
    game.assets = scan->assets;
    ResolveResult result = game.resolve();
    CHECK(result.assets[0].references.size() == 2);
    leave_agreed_references(scan->assets, result.assets);
    REQUIRE(result.assets[0].references.size() == 1);
    CHECK(internal(result, 1, "../c.mtl") == 4);
    for (std::size_t i = 0; i < result.assets.size(); ++i)
        game.plan.assets[i].references = result.assets[i].references;
    open_bundle(game.plan);
}

}  // namespace fardel::tests::resolve_test
