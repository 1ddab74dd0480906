#include "kit/test.h"
#include "scan/reference_scanners.h"

namespace fardel::tests::reference_candidates_test {

using Lines = std::vector<std::string>;

// A shader's name stands in <>.
Lines candidates(std::string spelling, ReferenceUse use, ReferenceForm form = ReferenceForm::from_root,
                 std::string_view from = "maps/sub/x.bsp") {
    Lines lines;
    for (const NameCandidate& one : candidate_names({.spelling = std::move(spelling), .use = use, .form = form}, from))
        lines.push_back(one.kind == CandidateKind::shader ? "<" + one.name + ">" : one.name);
    return lines;
}

TEST_CASE("candidates: a shader of that name comes first, then the name as written, then images in the game's order") {
    CHECK(candidates("textures/x", ReferenceUse::shader) == Lines{"<textures/x>", "textures/x", "textures/x.tga",
                                                                  "textures/x.jpg", "textures/x.jpeg", "textures/x.png",
                                                                  "textures/x.pcx", "textures/x.bmp"});
}

TEST_CASE("candidates: a given extension comes before the others, none comes last, and a shader's name has none") {
    CHECK(candidates("a/x.JPG", ReferenceUse::shader) ==
          Lines{"<a/x>", "a/x.JPG", "a/x.tga", "a/x.jpeg", "a/x.png", "a/x.pcx", "a/x.bmp", "a/x"});
    CHECK(candidates("s/x.wav", ReferenceUse::sound) == Lines{"s/x.wav", "s/x.ogg", "s/x.opus", "s/x"});
    CHECK(candidates("m/x.md3", ReferenceUse::model) == Lines{"m/x.md3", "m/x.iqm", "m/x.mdr", "m/x"});
    CHECK(candidates("a.b/x", ReferenceUse::sound) == Lines{"a.b/x", "a.b/x.wav", "a.b/x.ogg", "a.b/x.opus"});
    CHECK(candidates("x.1", ReferenceUse::sound) == Lines{"x.1", "x.1.wav", "x.1.ogg", "x.1.opus", "x"});
}

TEST_CASE("candidates: an image of a stage is never a shader") {
    CHECK(candidates("x.tga", ReferenceUse::texture).front() == "x.tga");
}

TEST_CASE("candidates: maps, films and shaders of map sources are looked up in their folders") {
    CHECK(candidates("oa_dm1", ReferenceUse::map) == Lines{"maps/oa_dm1.bsp", "maps/oa_dm1"});
    CHECK(candidates("intro.roq", ReferenceUse::video) == Lines{"video/intro.roq", "video/intro"});
    CHECK(candidates("a/intro", ReferenceUse::video) == Lines{"a/intro", "a/intro.roq"});
    CHECK(candidates("common/caulk", ReferenceUse::shader, ReferenceForm::below_textures).front() ==
          "<textures/common/caulk>");
}

TEST_CASE("candidates: a sky box has the candidates of its first side, and six sides") {
    CHECK(candidates("env/sky", ReferenceUse::sky_box) == candidates("env/sky_rt", ReferenceUse::texture));
    const auto sides =
        sky_box_sides({.spelling = "env/sky", .use = ReferenceUse::sky_box, .optional = true, .line = 7});
    Lines spellings;
    for (const FoundReference& side : sides) {
        spellings.push_back(side.spelling);
        CHECK(side.use == ReferenceUse::texture);
        CHECK(side.optional);
        CHECK(side.line == 7);
    }
    CHECK(spellings == Lines{"env/sky_rt", "env/sky_bk", "env/sky_lf", "env/sky_ft", "env/sky_up", "env/sky_dn"});
}

TEST_CASE("candidates: relative names start at the folder of their asset, and stay in the tree") {
    const auto relative = [](std::string spelling) {
        return candidates(std::move(spelling), ReferenceUse::texture, ReferenceForm::relative, "a/b/x.mtl");
    };
    CHECK(relative("t.png") == Lines{"a/b/t.png", "a/b/t"});
    CHECK(relative(".\\c\\..\\t.png") == Lines{"a/b/t.png", "a/b/t"});
    CHECK(relative("../../t.png") == Lines{"t.png", "t"});
    CHECK(relative("..\\\\c//./t.png ") == Lines{"a/c/t.png", "a/c/t"});
    CHECK(relative("../../../t.png").empty());
    CHECK(relative("/t.png").empty());
    CHECK(relative("c:/t.png").empty());
    const auto uri = [](std::string spelling) {
        return candidates(std::move(spelling), ReferenceUse::file, ReferenceForm::relative_uri, "x.gltf");
    };
    CHECK(uri("a%20b%2Fc.bin?v=1#f") == Lines{"a b/c.bin", "a%20b%2Fc.bin", "a b/c", "a%20b%2Fc"});
    CHECK(uri("http://host/a.bin").empty());
    CHECK(uri("a%2") == Lines{"a%2"});
    CHECK(uri("a%zz") == Lines{"a%zz"});
    CHECK(uri("%2e%2e/a") == Lines{"%2e%2e/a"});
    CHECK(uri("a%00b") == Lines{"a%00b"});
    CHECK(uri("Material #25.png") == Lines{"Material", "Material #25.png", "Material #25"});
    CHECK(uri("#sample.jpg") == Lines{"#sample.jpg", "#sample"});
    CHECK(uri("tex\\a.png") == Lines{"tex/a.png", "tex/a"});
    CHECK(uri("Ocan\u0303a.png") == Lines{"Oca\u00f1a.png", "Oca\u00f1a"});
}

TEST_CASE(
    "candidates: backslashes separate folders, one leading slash is ignored, and an invalid name has no candidates") {
    CHECK(candidates("/sound\\x.wav", ReferenceUse::sound).front() == "sound/x.wav");
    CHECK(candidates("a//x", ReferenceUse::sound).empty());
    CHECK(candidates("", ReferenceUse::texture).empty());
    CHECK(candidates("\xff\xfe", ReferenceUse::sound).empty());
    CHECK(candidates("../x", ReferenceUse::sound).empty());
    CHECK(candidates(std::string(1'000'000, 'x'), ReferenceUse::sound).empty());
}

TEST_CASE("candidates: a spelling that cannot be a name of the game has a reason") {
    const auto why = [](std::string spelling, ReferenceForm form) {
        return why_no_candidate({.spelling = std::move(spelling), .form = form}, "a/x.gltf");
    };
    CHECK(why("HTTPS://host/a.png", ReferenceForm::relative_uri) == "an address (HTTPS:), not a name of the game");
    CHECK(why("file:///a.png", ReferenceForm::relative_uri) == "an address (file:), not a name of the game");
    for (const ReferenceForm form : {ReferenceForm::relative_uri, ReferenceForm::relative})
        for (const char* path : {"/a.png", "\\\\server\\a.png", "C:\\a.png", "c:/a.png"})
            CHECK(why(path, form) == "an absolute path");
    CHECK(why("C:\\a.png", ReferenceForm::from_root) == "an absolute path");
    CHECK(why("/a.png", ReferenceForm::from_root).empty());
    CHECK(why("../../a.png", ReferenceForm::relative) == "leads out of the tree");
    CHECK(why("what?.png", ReferenceForm::relative).find('?') != std::string::npos);
    CHECK(why("a.png", ReferenceForm::relative_uri).empty());
}

}  // namespace fardel::tests::reference_candidates_test
