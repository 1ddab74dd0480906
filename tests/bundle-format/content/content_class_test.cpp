#include "kit/test.h"

#include <fardel/format/content_class.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace fardel::tests::content_class_test {

using enum ContentClass;

ContentClass class_of(std::string_view name, std::string_view bytes) {
    return std::max(classify_bytes(std::as_bytes(std::span(bytes)), claim_of(name)).content,
                    classify_name(name).content);
}

template <std::size_t N>
std::string_view exact(const char (&literal)[N]) {
    return {literal, N - 1};
}

// The first bytes of a file of this system; empty if it has no such file.
std::string head_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string head(kContentClassBytes, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    return head;
}

const std::string kTarga = std::string("\0\0\2\0\0\0\0\0\0\0\0\0\x40\0\x40\0\x18\0", 18) + std::string(64, '\x7f');

TEST_CASE("content class: machine code and byte code are code under every name") {  // A137
    const std::vector<std::string_view> codes{
        exact("\x7f"
              "ELF\2\1\1\0"),
        exact("MZ\x90\0\3\0\0\0"),
        exact("\xfe\xed\xfa\xce"),
        exact("\xfe\xed\xfa\xcf"),
        exact("\xce\xfa\xed\xfe"),
        exact("\xcf\xfa\xed\xfe"),
        exact("\xca\xfe\xba\xbe\0\0\0\x34"),
        exact("\0asm\1\0\0\0"),
        exact("\x44\x14\x72\x12"),
        exact("\x45\x14\x72\x12"),
        exact("BC\xc0\xde"),
        exact("\xde\xc0\x17\x0b"),
        exact("\x1bLuaS"),
        exact("\x1bLJ\2"),
        exact("\xfa\xfaRIQS"),
        exact("dex\n035\0"),
        exact("\x6f\x0d\x0d\x0a\0\0\0\0"),
        exact("\x03\xf3\r\n\0\0\0\0"),
        exact("CWS\x08"),
        exact("!<arch>\n"),
        exact("ACSe\1\0\0\0"),
        exact("GDSC\x0d\0\0\0"),
        exact("RITE0300"),
    };
    for (const std::string_view bytes : codes)
        for (const std::string_view name : {"x.tga", "x.txt", "x", "x.cfg", "x.png", "readme.md"}) {
            CAPTURE(std::string(bytes));
            CHECK(class_of(name, bytes) == code);
        }
}

TEST_CASE("content class: QuakeC is recognised by its version and the table behind its header") {
    std::string progs(60, '\0');
    progs[0] = 6;
    progs[4] = '\x27';
    progs[5] = '\x17';
    CHECK(class_of("progs.dat", progs) == script);
    progs[40] = 60;  // where the strings are
    CHECK(class_of("progs.dat", progs) == code);
    CHECK(class_of("progs.dat", progs.substr(0, 59)) == script);
}

TEST_CASE("content class: archives and compressed files are code, since their content is not visible") {
    for (const std::string_view bytes :
         {exact("PK\3\4"), exact("PK\5\6"), exact("7z\xbc\xaf\x27\x1c"), exact("Rar!\x1a\7\1\0"), exact("\x1f\x8b\x08"),
          exact("BZh91AY&SY"),
          exact("\xfd"
                "7zXZ\0"),
          exact("\x28\xb5\x2f\xfd"), exact("PACK\x0c\0\0\0"), exact("PWAD\1\0\0\0"), exact("FARDEL\r\n")})
        CHECK(class_of("x.tga", bytes) == code);
    CHECK(class_of("x.tga", std::string(257, '\0') + "ustar") == code);
}

TEST_CASE("content class: text that begins like code stays data") {
    CHECK(class_of("readme.txt", "MZ is how programs of DOS begin") == data);
    CHECK(class_of("readme.txt", "PACK your things") == data);
    CHECK(class_of("readme.txt", "FWS means forwards") == data);
    CHECK(class_of("readme.txt", "ab\r\ncd") == data);
    CHECK(class_of("readme.txt", "GDPC and GDSC are formats of Godot") == data);
}

TEST_CASE("content class: names of scripts and of code decide where bytes do not") {
    for (const std::string_view name :
         {"autoexec.cfg", "a/b.LUA", "x.nut", "x.js", "x.py", "x.sh", "x.html", "x.menu", "x.script", "x.bat"})
        CHECK(class_of(name, "anything") == script);
    for (const std::string_view name :
         {"vm/cgame.qvm", "x.SO", "lib.so.1.2", "x.dll", "x.exe", "pak0.pk3", "x.zip", "x.jar", "x.wasm"})
        CHECK(class_of(name, "anything") == code);
    for (const std::string_view name :
         {"x.txt", "x.lua/readme", "COPYING", "x.shader", "x.dll.txt", "liz/animation.cfg"})
        CHECK(class_of(name, "anything") == data);
    for (const std::string_view name : {"x.JSON", "x.gltf", "x.xml", "x.tmx"})
        CHECK(class_of(name, "anything") == script);
    CHECK(class_of("x.json", "\xef\xbb\xbf {\"a\": 1}") == data);
    CHECK(class_of("x.json", "[1]") == data);
    CHECK(class_of("x.json", "<a/>") == script);
    CHECK(class_of("x.xml", "\n<a/>") == data);
    CHECK(class_of("x.xml", "{}") == script);
}

TEST_CASE("content class: data is what a list names as data, under whatever other name it is a script") {  // A154
    for (const std::string_view name :
         {"x", "so", "cfg", "x.dat", "x.bin", "x.res", "x.1.2", "x.readme", "x.tscn", "x.tres", "x.blend", "x.rpyc",
          "x.rpa", "x.pkl", "x.stl", "x.svg", "x.yml", "x.ini", "x."}) {
        CAPTURE(name);
        CHECK(class_of(name, "anything") == script);
        CHECK(class_of(name, kTarga) == script);
    }
}

TEST_CASE("content class: bytes are what every name of theirs claims, or of some kind of data if none does") {  // A154
    const auto bytes_of = [](std::string_view bytes, ContentClaim claimed) {
        return classify_bytes(std::as_bytes(std::span(bytes)), claimed).content;
    };
    using enum ContentClaim;
    const std::string_view opaque = exact("\1\2\3\4");
    CHECK(bytes_of(kTarga, media) == data);
    CHECK(bytes_of(kTarga, text) == script);
    CHECK(bytes_of(kTarga, media | text) == script);
    CHECK(bytes_of("readable", text) == data);
    CHECK(bytes_of("readable", media) == script);
    CHECK(bytes_of("readable", media | text) == script);
    for (const ContentClaim claimed : {nothing, media, text})
        CHECK(bytes_of(opaque, claimed) == script);
    CHECK(bytes_of(kTarga, nothing) == data);
    CHECK(bytes_of("readable", nothing) == data);
    CHECK(bytes_of(exact("\xff\xfe"
                         "t\0e\0x\0t\0"),
                   text) == data);
    CHECK(bytes_of(exact("t\0e\0x\0t\0"), text) == script);  // UTF-16 that does not say so
    CHECK(bytes_of("The end of a text of DOS.\r\n\x1a", text) == data);
    CHECK(bytes_of("\x1b[31m", text) == script);
    CHECK(bytes_of("", text) == data);
}

TEST_CASE("content class: the more dangerous of bytes and name counts") {
    CHECK(class_of("x.cfg", exact("\x7f"
                                  "ELF")) == code);
    CHECK(class_of("x.qvm", "#!/bin/sh\n") == code);
    CHECK(class_of("x.lua", "") == script);
    CHECK(class_of("x.tga", "") == data);
}

TEST_CASE("content class: scripts are recognised by how they begin or by their statements") {  // A137
    for (const std::string_view text : {"#!/bin/sh\nrm -rf /\n",
                                        "\xef\xbb\xbf#!/usr/bin/lua\n",
                                        "<?php system('x');",
                                        "  <script>x()</script>",
                                        "<!DOCTYPE html>\n",
                                        "@echo off\r\ndel x\r\n",
                                        "[Desktop Entry]\nExec=x\n",
                                        "%!PS-Adobe\n",
                                        "local a = 1\nlocal b = 2\n",
                                        "function f(x)\n  os.execute(x)\nend\n",
                                        "import os\nos.system('x')\n",
                                        "def f(a):\n    g.h(a)\n",
                                        "const a = 1;\nfoo.bar(a);\n",
                                        "Tux.deactivate();\nEffect.fade_in(1);\n",
                                        "<svg><script>x()</script></svg>",
                                        "local a = 1\rlocal b = 2\r",
                                        "local a = 1; local b = 2; f(a)",
                                        "[gd_scene load_steps=2]\n",
                                        "[gd_resource type=\"GDScript\"]\n",
                                        "cos\nsystem\n(S'id'\ntR.",
                                        "text <?php x();",
                                        "{\\rtf1 \\objupdate}",
                                        "[Shell]\nCommand=2\n",
                                        "MIME-Version: 1.0\n"}) {
        CAPTURE(text);
        CHECK(class_of("x.txt", text) == script);
    }
    CHECK(class_of("x.txt", exact("\xff\xfe#\0!\0/\0b\0")) == script);
    for (const std::string_view text :
         {"A function (of the game) is\nto import goods (from afar).\n", "let us go\nvar and const\n",
          "textures/base/water\n{\n  surfaceparm nolightmap\n  tcMod scroll 1 (2)\n}\n",
          "(supertux-level (version 2)\n (name \"x\"))\n", "{\"a\": [1, 2]}\n", "void main() {\n  x = vec4(1.0);\n}\n",
          "c is a\nlanguage\n(of course)", "One; two; three: a; list.\n"}) {
        CAPTURE(text);
        CHECK(class_of("x.txt", text) == data);
    }
}

TEST_CASE("content class: what a media name does not hold is a script") {  // A137
    CHECK(class_of("x.tga", kTarga) == data);
    CHECK(class_of("x.tga", "\x89PNG\r\n\x1a\n") == data);  // another picture is a picture
    CHECK(class_of("x.tga", "print('no statement that is known')\n") == script);
    CHECK(class_of("x.ogg", "--\x01\x02 a comment with control characters\n") == script);
    CHECK(class_of("x.md3", "IDP3 in readable text\n") == script);
    CHECK(class_of("x.txt", "print('no statement that is known')\n") == data);
}

TEST_CASE("content class: only the first bytes are looked at, and each prefix has an answer") {
    const std::string script_text = "local a = 1\nlocal b = 2\n";
    CHECK(class_of("x.txt", std::string(kContentClassBytes, ' ') + script_text) == data);
    const std::string head =
        "\x7f"
        "ELF and more";
    for (std::size_t size = 0; size <= head.size(); ++size)
        CHECK(class_of("x.txt", head.substr(0, size)) == (size == 0 ? data : size < 4 ? script : code));
}

TEST_CASE("content class: words and classes correspond") {
    CHECK(content_class_name(data) == "data");
    CHECK(content_class_name(script) == "script");
    CHECK(content_class_name(code) == "code");
    for (const ContentClass one : {data, script, code})
        CHECK(parse_classes(format_classes(one)) == one);
    CHECK_FALSE(parse_classes("Data"));
    CHECK_FALSE(parse_classes(""));
}

TEST_CASE("content class: a program of this system is code as a .tga") {
    const std::string program = head_of_file("/bin/ls");
    REQUIRE(program.size() == kContentClassBytes);
    CHECK(class_of("textures/skull.tga", program) == code);
}

TEST_CASE("content class: scripts of real games are scripts as .tga and under their own names") {
    const std::filesystem::path folder = "/usr/share/games/supertux2";
    if (!std::filesystem::exists(folder)) {
        MESSAGE("not tested: SuperTux is not installed");
        return;
    }
    std::size_t scripts = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().string();
        if (entry.is_directory())
            continue;
        const ContentClass found = class_of(name, head_of_file(entry.path()));
        const bool is_script = name.ends_with(".nut");
        if (is_script) {
            CHECK(found == script);
            CHECK(class_of("textures/skull.tga", head_of_file(entry.path())) == script);
            ++scripts;
        } else if (claim_of(name) == ContentClaim::media) {
            CAPTURE(name);
            CHECK(found == data);
        }
    }
    CHECK(scripts >= 8);
}

}  // namespace fardel::tests::content_class_test
