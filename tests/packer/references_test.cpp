#include "scan/reference_scanners.h"

#include <fardel/format/limits.h>

#include "kit/test.h"
#include "reference_bytes.h"

namespace fardel::tests::references_test {

constexpr std::string_view kShader = "text/x-quake-shader";
constexpr std::string_view kSkin = "text/x-quake-skin";
constexpr std::string_view kMenu = "text/x-quake-menu";
constexpr std::string_view kArena = "text/x-quake-arena";
constexpr std::string_view kMap = "text/x-quake-map";
constexpr std::string_view kMd3 = "model/x-md3";
constexpr std::string_view kBsp = "application/x-bsp";
constexpr std::string_view kGltf = "model/gltf+json";
constexpr std::string_view kGlb = "model/gltf-binary";

Result<ScanFindings> scan(std::string_view type, std::string_view text) {
    return scan_references("dir/asset", type, bytes_of(text));
}

// "3 texture? textures/x": line, use, ? when optional, spelling.
std::vector<std::string> found(std::string_view type, std::string_view text) {
    const auto findings = scan(type, text);
    REQUIRE_MESSAGE(findings, findings.error().text());
    std::vector<std::string> lines;
    const auto& all = findings->references;
    for (const FoundReference& one : all) {
        // Of a statement that can be read in several ways, the last way: that of the specification.
        const bool is_earlier = std::ranges::any_of(all, [&](const FoundReference& other) {
            return one.statement != 0 && other.statement == one.statement && other.reading > one.reading;
        });
        if (is_earlier)
            continue;
        lines.push_back(std::to_string(one.line) + " " + std::string(reference_use_name(one.use)) +
                        (one.optional ? "? " : " ") + one.spelling);
    }
    return lines;
}

void check_refused(std::string_view type, std::string_view text, ErrorCode code, std::string_view word) {
    CAPTURE(std::string(text));
    tests::check_error(scan(type, text), code, word);
}

using Lines = std::vector<std::string>;

TEST_CASE("references: a shader file names the images of its stages and sky, and defines its shaders") {
    const std::string text =
        "// water\n"
        "textures/liquids/water\n"
        "{\n"
        "\tqer_editorimage textures/liquids/edit.tga\n"
        "\tsurfaceparm nolightmap /* map no.tga */\n"
        "\t{\n"
        "\t\tMAP textures/liquids/a.tga // map no.tga\n"
        "\t\tblendFunc add\n"
        "\t}\n"
        "\t{\n"
        "\t\tanimMap 10 a1.tga a2.tga\n"
        "\t}\n"
        "\t{ map $lightmap\n"
        "\t}\n"
        "}\n"
        "\"sky box\"\n"
        "{\n"
        "\tskyparms env/sky 512 -\n"
        "\tq3map_backshader textures/liquids/water\n"
        "\t{\n\t\tclampmap *white\n\t\tvideomap intro.roq\n\t\tmap textures/liquids/a.tga\n\t}\n"
        "}\n";
    CHECK(found(kShader, text) == Lines{"4 texture? textures/liquids/edit.tga", "7 texture textures/liquids/a.tga",
                                        "11 texture a1.tga", "11 texture a2.tga", "18 sky_box env/sky",
                                        "19 shader? textures/liquids/water", "22 video intro.roq",
                                        "23 texture textures/liquids/a.tga"});
    const auto findings = scan(kShader, text);
    CHECK(findings->defines == Lines{"textures/liquids/water", "sky box"});
    for (const FoundReference& one : findings->references)  // the references of the second shader begin with its sky
        CHECK(one.defined_in == (one.line < 16 ? 0 : 1));
}

TEST_CASE("references: a far sky box that is a bare word is optional, and so is every near one; - is no reference") {
    const auto sky = [](std::string_view boxes) {
        return found(kShader, "sky\n{\n\tskyParms " + std::string(boxes) + "\n}\n");
    };
    CHECK(sky("env/hills 512 -") == Lines{"3 sky_box env/hills"});
    CHECK(sky("env\\hills - -") == Lines{"3 sky_box env\\hills"});
    CHECK(sky("full 512 -") == Lines{"3 sky_box? full"});
    CHECK(sky("- 512 env/near") == Lines{"3 sky_box? env/near"});
    CHECK(sky("env/both 512 env/both") == Lines{"3 sky_box env/both"});
    CHECK(sky("- 512 -").empty());
    CHECK(sky("env/hills") == Lines{"3 sky_box env/hills"});
    CHECK(sky("").empty());
}

// What is not read of the text and why, or what it is instead.
std::string mistakes_in(std::string_view text) {
    const auto findings = scan(kShader, text);
    REQUIRE_MESSAGE(findings, findings.error().text());
    std::string all = findings->other_format;
    for (const std::string& mistake : findings->mistakes)
        all += (all.empty() ? "" : "; ") + mistake;
    return all;
}

TEST_CASE("references: each prefix of a shader that cuts it is a mistake in it") {
    const std::string text = "a\n{\n{\nmap \"b c\"\n}\n}\n";
    CHECK(mistakes_in(text).empty());
    for (std::size_t size = 1; size < text.size() - 1; ++size) {
        CAPTURE(size);
        CHECK(mistakes_in(text.substr(0, size)).find("line ") != std::string::npos);
    }
    CHECK(mistakes_in("").empty());
}

TEST_CASE("references: shaders with braces out of place are mistakes") {
    CHECK(mistakes_in("a\n{\n}\n}\n") == "line 4: } without {");
    CHECK(mistakes_in("{\n}\n").find("no name") != std::string::npos);
    CHECK(mistakes_in("a\nb\n{\n}\n").find("not followed by {") != std::string::npos);
    CHECK(mistakes_in("a\n{\n{\n{\n").find("inside a stage") != std::string::npos);
    CHECK(mistakes_in("a /* b").find("comment has no end") != std::string::npos);
    check_refused(kShader, std::string_view("a\n{\n}\n\0", 7), ErrorCode::malformed, "byte 6 of the text is NUL");
}

TEST_CASE("references: a mistake costs its shader; the shaders before and behind it are read") {
    const auto shader = [](std::string_view name, std::string_view image) {
        return std::string(name) + "\n{\n\t{\n\t\tmap " + std::string(image) + "\n\t}\n}\n";
    };
    const std::string first = shader("textures/a", "a.tga");
    const std::string last = shader("textures/z", "z.tga");
    const auto expect = [&](std::string_view middle, std::string_view mistake) {
        CAPTURE(std::string(middle));
        const auto findings = scan(kShader, first + std::string(middle) + last);
        REQUIRE(findings);
        CHECK(findings->defines.front() == "textures/a");
        CHECK(findings->defines.back() == "textures/z");
        CHECK(findings->references.front().spelling == "a.tga");
        CHECK(findings->references.back().spelling == "z.tga");
        REQUIRE(findings->mistakes.size() == 1);
        CHECK(findings->mistakes[0].find(mistake) != std::string::npos);
    };
    expect("}\n", "line 7: } without {");
    expect("textures/m\n{\n{\n{\nmap m.tga\n}\n}\n", "{ inside a stage");
    expect("textures/m\n{\n{\nmap m.tga\n}\n", "the shader before has a { without }");
    expect("textures/m\n{\n{\nmap m.tga\n", "the shader before has a { without }");
    expect("{\n{\nmap m.tga\n}\n}\n", "a shader has no name");
    expect("####\n", "line 7: a shader's name is not followed by {");
    CHECK(mistakes_in(first + "/* old stuff\n").empty());  // the game reads it as a comment
    CHECK(mistakes_in(first + "\"textures/m\n{\n").find("a quote has no end") != std::string::npos);
}

TEST_CASE("references: one line of a shader may have several keywords") {
    CHECK(found(kShader,
                "textures/a\n{\nsurfaceparm trans qer_editorimage e.tga\n"
                "{ blendfunc add map b.tga rgbGen identity }\n"
                "{ rgbGen wave sin 0 1 0 1 clampmap c.tga animMap 2 d.tga f.tga }\n}\n") ==
          Lines{"3 texture? e.tga", "4 texture b.tga", "5 texture c.tga", "5 texture d.tga", "5 texture f.tga"});
}

TEST_CASE("references: an implicit map is the image that it names, or has the shader's own name") {
    CHECK(found(kShader, "textures/m\n{\nimplicitMap -\n}\ntextures/n\n{\nimplicitMask n.tga\n}\n") ==
          Lines{"3 texture textures/m", "7 texture n.tga"});
}

TEST_CASE("references: the words of a profile name images inside and outside stages") {
    GameProfile profile;
    profile.image_words = {"diffuseMap"};
    const std::string_view text = "textures/a\n{\ndiffusemap d\n{\ndiffuseMap e\n}\n}\n";
    const auto findings = scan_references("a.shader", kShader, bytes_of(text), false, profile);
    REQUIRE(findings);
    CHECK(findings->references.size() == 2);
    CHECK(found(kShader, text).empty());
}

TEST_CASE("references: files of other programs are of another format, and not broken") {
    const auto other = [](std::string_view type, std::string_view text) {
        const auto findings = scan(type, text);
        REQUIRE_MESSAGE(findings, findings.error().text());
        CHECK(findings->references.empty());
        CHECK(findings->mistakes.empty());
        return findings->other_format;
    };
    CHECK(other(kShader, "shader_type spatial;\nvoid fragment() {\n}\n") != "");
    CHECK(other(kShader, "Shader \"X/Y\" { SubShader { Pass { } } }\n") != "");
    CHECK(other(kShader, "#shader vertex\n#version 330 core\nvoid main()\n{\n}\n") != "");
    CHECK(other(kShader, "{ \"Source\" : \"a.azsl\" }") == "JSON");
    CHECK(other(kMap, "Gg, Gg, Ww\nGg, 1 Ke, Ww\n") != "");
    CHECK(other(kMap, "Version 2\n{\n}\n") != "");
    CHECK(other(kMap, "{ \"width\": 10 }") == "JSON");
    CHECK(other(kMap, "\xef\xbb\xbf<?xml version=\"1.0\"?><map/>") == "XML");
    CHECK(other(kMap, "[{\"a\":1}]") == "JSON");
    CHECK(other(kArena, "arena \"castle\" {\n}\n") != "");
    CHECK(other(kSkin, "[Variables]\ncolour=red\n") != "");
    CHECK(other(kMenu, "<menu/>") == "XML");
    CHECK(other("model/obj", std::string_view("\x64\x86\1\0\0\0\0\0", 8)) == "no text");
    check_refused(kMap, std::string_view("\xff\xfe{\0\n\0", 6), ErrorCode::malformed, "UTF-16");
}

TEST_CASE("references: a name that occurs again counts once, and is optional only if every occurrence is") {
    CHECK(found(kShader, "a\n{\nqer_editorimage x\n{\nmap x\n}\n}\n") == Lines{"3 texture x"});
}

TEST_CASE("references: more names than an asset may have are a limit") {
    std::string text = "a\n{\n{\n";
    for (std::uint32_t i = 0; i < limits::kReferencesPerAssetMax; ++i)
        text += "map " + std::to_string(i) + "\n";
    CHECK(scan(kShader, text + "}\n}\n"));
    check_refused(kShader, text + "map one_more\n}\n}\n", ErrorCode::limit, "more than 1000000");
    check_refused(kSkin, "a," + std::string(limits::kStringBytesMax + 1, 'x'), ErrorCode::limit, "65536 bytes");
}

TEST_CASE("references: a skin names the shader of each surface, and none for tags") {
    CHECK(found(kSkin, "h_head,models/players/a/head.tga\r\ntag_torso,\r\n\r\n u_torso , \"models/b.jpg\"\ntag_head") ==
          Lines{"1 shader models/players/a/head.tga", "4 shader models/b.jpg"});
    CHECK(found(kSkin, "md3_hat,models/hat.md3\nu_x,nodraw") == Lines{"1 model models/hat.md3", "2 shader? nodraw"});
}

TEST_CASE("references: a list of bots names models, skins, heads, icons and characters") {
    const auto bots = [](std::string_view text) {
        const auto findings = scan_references("scripts/bots.txt", "text/plain", bytes_of(text));
        REQUIRE_MESSAGE(findings, findings.error().text());
        Lines lines;
        for (const FoundReference& one : findings->references) {
            CHECK(one.use == ReferenceUse::file);
            lines.push_back(std::to_string(one.line) + " " + one.spelling);
        }
        return lines;
    };
    CHECK(bots("// bots\n{\nname\t\tSarge\nmodel\t\tsarge\naifile\tbots/sarge_c.c\n}\n") ==
          Lines{"4 models/players/sarge/lower.md3", "4 models/players/sarge/upper.md3",
                "4 models/players/sarge/animation.cfg", "4 models/players/sarge/lower_default.skin",
                "4 models/players/sarge/upper_default.skin", "4 models/players/sarge/head.md3",
                "4 models/players/sarge/head_default.skin", "4 models/players/sarge/icon_default.tga",
                "5 botfiles/bots/sarge_c.c"});
    const Lines head = bots("{\nmodel james/red\nheadmodel *james\n}\n");
    CHECK(head[3] == "2 models/players/james/lower_red.skin");
    CHECK(head[5] == "3 models/players/heads/james/james.md3");
    CHECK(head.back() == "3 models/players/heads/james/icon_default.tga");
    CHECK(scan_references("scripts/my.bot", "", bytes_of("{\nmodel a\n}\n"))->references.size() == 8);
    CHECK_FALSE(scan_references("scripts/bots.txt", "text/plain", bytes_of("{\nmodel a\n")));
    CHECK_FALSE(scan_references("scripts/bots.txt", "text/plain", bytes_of("{\n}\nmodel a\n")));
    CHECK(scan_references("scripts/bots.txt", "text/plain", bytes_of("model a\n"))->other_format != "");
}

TEST_CASE("references: a bot's character names its weights and chats, below botfiles/") {
    const auto findings = scan_references("botfiles/bots/sarge_c.c", "text/x-c",
                                          bytes_of("#include \"chars.h\"\nskill 1\n{\n CHARACTERISTIC_NAME \"Sarge\"\n"
                                                   " CHARACTERISTIC_WEAPONWEIGHTS \"bots/sarge_w.c\" // \"no.c\"\n"
                                                   " \"it's a trap\n}\n"));
    REQUIRE(findings);
    REQUIRE(findings->references.size() == 2);
    CHECK(findings->references[0].spelling == "botfiles/chars.h");
    CHECK(findings->references[1].spelling == "botfiles/bots/sarge_w.c");
    CHECK(findings->references[1].line == 5);
}

TEST_CASE("references: a menu names pictures, sounds, models, films and scripts") {
    const std::string text =
        "#include \"ui/menudef.h\"\n"
        "{ loadMenu { \"ui/main.menu\" } }\n"
        "menuDef {\n"
        "  background \"ui/assets/back\"\n"
        "  name \"background\" text \"play\"\n"
        "  onOpen { playlooped \"music/a.wav\" ; setbackground \"ui/b\" ; play\"sound/c\"; }\n"
        "  itemDef { asset_model \"models/d.md3\" cinematic \"e.roq\" }\n"
        "}\n";
    CHECK(found(kMenu, text) == Lines{"1 script ui/menudef.h", "2 script ui/main.menu", "4 shader ui/assets/back",
                                      "6 sound music/a.wav", "6 shader ui/b", "6 sound sound/c", "7 model models/d.md3",
                                      "7 video e.roq"});
    check_refused(kMenu, "menuDef {\n", ErrorCode::malformed, "ends inside a block");
    check_refused(kMenu, "}", ErrorCode::malformed, "} without {");
    check_refused(kMenu, "background \"x", ErrorCode::malformed, "quote has no end");
    CHECK(
        scan_references("ui/menus.txt", "text/plain", bytes_of("{ loadMenu { \"ui/x.menu\" } }"))->references.size() ==
        1);
}

TEST_CASE("references: a menu's macros stand for their values, in other macros and in values of keywords") {
    const std::string text =
        "#define SND_SELECT \"sound/misc/menu1\"\n"
        "#define SND_OK SND_SELECT\n"
        "#define BUTTON style 1 \\\n  background \"ui/assets/button\" textstyle 2\n"
        "#define GOBACK \"open main\";\n"
        "menuDef {\n"
        "  background PIC_BACK\n"  // of an included file
        "  onOpen { play SND_OK ; playlooped \"music/a\" ; }\n"
        "}\n";
    CHECK(found(kMenu, text) == Lines{"4 shader ui/assets/button", "8 sound sound/misc/menu1", "8 sound music/a"});
}

TEST_CASE("references: a header of menus names files by their extensions, and they are optional") {
    const auto findings = scan_references("ui/menudef.h", "text/x-c",
                                          bytes_of("#define PIC_BACK \"ui/assets/back.tga\" // the picture\n"
                                                   "#define SND_OK \"sound/ok.wav\"\n#define WIDE 640\n"));
    REQUIRE(findings);
    REQUIRE(findings->references.size() == 2);
    CHECK(findings->references[0].spelling == "ui/assets/back.tga");
    CHECK(findings->references[0].optional);
    CHECK(findings->references[1].use == ReferenceUse::sound);
}

TEST_CASE("references: a menu that closes more blocks than it opened is read up to there, as the game reads it") {
    CHECK(found(kMenu, "menuDef {\n background \"a\"\n}\n}\n}\nmenuDef { background \"b\" }\n") == Lines{"2 shader a"});
    const auto part = scan_references("ui/common/tabs.panel", "", bytes_of("background \"a\" }\n}\nitemDef {\n"));
    REQUIRE(part);
    CHECK(part->references.size() == 1);
}

TEST_CASE("references: an arena names its level and the picture of it") {
    const std::string text = "{\nmap \"oa_dm1\"\nbots \"sarge map\"\ntype ffa\n}\n{ map x }";
    CHECK(found(kArena, text) ==
          Lines{"2 map oa_dm1", "2 shader? levelshots/oa_dm1", "6 map x", "6 shader? levelshots/x"});
    for (std::size_t size = 1; size < text.size(); ++size)
        if (size != text.find('}') + 1 && size != text.find('}') + 2)
            check_refused(kArena, text.substr(0, size), ErrorCode::malformed, "line ");
    check_refused(kArena, "{\nmap x\n}\nmap y", ErrorCode::malformed, "line 4: text outside");
    check_refused(kArena, "{\nmap x\n}\n}", ErrorCode::malformed, "line 4: text outside");
    CHECK(found(kArena, "{\n{\nmap\nmap y\n}") == Lines{"4 map y", "4 shader? levelshots/y"});
    CHECK(scan_references("scripts/arenas.txt", "text/plain", bytes_of(text))->references.size() == 4);
}

TEST_CASE("references: a map's source names the shader of each face and patch, and what entities name") {
    const std::string text =
        "// entity 0\n{\n\"classname\" \"worldspawn\"\n\"music\" \"music/a.ogg music/b.ogg\"\n"
        "// brush 0\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) common/caulk 0 0 0 0.5 0.5 0 0 0\n}\n"
        "{\nbrushDef\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) ( ( 1 0 0 ) ( 0 1 0 ) ) base/wall 0 0 0\n}\n}\n"
        "{\npatchDef2\n{\nbase/arch\n( 3 3 0 0 0 )\n(\n( ( 0 0 0 0 0 ) ( 0 0 0 0 0 ) ( 0 0 0 0 0 ) )\n)\n}\n}\n"
        "}\n"
        "{\n\"classname\" \"misc_model\"\n\"model\" \"models/x.md3\"\n}\n"
        "{\n\"model\" \"*1\"\n\"noise\" \"sound/w.wav\"\n\"targetShaderName\" \"textures/t\"\n}\n";
    CHECK(found(kMap, text) == Lines{"4 sound music/a.ogg", "4 sound music/b.ogg", "7 shader common/caulk",
                                     "12 shader base/wall", "18 shader base/arch", "28 model models/x.md3",
                                     "32 sound sound/w.wav", "33 shader textures/t"});
    CHECK(scan(kMap, text)->references[2].form == ReferenceForm::below_textures);
    check_refused(kMap, text.substr(0, text.size() - 2), ErrorCode::malformed, "ends within an entity");
    check_refused(kMap, "{\n\"a\"\n}", ErrorCode::malformed, "no value");
    check_refused(kMap, "{\n}\na", ErrorCode::malformed, "line 3: a word outside an entity");
    check_refused(kMap, "{ { { {", ErrorCode::malformed, "too many {");
    check_refused(kMap, "{ { ( }", ErrorCode::malformed, "( without )");
    check_refused(kMap, "{ { )", ErrorCode::malformed, ") without (");
}

TEST_CASE("references: a model names the shaders of its surfaces") {
    CHECK(found(kMd3, md3_of({{"models/a.tga", "models/b"}, {}, {"", std::string(64, 'x')}})) ==
          Lines{"0 shader models/a.tga", "0 shader models/b", "0 shader " + std::string(64, 'x')});
    CHECK(found(kMd3, md3_of({})).empty());
}

TEST_CASE("references: each proper prefix of a model is malformed") {
    const std::string model = md3_of({{"models/a.tga"}, {"models/b"}});
    for (std::size_t size = 0; size < model.size(); ++size)
        check_refused(kMd3, model.substr(0, size), ErrorCode::malformed, "");
}

TEST_CASE("references: counts and offsets of a model are bounded before they are used") {
    const auto with = [](std::size_t at, std::uint32_t value) {
        return md3_of({{"models/a.tga"}}).replace(at, 4, le32(value));
    };
    check_refused(kMd3, with(4, 14), ErrorCode::unsupported, "version 14");
    check_refused(kMd3, with(84, 0xffffffff), ErrorCode::limit, "surfaces");
    check_refused(kMd3, with(84, 2), ErrorCode::malformed, "surface 1");
    check_refused(kMd3, with(100, 0xffffffff), ErrorCode::malformed, "surface 0");
    check_refused(kMd3, with(108 + 76, 0xffffffff), ErrorCode::limit, "shaders");
    check_refused(kMd3, with(108 + 76, 2), ErrorCode::malformed, "outside");
    check_refused(kMd3, with(108 + 92, 0xfffffff0), ErrorCode::malformed, "outside");
    check_refused(kMd3, with(108 + 104, 0), ErrorCode::malformed, "inside its header");
    check_refused(kMd3, with(108 + 104, 0x7fffffff), ErrorCode::malformed, "outside the file");
}

TEST_CASE("references: a compiled map names its shaders, fogs, and what entities name") {
    const std::string entities(
        "{\n\"music\" \"music/a.wav\"\n}\n{\n\"model\" \"*1\"\n\"model2\" \"models/x.md3\"\n}\n\0", 66);
    CHECK(found(kBsp, bsp_of({"textures/a", "noshader", "textures/b"}, {"textures/fog"}, entities)) ==
          Lines{"0 shader textures/a", "0 shader textures/b", "0 shader textures/fog", "0 sound music/a.wav",
                "0 model models/x.md3"});
}

TEST_CASE("references: a shader of a compiled map is optional if no surface is drawn with it") {
    CHECK(found(kBsp, bsp_of({"textures/wall", "textures/common/clip"}, {}, "", 1)) ==
          Lines{"0 shader textures/wall", "0 shader? textures/common/clip"});
    const std::string map = bsp_of({"textures/wall"}, {}, "");
    const std::size_t surface = map.size() - 104;
    check_refused(kBsp, std::string(map).replace(surface, 4, le32(1)), ErrorCode::malformed, "shader 1 of 1");
    check_refused(kBsp, std::string(map).replace(8 + 8 * 13 + 4, 4, le32(103)), ErrorCode::malformed,
                  "lump 13 is not a whole number");
}

TEST_CASE("references: models that compilers put into a map, and those of targets, are optional in the compiled map") {
    const std::string entities =
        "{\n\"classname\" \"misc_model\"\n\"model\" \"models/tree.md3\"\n}\n"
        "{\n\"model\" \"models/flare.md3\"\n\"classname\" \"target_position\"\n}\n"
        "{\n\"classname\" \"func_rotating\"\n\"model\" \"*3\"\n\"model2\" \"models/fan.md3\"\n}\n";
    CHECK(found(kBsp, bsp_of({}, {}, entities)) ==
          Lines{"0 model? models/tree.md3", "0 model? models/flare.md3", "0 model models/fan.md3"});
}

TEST_CASE("references: only the sound of a target_speaker may get an extension from the game") {
    const auto findings = scan(kBsp, bsp_of({}, {},
                                            "{ \"noise\" \"sound/wind.ogg\" \"classname\" \"target_speaker\" }\n"
                                            "{ \"classname\" \"func_bobbing\" \"noise\" \"sound/fire.wav\" }"));
    REQUIRE(findings);
    REQUIRE(findings->references.size() == 2);
    CHECK(findings->references[0].form == ReferenceForm::speaker);
    CHECK(findings->references[1].form == ReferenceForm::from_root);
}

TEST_CASE("references: a word after a tag of a skin is the next surface, even on the same line") {
    CHECK(found(kSkin, "tag_head,models/head.tga\nu_torso,models/torso.tga\n") == Lines{"2 shader u_torso"});
    CHECK(found(kSkin, "tag_head, l_arms,models/arms.tga\n/* h_eyes,no.tga\n */ h_eyes models/eyes.tga // x,y.tga") ==
          Lines{"1 shader models/arms.tga", "3 shader models/eyes.tga"});
}

TEST_CASE("references: frames of an animMap that the game does not load are optional") {
    CHECK(found(kShader, "a\n{\n{\nanimMap 5 f1 f2 f3 f4 f5 f6 f7 f8 f9\n}\n}\n").back() == "4 texture? f9");
    CHECK(found(kShader, "a\n{\n{\nanimMap 5 f1 f2 f3 f4 f5 f6 f7 f8\n}\n}\n").back() == "4 texture f8");
}

TEST_CASE("references: each prefix of a map that cuts its names is refused") {
    const std::string map = bsp_of({"textures/a"}, {"textures/fog"}, "{ }");
    for (std::size_t size = 0; size < map.size(); ++size)
        CHECK_FALSE(scan(kBsp, map.substr(0, size)));
    check_refused(kBsp, map.substr(0, 100), ErrorCode::malformed, "cut off");
    check_refused(kBsp, std::string(map).replace(4, 4, le32(38)), ErrorCode::unsupported, "IBSP 46");
    check_refused(kBsp, std::string(map).replace(16, 4, le32(0xffffffff)), ErrorCode::malformed, "lump 1 is outside");
    check_refused(kBsp, std::string(map).replace(20, 4, le32(71)), ErrorCode::malformed, "whole number");
    check_refused(kBsp, bsp_of({}, {}, "{ \"a\" }"), ErrorCode::malformed, "no value");
    check_refused(kBsp, bsp_of({}, {}, "{ { "), ErrorCode::malformed, "alternate");
    check_refused(kBsp, bsp_of({}, {}, "{ "), ErrorCode::malformed, "end inside an entity");
}

TEST_CASE("references: a glTF names the buffers and images outside it") {
    const std::string json = R"({"asset":{"version":"2.0"},"buffers":[{"uri":"a%20b.bin","byteLength":4},{"uri":)"
                             R"("data:application/gltf-buffer;base64,AA=="},{"byteLength":1}],)"
                             R"("images":[{"uri":"../t/c.png"},{"uri":{"uri":"no"}},{"bufferView":0}],)"
                             R"("nodes":[{"uri":"no"}],"extras":{"images":[{"uri":"no"}]}})";
    for (const auto& [type, bytes] : {std::pair(kGltf, json), std::pair(kGlb, glb_of(json))}) {
        CHECK(found(type, bytes) == Lines{"0 file a%20b.bin", "0 texture ../t/c.png"});
        CHECK(scan(type, bytes)->references[0].form == ReferenceForm::relative_uri);
        for (std::size_t size = 0; size < json.size(); ++size)
            check_refused(type, bytes.substr(0, size), ErrorCode::malformed, "");
    }
    check_refused(kGltf, "[]", ErrorCode::malformed, "JSON object");
    check_refused(kGltf, "{} {}", ErrorCode::malformed, "not JSON at byte");
    check_refused(kGltf, R"({"n":1e999})", ErrorCode::malformed, "not JSON");
    check_refused(kGltf, R"({"images":[{"uri":"a\u0000b"}]})", ErrorCode::malformed, "NUL");
    check_refused(kGltf, R"({"a":)" + std::string(100'000, '['), ErrorCode::limit, "deeper");
}

TEST_CASE("references: a GLB whose header contradicts its bytes is refused") {
    const std::string glb = glb_of("{}");
    CHECK(scan(kGlb, glb));
    check_refused(kGlb, std::string(glb).replace(4, 4, le32(1)), ErrorCode::unsupported, "version 1");
    check_refused(kGlb, glb + "x", ErrorCode::malformed, "the header states 24 bytes");
    CHECK(scan(kGlb, glb + std::string(12, '\0')));  // some exporters pad the file
    check_refused(kGlb, std::string(glb).replace(12, 4, le32(0xffffffff)), ErrorCode::malformed, "outside the file");
    check_refused(kGlb, std::string(glb).replace(16, 4, "BIN "), ErrorCode::malformed, "not JSON");
}

TEST_CASE("references: an OBJ names its libraries, a library its textures") {
    CHECK(found("model/obj", "# mtllib no.mtl\nmtllib a.mtl b.mtl\r\nusemtl red\nv 0 0 0\ncall c.obj 1 2\n") ==
          Lines{"2 script a.mtl", "2 script b.mtl", "5 model c.obj"});
    CHECK(found("model/mtl",
                "newmtl red\nKd 1 0 0\nmap_Kd -s 1 1 1 -o 0.5 my red.tga\r\n  bump -bm 0.2 -imfchan l b.png\nrefl "
                "-type sphere -mm 0 1 r.png\nmap_Ks\n") ==
          Lines{"3 texture my red.tga", "4 texture b.png", "5 texture r.png"});
}

// "whole | options left out | …": the readings of the one statement in `text`.
std::string readings(std::string_view type, std::string_view text) {
    const auto findings = scan(type, text);
    REQUIRE_MESSAGE(findings, findings.error().text());
    std::string all;
    std::uint32_t reading = 0;
    for (const FoundReference& one : findings->references) {
        all += one.reading != reading ? " | " : all.empty() ? "" : " + ";
        all += one.spelling;
        reading = one.reading;
    }
    return all;
}

TEST_CASE("references: a name in an OBJ or MTL is the rest of the line, or what the format's words leave of it") {
    const auto library = [](std::string_view line) { return readings("model/obj", line); };
    CHECK(library("mtllib house.mtl  \r\n") == "house.mtl");
    CHECK(library("mtllib my house.mtl") == "my house.mtl | my + house.mtl");
    CHECK(library("mtllib \"my house.mtl\"") == "\"my house.mtl\" | my house.mtl");
    CHECK(library("mtllib Peaches\\ Castle.mtl b.mtl") ==
          "Peaches\\ Castle.mtl b.mtl | Peaches Castle.mtl b.mtl | Peaches Castle.mtl + b.mtl");
    CHECK(library("mtllib a.mtl # main") == "a.mtl # main | a.mtl");
    CHECK(library("mtllib a.mtl \\\n b.mtl\n") == "a.mtl  b.mtl | a.mtl + b.mtl");
    CHECK(library("v 0 0 0\rmtllib a.mtl\rv 1 0 0") == "a.mtl");
    CHECK(library("shadow_obj low") == "low | low.obj");
    CHECK(library("call part.obj 1 2") == "part.obj 1 2 | part.obj");
    const auto texture = [](std::string_view line) { return readings("model/mtl", line); };
    CHECK(texture("\tmap_Kd\twall.png\t") == "wall.png");
    CHECK(texture("map_Kd Material #25.png") == "Material #25.png | Material");
    CHECK(texture("bump Thing_Norm.png -bm 1") == "Thing_Norm.png -bm 1 | Thing_Norm.png");
    CHECK(texture("map_Kd -s 1 1 1 -clamp on \"my wall.png\" # x") ==
          "-s 1 1 1 -clamp on \"my wall.png\" # x | \"my wall.png\" # x | \"my wall.png\" | my wall.png");
    CHECK(texture("map_Kd -wall.png") == "-wall.png");
    CHECK(texture("map_aat on") == "");
    CHECK(texture("map_Kd -clamp on") == "");
}

TEST_CASE("references: a statement that occurs again counts once, and its locations are all reported") {
    const auto findings = scan_references("a.mtl", "model/mtl", bytes_of("map_Kd a b.png #\nmap_Kd a b.png #\n"), true);
    REQUIRE(findings);
    CHECK(findings->references.size() == 2);
    CHECK(findings->locations.size() == 4);
}

TEST_CASE("references: extensions of a glTF name files; an address of data in any case is none") {
    const auto json = [](std::string_view members) { return "{\"asset\":{}," + std::string(members) + "}"; };
    CHECK(found(kGltf, json(R"("images":[{"uri":"DATA:image/png;base64,AA"},{"uri":"a.png"}])")) ==
          Lines{"0 texture a.png"});
    CHECK(found(kGltf, json(R"("extensions":{"KHR_audio_emitter":{"audio":[{"uri":"hum.mp3"}]},)"
                            R"("EXT_lights_ies":{"lights":[{"uri":"lamp.ies"}]},)"
                            R"("EXT_structural_metadata":{"schemaUri":"schema.json"},"X_own":{"uri":"x"}})")) ==
          Lines{"0 sound hum.mp3", "0 file lamp.ies", "0 file schema.json", "0 file? x"});
    check_refused(kGltf, "{\n\"images\":[{\"uri\":\"a.png\"},]}", ErrorCode::malformed, "line 2: a comma before ]");
    check_refused(kGltf, "// exported\n{}", ErrorCode::malformed, "JSON has no comments");
}

TEST_CASE("references: a type without a scanner has no references") {
    CHECK(found("image/png", "map x").empty());
    CHECK(found("text/plain", "{ map x }").empty());
}

}  // namespace fardel::tests::references_test
