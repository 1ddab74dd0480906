// A bundle with correct hashes and invalid names, as a hostile packer could write it.

#include "sample.h"

#include "bundle_forge/bundle_forge.h"

#include <fardel/format/hash.h>
#include <fardel/format/head.h>

#include <nlohmann/json.hpp>

#include <array>
#include <cstring>

namespace fardel::tests::hostile_names_test {

template <class Number>
void store_le(std::byte* at, Number number) {
    for (std::size_t i = 0; i < sizeof number; ++i)
        at[i] = static_cast<std::byte>(number >> (8 * i));
}

// The root of a table of one page: docs/bundle-format.md §3.
Hash root_of(TableKind kind, std::span<const std::byte> records) {
    std::array<std::byte, 32> key{};
    std::memcpy(key.data(), "FARDELPG", 8);
    store_le(key.data() + 8, static_cast<std::uint32_t>(kind));
    store_le(key.data() + 24, static_cast<std::uint64_t>(records.size()));
    return blake3_keyed(key, records);
}

std::span<std::byte, limits::kHeadBytes> head_at(std::string& file, std::size_t offset) {
    return std::as_writable_bytes(std::span(file)).subspan(offset).first<limits::kHeadBytes>();
}

// Replaces `original` in the strings of the bundle with `name`, which has the same size, and corrects every hash.
std::string forge_name(std::string file, std::string_view original, std::string_view name) {
    REQUIRE(original.size() == name.size());
    BundleHead head = *decode_head(head_at(file, 0));
    LayoutHead layout = *decode_layout_head(head_at(file, limits::kHeadBytes));
    for (TableEntry& table : head.tables) {
        if (table.kind != TableKind::strings)
            continue;
        REQUIRE(table.length_bytes <= limits::kPageBytes);
        const std::size_t start = layout.manifest_offset + table.offset;
        const std::size_t at = file.find(original, start);
        REQUIRE(at < start + table.length_bytes);
        file.replace(at, original.size(), name);
        table.root = root_of(table.kind, std::as_bytes(std::span(file)).subspan(start, table.length_bytes));
    }
    const HeadBytes head_bytes = encode_head(head);
    layout.bundle = bundle_id(head_bytes);
    const HeadBytes layout_bytes = encode_layout_head(layout);
    std::ranges::copy(head_bytes, head_at(file, 0).begin());
    std::ranges::copy(layout_bytes, head_at(file, limits::kHeadBytes).begin());
    return file;
}

// A01, A02, A05, A74
TEST_CASE("hostile names: a path that leaves the folder, an escape sequence, a line feed are refused by all verbs") {
    const ScratchFolder scratch;
    const std::string original = "victim-name.txt";
    scratch.write("game/" + original, "content");
    scratch.write("game/a.txt", "good");
    run_well({"pack", scratch.path("game"), "-o", scratch.path("game.fardel")});
    const std::string good = read_file(scratch.path("game.fardel"));
    CHECK(forge_name(good, original, original) == good);

    for (const std::string name : {"../../evil.text", "/tmp/evil-text1", "a/./../evil.txt", "evil\x1b[31m\nnames",
                                   "evil/name/with/", "CON/evil-txt-AA"}) {
        CAPTURE(name);
        const std::string bundle = scratch.write("forged.fardel", forge_name(good, original, name));
        CHECK(run({"id", bundle}).exit_code == 0);
        for (const Arguments& arguments :
             {Arguments{"ls", bundle}, Arguments{"ls", "-l", bundle}, Arguments{"ls", "--json", bundle},
              Arguments{"extract", bundle, "-C", scratch.path("out")}}) {
            const Outcome outcome = run(arguments);
            CAPTURE(arguments[0]);
            CAPTURE(outcome.err);
            CHECK(outcome.exit_code == 1);
            CHECK(is_one_clear_line(outcome, "malformed"));
            CHECK(outcome.err.find('\x1b') == std::string::npos);
            CHECK_FALSE(std::filesystem::exists(scratch.path("out")));
        }
        const Outcome verify = run({"verify", bundle});
        CHECK(verify.exit_code == 1);
        CHECK(verify.out.find('\x1b') == std::string::npos);
    }
    CHECK(list_folder(scratch.root()) == "forged.fardel game.fardel game/ game/a.txt game/victim-name.txt");
}

// A133
TEST_CASE("hostile names: JSON escapes what could mislead a terminal or a reader, and keeps the value") {
    const ScratchFolder scratch;
    // A control character of eight bits, one without width, one that reverses what follows, one beyond 16 bits; and
    // letters, which stay.
    const std::string value = "gr\u00fcn\u009b31m\u200b\u202e\U000e0041\x7f";
    forge::Recipe recipe = forge::small_recipe();
    recipe.names[3].variants[0].tags = {{"texture", value}};
    const std::string bundle = scratch.write("forged.fardel", forge::forge(recipe).bytes);
    const std::string out = run_well({"ls", "--json", bundle});
    CHECK(out.find("gr\u00fcn\\u009b31m\\u200b\\u202e\\udb40\\udc41\\u007f") != std::string::npos);
    CHECK(nlohmann::json::parse(out).dump().find(value) != std::string::npos);
}

}  // namespace fardel::tests::hostile_names_test
