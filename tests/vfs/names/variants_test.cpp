#include "names/variant_choice.h"

#include "kit/test.h"

namespace fardel::tests::variants_test {

std::size_t chosen(const std::vector<VariantTags>& variants, std::string_view preference) {
    std::vector<VariantTraits> traits;
    for (const VariantTags& tags : variants)
        traits.push_back({.tags = tags, .metrics = {}});
    return choose_variant(traits, parse_variant_preference(preference).value());
}

// Of variants with these numbers of triangles; a negative one has no such metric.
std::size_t chosen_by_triangles(const std::vector<double>& triangles, std::string_view preference) {
    std::vector<VariantTraits> traits;
    for (const double count : triangles) {
        VariantTraits& one = traits.emplace_back();
        if (count >= 0)
            one.metrics.push_back({.name = "triangles", .value = count});
    }
    return choose_variant(traits, parse_variant_preference(preference).value());
}

std::string outcome(std::string_view text) {
    const auto parsed = parse_variant_preference(text);
    return parsed ? "ok" : std::string(error_code_name(parsed.error().code()));
}

TEST_CASE("variants: the best value of the first axis wins, then that of the next") {
    const std::vector<VariantTags> variants = {
        {{"quality", "sd"}, {"texture", "png"}},
        {{"quality", "hd"}, {"texture", "png"}},
        {{"quality", "sd"}, {"texture", "astc"}},
        {{"quality", "hd"}, {"texture", "astc"}},
    };
    CHECK(chosen(variants, "") == 0);
    CHECK(chosen(variants, "texture=astc") == 2);
    CHECK(chosen(variants, "quality=hd") == 1);
    CHECK(chosen(variants, "texture=astc,png; quality=hd") == 3);
    CHECK(chosen(variants, "texture=bc7,png; quality=hd,sd") == 1);
    CHECK(chosen(variants, "quality=sd; texture=astc") == 2);
}

TEST_CASE("variants: a variant without a tag on an axis ranks after wanted values and before other values") {
    const std::vector<VariantTags> variants = {{{"lang", "de"}}, {}, {{"lang", "fr"}}};
    CHECK(chosen(variants, "lang=fr,en") == 2);
    CHECK(chosen(variants, "lang=en") == 1);
    CHECK(chosen(variants, "lang=de") == 0);
    CHECK(chosen(variants, "quality=hd") == 0);
}

TEST_CASE("variants: of equally good ones the first is chosen") {
    const std::vector<VariantTags> variants = {{{"q", "a"}}, {{"q", "b"}}, {{"q", "b"}}};
    CHECK(chosen(variants, "q=x") == 0);
    CHECK(chosen(variants, "q=b") == 1);
}

TEST_CASE("variants: a preference is parsed axis by axis, whatever the spaces") {
    const auto preference = parse_variant_preference(" texture = astc, bc7 ,png;lang=fr ; ").value();
    REQUIRE(preference.size() == 2);
    CHECK(preference[0] == AxisPreference{"texture", {"astc", "bc7", "png"}});
    CHECK(preference[1] == AxisPreference{"lang", {"fr"}});
    CHECK(parse_variant_preference("texture=astc,bc7,png; lang=fr").value() == preference);
    CHECK(parse_variant_preference("").value().empty());
}

TEST_CASE("variants: spaces or ; separate axes, so a command line's words are a preference") {
    const auto preference = parse_variant_preference("texture=astc,bc7; lang=fr").value();
    for (const char* text :
         {"texture=astc,bc7 lang=fr", "  texture = astc ,\tbc7\nlang =fr ", "texture=astc,bc7;;lang=fr"})
        CHECK_MESSAGE(parse_variant_preference(text).value() == preference, text);
    CHECK(format_variant_preference(preference) == "texture=astc,bc7 lang=fr");
    CHECK(format_variant_preference({}).empty());
}

TEST_CASE("variants: within a bound of a metric the greatest is taken, then what lacks it, then the least beyond") {
    CHECK(chosen_by_triangles({80000, 20000, 5000}, "triangles<=20000") == 1);
    CHECK(chosen_by_triangles({80000, 20000.5, 5000}, "triangles<=20000") == 2);
    CHECK(chosen_by_triangles({80000, -1, 30000}, "triangles<=20000") == 1);
    CHECK(chosen_by_triangles({80000, 30000, 40000}, "triangles<=20000") == 1);
    CHECK(chosen_by_triangles({80000, 30000}, "pixels<=1") == 0);
    CHECK(chosen_by_triangles({1, 2, 2}, "triangles<=1e3") == 1);
}

TEST_CASE("variants: a bound is a finite number, and one metric has one") {
    const auto preference = parse_variant_preference("lod=low triangles <= 20000 pixels<=0.5").value();
    REQUIRE(preference.size() == 3);
    CHECK(preference[1] == AxisPreference{"triangles", {}, 20000.0});
    CHECK(format_variant_preference(preference) == "lod=low triangles<=20000 pixels<=0.5");
    for (const char* text : {"triangles<=", "triangles<=many", "triangles<=1,2", "<=5", "a<=nan", "a<=inf", "a<=1e999",
                             "a<=1 a<=2", "a<5", "a=<5"})
        CHECK_MESSAGE(outcome(text) == "malformed", text);
    CHECK(outcome("a<=1 a=b") == "ok");  // an axis and a metric of one name
}

TEST_CASE("variants: an invalid preference is malformed, one that is too long is a limit error") {
    for (const char* text :
         {"texture", "=png", "a=", "a=,", "a=b,,c", "a=b;a=c", "a=b,b", "a b=c", "a=\x1b[0m", "a=b=c"})
        CHECK_MESSAGE(outcome(text) == "malformed", text);
    std::string axes, values = "a=0";
    for (int i = 0; i < 65; ++i)
        axes += "a" + std::to_string(i) + "=x;";
    for (int i = 1; i < 65; ++i)
        values += "," + std::to_string(i);
    CHECK(outcome(axes) == "limit");
    CHECK(outcome(values) == "limit");
}

}  // namespace fardel::tests::variants_test
