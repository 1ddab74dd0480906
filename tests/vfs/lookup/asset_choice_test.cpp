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

TEST_CASE("asset choice: a mount's own preference counts before that of the Vfs, for its names only") {
    const auto prefer_in = [](Vfs& vfs, MountId id, std::string_view text) {
        return vfs.prefer(id, parse_variant_preference(text).value());
    };
    const std::vector<std::pair<Tags, std::string>> greetings{
        {{{"lang", "en"}}, "hello"}, {{{"lang", "fr"}}, "bonjour"}, {{{"lang", "de"}}, "hallo"}};
    Vfs vfs;
    MountOptions own = unsigned_at();
    own.preference = parse_variant_preference("lang=fr").value();
    const MountId french = mount(vfs, tagged("a", greetings).write(), own);
    mount(vfs, tagged("b", greetings).write());
    CHECK(content_at(vfs, "/a") == "bonjour");
    CHECK(content_at(vfs, "/b") == "hello");
    prefer(vfs, "lang=de");
    CHECK(content_at(vfs, "/a") == "bonjour");
    CHECK(content_at(vfs, "/b") == "hallo");
    const BundleId bundle = vfs.stat("/a").value().bundle.value();
    CHECK(content_at(vfs, "/bundles/" + bundle.hex() + "/a") == "bonjour");
    CHECK(vfs.explain("/a").value().candidates.at(0).variant == "lang=fr");
    REQUIRE(prefer_in(vfs, french, "quality=hd"));  // which decides nothing, so the Vfs's does
    CHECK(content_at(vfs, "/a") == "hallo");
    REQUIRE(prefer_in(vfs, french, "lang=en"));
    REQUIRE(vfs.replace(french, {.subject = make_memory_source(tagged("a", greetings).add("c", "c").write()),
                                 .options = unsigned_at()}));
    CHECK(content_at(vfs, "/a") == "hello");  // the mount keeps its preference
    REQUIRE(prefer_in(vfs, french, ""));
    CHECK(content_at(vfs, "/a") == "hallo");
    REQUIRE(vfs.unmount(french));
    CHECK(outcome_of(prefer_in(vfs, french, "lang=en")) == "missing");
}

// Variants with these contents and numbers of triangles.
BundleMaker trees(const std::vector<std::pair<std::string, double>>& contents, bool extends = false) {
    std::vector<std::pair<Tags, std::string>> variants;
    for (const auto& [content, triangles] : contents)
        variants.push_back({{{"lod", content}}, content});
    BundleMaker maker = tagged("tree", variants, extends);
    for (std::size_t i = 0; i < contents.size(); ++i)
        maker.plan().assets[maker.plan().names.back().variants[i].asset].metadata = {
            {.key = "metric.triangles", .value = contents[i].second}};
    return maker;
}

TEST_CASE("asset choice: a bound of a metric is judged by what the bundles say of their assets") {
    Vfs vfs;
    const MountId base = mount(vfs, trees({{"high", 80000}, {"mid", 20000}, {"low", 500}}).write());
    CHECK(content_at(vfs, "/tree") == "high");
    prefer(vfs, "triangles<=20000");
    CHECK(content_at(vfs, "/tree") == "mid");
    CHECK(vfs.stat("/tree").value().asset == id_of("mid"));
    REQUIRE(vfs.prefer(base, parse_variant_preference("triangles<=600").value()));
    CHECK(content_at(vfs, "/tree") == "low");
    CHECK(format_variant_preference(vfs.variant_axes().value()) == "lod=high,low,mid triangles<=80000");
    CHECK(Vfs().variant_axes().value().empty());
}

TEST_CASE("asset choice: of equal tags only the highest mount's variant is judged by its metric") {
    Vfs vfs;
    mount(vfs, trees({{"plain", 100}, {"fine", 10000}}).write());
    BundleMaker pack = tagged("tree", {{{{"lod", "fine"}}, "finest"}}, true);
    pack.plan().assets[pack.plan().names.back().variants[0].asset].metadata = {
        {.key = "metric.triangles", .value = 90000.0}};
    mount(vfs, pack.write());
    prefer(vfs, "triangles<=20000");
    CHECK(content_at(vfs, "/tree") == "plain");
    prefer(vfs, "lod=fine");
    CHECK(content_at(vfs, "/tree") == "finest");
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
