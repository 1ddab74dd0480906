// Macros of menus that included files define: which references they become.
#include "plan/included_macros.h"

#include "kit/test.h"

#include <fardel/format/bundle_plan.h>
#include "scan/reference_scanners.h"

#include "reference_bytes.h"

namespace fardel::tests::included_macros_test {

using Lines = std::vector<std::string>;

// Menus and headers, each scanned as the packer does it.
struct ScannedMenus {
    BundlePlan plan;
    std::vector<AssetScan> scans;

    void add(const std::string& name, std::string_view text) {
        const auto asset = static_cast<std::uint32_t>(plan.assets.size());
        const std::string type = name.ends_with(".menu") ? "text/x-quake-menu" : "";
        plan.assets.push_back({.key = name, .content_type = type});
        plan.names.push_back({.name = *AssetName::parse(name), .variants = {{.asset = asset}}});
        auto findings = scan_references(name, type, tests::bytes_of(text));
        REQUIRE_MESSAGE(findings, findings.error().message());
        scans.push_back({.size_bytes = text.size(), .findings = *std::move(findings)});
    }

    // "4 shader ui/back", after the macros; without scripts.
    Lines references(std::size_t asset) {
        REQUIRE(add_references_by_macros(plan, scans));
        Lines lines;
        for (const FoundReference& one : scans[asset].findings.references)
            if (one.use != ReferenceUse::script)
                lines.push_back(std::to_string(one.line) + " " + std::string(reference_use_name(one.use)) + " " +
                                one.spelling);
        CHECK(scans[asset].findings.by_macro.empty());
        return lines;
    }
};

TEST_CASE("included macros: a menu's macro stands for the value in a header, with any extension or none") {
    ScannedMenus menus;
    menus.add("ui/main.menu",
              "#include \"ui/menudef.h\"\nmenuDef {\n background PIC_BACK\n onOpen { play SND_OK ; }\n"
              " cursor NOT_DEFINED\n cinematic 12\n background PIC_BACK\n}\n");
    menus.add("UI/MenuDef.h",
              "#define PIC_BACK \"ui/assets/back\"\n#define SND_OK SND_SELECT\n#include \"ui/snd.h\"\n");
    menus.add("ui/snd.h", "#define SND_SELECT \"sound/select.wav\"\n");
    CHECK(menus.references(0) == Lines{"3 shader ui/assets/back", "4 sound sound/select.wav"});
    CHECK_FALSE(menus.scans[0].findings.references.back().optional);
}

TEST_CASE("included macros: a text's own definition counts first, then that of the file that it includes last") {
    ScannedMenus menus;
    menus.add("ui/a.menu",
              "#include \"ui/first.h\"\n#include \"ui/last.h\"\nmenuDef {\n background ONE\n cursor TWO\n}\n");
    menus.add("ui/first.h", "#define ONE \"first/one\"\n#define TWO \"first/two\"\n");
    menus.add("ui/last.h", "#include \"ui/inner.h\"\n#define ONE \"last/one\"\n");
    menus.add("ui/inner.h", "#define ONE \"inner/one\"\n");
    menus.add("ui/other.h", "#define TWO \"other/two\"\n");  // included by no one
    CHECK(menus.references(0) == Lines{"4 shader last/one", "5 shader first/two"});
}

TEST_CASE("included macros: cycles of files and of macros end, and lead to nothing") {
    ScannedMenus menus;
    menus.add("ui/a.menu", "#include \"ui/x.h\"\nmenuDef {\n background LOOP\n cursor OK\n}\n");
    menus.add("ui/x.h", "#include \"ui/y.h\"\n#define LOOP POOL\n");
    menus.add("ui/y.h", "#include \"ui/x.h\"\n#define POOL LOOP\n#define OK \"ui/ok\"\n");
    CHECK(menus.references(0) == Lines{"4 shader ui/ok"});
}

TEST_CASE("included macros: very many look-ups are limit") {
    ScannedMenus menus;
    std::string text, uses;
    for (int i = 0; i < 300; ++i) {
        menus.add("ui/h" + std::to_string(i) + ".h", "#define NAME_" + std::to_string(i) + " \"x\"\n");
        text += "#include \"ui/h" + std::to_string(i) + ".h\"\n";
    }
    for (int i = 0; i < 70'000; ++i)
        uses += "background GONE_" + std::to_string(i) + "\n";
    menus.add("ui/a.menu", text + "menuDef {\n" + uses + "}\n");
    CHECK(code_of(add_references_by_macros(menus.plan, menus.scans)) == ErrorCode::limit);
}

TEST_CASE("included macros: files that very many menus include count as look-ups") {  // A128
    constexpr std::uint32_t kHeaders = 4'096;
    constexpr std::uint32_t kMenus = 4'200;
    ScannedMenus menus;
    const auto add = [&](const std::string& name) -> ScanFindings& {
        const auto asset = static_cast<std::uint32_t>(menus.scans.size());
        menus.plan.names.push_back({.name = *AssetName::parse(name), .variants = {{.asset = asset}}});
        return menus.scans.emplace_back().findings;
    };
    ScanFindings all;
    for (std::uint32_t i = 0; i < kHeaders; ++i) {
        const std::string name = "ui/h" + std::to_string(i) + ".h";
        add(name);
        all.references.push_back({.spelling = name, .use = ReferenceUse::script});
    }
    add("ui/all.h") = all;
    for (std::uint32_t i = 0; i < kMenus; ++i) {
        ScanFindings& findings = add("ui/" + std::to_string(i) + ".menu");
        findings.references.push_back({.spelling = "ui/all.h", .use = ReferenceUse::script});
        findings.by_macro.push_back({.spelling = "GONE", .use = ReferenceUse::shader});
    }
    CHECK(code_of(add_references_by_macros(menus.plan, menus.scans)) == ErrorCode::limit);
}

}  // namespace fardel::tests::included_macros_test
