#include "lookup/asset_choice.h"

#include "vfs/test_bundle.h"

#include <fardel/format/manifest.h>

namespace fardel::tests::asset_choice_test {

BundleMaker tagged(std::string_view name, const std::vector<std::pair<Tags, std::string>>& variants,
                   bool extends = false) {
    std::vector<std::string> contents;
    for (const auto& [tags, content] : variants)
        contents.push_back(content);
    BundleMaker maker;
    maker.add_variants(name, contents, extends);
    for (std::size_t i = 0; i < variants.size(); ++i)
        maker.plan().names.back().variants[i].tags = variants[i].first;
    return maker;
}

void prefer(Vfs& vfs, std::string_view text) { vfs.prefer(parse_variant_preference(text).value()); }

TEST_CASE("asset choice: the preference decides, can be switched, and does not affect open files") {
    Vfs vfs;
    mount(vfs,
          tagged("hello", {{{{"lang", "en"}}, "hello"}, {{{"lang", "fr"}}, "bonjour"}}).add("plain", "plain").write());
    CHECK(content_at(vfs, "/hello") == "hello");
    const File open = vfs.open("/hello").value();
    prefer(vfs, "lang=fr,en");
    CHECK(content_at(vfs, "/hello") == "bonjour");
    CHECK(vfs.stat("/hello").value().asset == id_of("bonjour"));
    CHECK(vfs.read_link("/hello").value() == "/assets/" + id_of("bonjour").hex());
    CHECK(text_of(open.read_all().value()) == "hello");
    CHECK(content_at(vfs, "/plain") == "plain");
    const BundleId bundle = vfs.mounts().at(0).bundle;
    CHECK(content_at(vfs, "/bundles/" + bundle.hex() + "/hello") == "bonjour");
    prefer(vfs, "");
    CHECK(content_at(vfs, "/hello") == "hello");
}

TEST_CASE("asset choice: another bundle adds a variant, above or below the one that has the name") {
    for (const int priority : {-1, 1}) {
        Vfs vfs;
        mount(vfs, BundleMaker().add("wall", "sd").write());
        const MountId pack =
            mount(vfs, tagged("wall", {{{{"quality", "hd"}}, "hd"}}, true).write(), unsigned_at("", priority));
        CHECK(content_at(vfs, "/wall") == "sd");
        prefer(vfs, "quality=hd");
        CHECK(content_at(vfs, "/wall") == "hd");
        const Explanation explanation = vfs.explain("/wall").value();
        REQUIRE(explanation.winner);
        CHECK(explanation.candidates[*explanation.winner].outcome == CandidateOutcome::gives_variant);
        CHECK(explanation.candidates[*explanation.winner].variant == "quality=hd");
        CHECK(explanation.candidates[*explanation.winner].asset == id_of("hd"));
        REQUIRE(vfs.unmount(pack));
        CHECK(content_at(vfs, "/wall") == "sd");
    }
}

TEST_CASE("asset choice: between equal tags the mount with the higher precedence wins") {
    Vfs vfs;
    mount(vfs, tagged("wall", {{{{"quality", "sd"}}, "sd"}, {{{"quality", "hd"}}, "old hd"}}).write());
    mount(vfs, tagged("wall", {{{{"quality", "hd"}}, "new hd"}}, true).write(), unsigned_at("", 1));
    mount(vfs, tagged("wall", {{{{"quality", "hd"}}, "hidden hd"}}, true).write(), unsigned_at("", -1));
    CHECK(content_at(vfs, "/wall") == "sd");
    prefer(vfs, "quality=hd");
    CHECK(content_at(vfs, "/wall") == "new hd");
}

TEST_CASE("asset choice: a name that is only extended is missing, and a tombstone hides its variants too") {
    Vfs vfs;
    mount(vfs, tagged("wall", {{{{"quality", "hd"}}, "hd"}}, true).write(), unsigned_at("", 5));
    CHECK(outcome_of(vfs.open("/wall")) == "missing");
    mount(vfs, BundleMaker().add("wall", "sd").write());
    prefer(vfs, "quality=hd");
    CHECK(content_at(vfs, "/wall") == "hd");
    mount(vfs, BundleMaker().add_tombstone("wall").write(), unsigned_at("", 1));
    CHECK(outcome_of(vfs.open("/wall")) == "missing");
}

TEST_CASE("asset choice: a bundle whose variants cannot be read is an error, not another variant") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("wall", "sd").write());
    mount(vfs, damage_table(tagged("wall", {{{{"quality", "hd"}}, "hd"}}, true).write(), TableKind::tags),
          unsigned_at("", 1));
    CHECK(outcome_of(vfs.open("/wall")) == "corrupt");
    const Explanation explanation = vfs.explain("/wall").value();
    CHECK_FALSE(explanation.winner);
}

TEST_CASE("asset choice: variants that lead nowhere are malformed") {  // A25
    Vfs vfs;
    const Bytes good = tagged("wall", {{{{"quality", "sd"}}, "sd"}, {{{"quality", "hd"}}, "hd"}}).write();
    mount(vfs,
          rewrite_table(good, TableKind::variants, [](std::span<std::byte> records) { records[16] = std::byte{77}; }));
    prefer(vfs, "quality=hd");
    CHECK(outcome_of(vfs.open("/wall")) == "malformed");
}

}  // namespace fardel::tests::asset_choice_test
