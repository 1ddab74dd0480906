#include "kit/test.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/vfs/vfs_path.h>

namespace fardel::tests::vfs_path_test {

const std::string kId(64, 'a');

PathKind kind_of(std::string_view text) {
    const auto path = parse_path_parts(text);
    REQUIRE_MESSAGE(path, text);
    return path->kind;
}

std::string refusal_of(std::string_view text) {
    const auto path = parse_path_parts(text);
    return path ? "none" : std::string(error_code_name(path.error().code()));
}

TEST_CASE("path: each kind is known by its text") {
    CHECK(kind_of("/") == PathKind::root);
    CHECK(kind_of("/assets") == PathKind::assets);
    CHECK(kind_of("/assets/" + kId) == PathKind::asset);
    CHECK(kind_of("/bundles") == PathKind::bundles);
    CHECK(kind_of("/bundles/" + kId) == PathKind::bundle);
    CHECK(kind_of("/bundles/" + kId + "/maps/dm01.bsp") == PathKind::bundle_name);
    CHECK(kind_of("/maps/dm01.bsp") == PathKind::published);
    CHECK(kind_of("/maps") == PathKind::published);
    CHECK(kind_of("/assetsx") == PathKind::published);
    CHECK(kind_of("/maps/assets") == PathKind::published);
}

TEST_CASE("path: its parts are those of the text") {
    const std::string text = "/bundles/" + kId + "/maps/dm01.bsp";
    const auto path = parse_path_parts(text);
    REQUIRE(path);
    CHECK(path->id.hex() == kId);
    CHECK(path->name == "maps/dm01.bsp");
    CHECK(path->name.data() == text.data() + text.find("maps"));
    CHECK(path->hash == name_hash("maps/dm01.bsp"));
}

TEST_CASE("path: only 64 lower-case digits are an id; anything else is a published name") {  // A18
    CHECK(kind_of("/assets/" + std::string(64, 'A')) == PathKind::published);
    CHECK(kind_of("/assets/0x" + kId) == PathKind::published);
    CHECK(kind_of("/assets/" + kId.substr(1)) == PathKind::published);
    CHECK(kind_of("/assets/" + kId + "a") == PathKind::published);
    CHECK(kind_of("/assets/" + kId.substr(1) + "g") == PathKind::published);
    CHECK(kind_of("/assets/" + kId + "/x") == PathKind::nowhere);
    CHECK(kind_of("/bundles/" + std::string(64, 'F')) == PathKind::published);
    CHECK(kind_of("/bundles/abc/maps") == PathKind::published);
    CHECK(kind_of("/bundles/" + kId + "a/maps") == PathKind::published);
}

TEST_CASE("path: below /assets and /bundles are the names of games, too") {  // A15
    for (const std::string& name :
         {std::string("assets/minecraft/textures/stone.png"), std::string("bundles/b.txt"), std::string("Assets"),
          std::string("ASSETS/readme"), "Bundles/" + kId, std::string("a\u017f\u017fets/readme")}) {
        CAPTURE(name);
        const std::string text = "/" + name;
        const auto path = parse_path_parts(text);
        REQUIRE(path);
        CHECK(path->kind == PathKind::published);
        CHECK(path->name == name);
        CHECK(path->hash == name_hash(name));
    }
    CHECK(parse_path_parts("/assets")->name == "assets");
    CHECK(parse_path_parts("/bundles")->name == "bundles");
}

TEST_CASE("path: a text that is not in the canonical form is refused") {  // A01, A02, A03
    for (const char* text :
         {"",           "maps/", "//",      "/maps/",   "//maps",    "/maps//dm01", "/.",         "/..",
          "/maps/../x", "/a\\b", "/c:",     "/a\n",     "/assets/",  "/bundles/",   "/assets/..", "/NUL",
          "/a.",        "/ a",   "\\maps",  ".",        "..",        "../maps",     "maps//dm01", "maps/../x",
          "a\\b",       "c:",    "assets/", "bundles/", "assets/..", "NUL",         "./maps"})
        CHECK_MESSAGE(refusal_of(text) == "malformed", text);
    CHECK(refusal_of(std::string_view("/a\0b", 4)) == "malformed");
    CHECK(refusal_of("/bundles/" + kId + "/") == "malformed");
    CHECK(refusal_of("/bundles/" + kId + "//x") == "malformed");
    CHECK(refusal_of("bundles/" + kId + "/") == "malformed");
    CHECK(refusal_of(std::string(256, 'a')) == "limit");
    CHECK(refusal_of("/" + std::string(256, 'a')) == "limit");
}

TEST_CASE("path: text without the leading '/' is the same path") {
    for (const std::string& text :
         {std::string("assets"), "assets/" + kId, std::string("bundles"), "bundles/" + kId,
          "bundles/" + kId + "/maps/a", std::string("maps/dm01.bsp"), std::string("Assets"), std::string("a")}) {
        CAPTURE(text);
        const std::string absolute = "/" + text;
        const auto with = parse_path_parts(absolute);
        const auto without = parse_path_parts(text);
        REQUIRE(with);
        REQUIRE(without);
        CHECK(with->kind == without->kind);
        CHECK(with->id == without->id);
        CHECK(with->name == without->name);
        CHECK(with->hash == without->hash);
    }
}

TEST_CASE("path: a name of the greatest length still fits below a bundle") {
    std::string name = std::string(255, 'a');
    for (int i = 0; i < 3; ++i)
        name += "/" + std::string(255, 'b');
    REQUIRE(name.size() == limits::kNameBytesMax - 1);
    CHECK(kind_of("/" + name) == PathKind::published);
    CHECK(kind_of("/bundles/" + kId + "/" + name) == PathKind::bundle_name);
}

TEST_CASE("path: refusals do not repeat raw bytes") {
    const auto path = parse_path_parts("/a\x1b[31m");
    REQUIRE_FALSE(path);
    CHECK(path.error().message().find('\x1b') == std::string::npos);
}

TEST_CASE("extensions: a list is parsed, and everything else is refused") {
    const auto outcome = [](std::string_view text) {
        const auto parsed = NameExtensions::parse(text);
        return parsed ? "ok" : std::string(error_code_name(parsed.error().code()));
    };
    CHECK(NameExtensions::parse("tga,JPG,ktx2").value().list() == std::vector<std::string>{"tga", "JPG", "ktx2"});
    for (const std::string_view text :
         {"", ",", "tga,", ",tga", "tga,,jpg", ".tga", "t/a", "tar.gz", "a b", "..", "*", "tga,TGA", "\xc3\xa4", "a\n"})
        CHECK_MESSAGE(outcome(text) == "malformed", text);
    CHECK(outcome(std::string(32, 'x')) == "ok");
    CHECK(outcome(std::string(33, 'x')) == "malformed");
    std::string many = "e0";
    for (std::size_t i = 1; i < kNameExtensionsMax; ++i)
        many += ",e" + std::to_string(i);
    CHECK(outcome(many) == "ok");
    CHECK(outcome(many + ",more") == "limit");
}

TEST_CASE("extensions: an extension of the list is replaced, anything else is part of the name") {
    const NameExtensions list = NameExtensions::parse("tga,jpg").value();
    using Names = std::vector<std::string>;
    CHECK(list.other_names("a/water") == Names{"a/water.tga", "a/water.jpg"});
    CHECK(list.other_names("a/water.tga") == Names{"a/water.jpg", "a/water"});
    CHECK(list.other_names("a/water.JPG") == Names{"a/water.tga", "a/water"});
    CHECK(list.other_names("a/water.png") == Names{"a/water.png.tga", "a/water.png.jpg", "a/water"});
    CHECK(list.other_names("a.tga/water") == Names{"a.tga/water.tga", "a.tga/water.jpg"});
    CHECK(NameExtensions().other_names("a/water").empty());
}

}  // namespace fardel::tests::vfs_path_test
