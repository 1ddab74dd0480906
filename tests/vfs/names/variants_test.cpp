#include "names/variant_choice.h"

#include "kit/test.h"

namespace fardel::tests::variants_test {

std::size_t chosen(const std::vector<VariantTags>& variants, std::string_view preference) {
    return choose_variant(variants, parse_variant_preference(preference).value());
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
