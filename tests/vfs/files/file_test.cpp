#include <fardel/vfs/file.h>

#include "kit/files.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/vfs.h>

#include <array>

namespace fardel::tests::file_test {

TEST_CASE("file: reads are short at the end and empty past it") {
    Vfs vfs;
    const std::string content = "0123456789";
    mount(vfs, BundleMaker().add("a", content).write());
    const auto file = vfs.open("/a");
    REQUIRE(file);
    CHECK(file->size_bytes() == 10);
    CHECK(file->asset_id() == id_of(content));
    CHECK(file->bundle_id() == vfs.mounts().at(0).bundle);

    std::array<std::byte, 4> buffer{};
    const auto read = [&](std::uint64_t offset) {
        const auto count = file->read_at(offset, buffer);
        REQUIRE(count);
        return text_of(std::span(buffer).first(*count));
    };
    CHECK(read(0) == "0123");
    CHECK(read(5) == "5678");
    CHECK(read(8) == "89");
    CHECK(read(10) == "");
    CHECK(read(11) == "");
    CHECK(read(~std::uint64_t{0}) == "");
    CHECK(*file->read_at(0, {}) == 0);
}

TEST_CASE("file: ranges of an asset of many pieces are those of the whole") {
    Vfs vfs;
    const std::string content = noise_text(300'000, 1);
    mount(vfs, BundleMaker().add("a", content).write());
    const auto file = vfs.open("/a");
    REQUIRE(file);
    std::vector<std::byte> buffer(70'000);
    for (const std::uint64_t offset : {0ull, 1ull, 65'535ull, 65'536ull, 131'000ull, 299'999ull}) {
        const auto count = file->read_at(offset, buffer);
        REQUIRE(count);
        CHECK(text_of(std::span(buffer).first(*count)) == content.substr(offset, buffer.size()));
    }
    CHECK(text_of(*file->read_all()) == content);
}

TEST_CASE("file: read_all fills memory of exactly the asset's size, and leaves other memory alone") {
    Vfs vfs;
    const std::string content = noise_text(200'000, 2);
    mount(vfs, BundleMaker().add("a", content).add("empty", "").write());
    const auto file = vfs.open("/a");
    REQUIRE(file);
    std::vector<std::byte> room(content.size() + 1, std::byte{'?'});
    const auto whole = std::span(room).first(content.size());
    for (const std::size_t size : {std::size_t{0}, content.size() - 1, content.size() + 1})
        CHECK(outcome_of(file->read_all(std::span(room).first(size))) == "limit");
    CHECK(text_of(whole) == std::string(content.size(), '?'));
    REQUIRE(file->read_all(whole));
    CHECK(text_of(whole) == content);
    CHECK(room.back() == std::byte{'?'});
    const auto empty = vfs.open("/empty");
    REQUIRE(empty);
    CHECK(empty->read_all(std::span<std::byte>()));
    CHECK(outcome_of(empty->read_all(std::span(room).first(1))) == "limit");
}

TEST_CASE("file: opened by bundle and index, it equals the asset in the tree") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "0123456789").add("b", "other").write());
    const auto found = vfs.open("/a");
    REQUIRE(found);
    const auto made = File::of(found->bundle(), found->index());
    REQUIRE(made);
    CHECK(made->asset_id() == found->asset_id());
    CHECK(made->bundle_id() == found->bundle_id());
    CHECK(made->size_bytes() == found->size_bytes());
    CHECK(outcome_of(File::of(found->bundle(), AssetIndex{2})) == "malformed");
}

TEST_CASE("file: read_all has a bound") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "0123456789").write());
    const auto file = vfs.open("/a");
    REQUIRE(file);
    CHECK(outcome_of(file->read_all(9)) == "limit");
    CHECK(outcome_of(file->read_all(10)) == "ok");
}

TEST_CASE("file: damage in one block is an error there and nowhere else") {  // A21
    const std::string content = noise_text(200'000, 1);                      // four pieces; the first is damaged
    Vfs vfs;
    mount(vfs, damage_content(BundleMaker().add("a", content).write(), id_of(content)));
    const auto file = vfs.open("/a");
    REQUIRE(file);
    std::vector<std::byte> buffer(1000);
    CHECK(outcome_of(file->read_at(0, buffer)) == "corrupt");
    const auto count = file->read_at(100'000, buffer);
    REQUIRE(count);
    CHECK(text_of(buffer) == content.substr(100'000, 1000));
    CHECK(outcome_of(file->read_all()) == "corrupt");
}

TEST_CASE("view: raw bytes are returned for a part and for the whole, in a file and in memory") {
    const ScratchFolder scratch;
    const std::string content = noise_text(300'000, 1);
    const Bytes bundle =
        BundleMaker().add("raw", content).add("text", std::string(300'000, 'x')).add("empty", "").write();
    Author author;
    const auto check = [&](const Vfs& vfs) {
        const File file = vfs.open("/raw").value();
        CHECK(text_of(file.view().value().bytes()) == content);
        for (const auto& [offset, length] :
             {std::pair<std::uint64_t, std::uint64_t>{0, 1}, {65'535, 2}, {299'999, 1}, {70'000, 200'000}})
            CHECK(text_of(file.view(offset, length).value().bytes()) == content.substr(offset, length));
        CHECK(outcome_of(file.view(0, 300'001)) == "limit");
        CHECK(outcome_of(file.view(300'000, 1)) == "limit");
        CHECK(outcome_of(file.view(5, ~std::uint64_t{0})) == "limit");  // A24
        CHECK(outcome_of(file.view(0, 0)) == "limit");
        CHECK(outcome_of(vfs.open("/text").value().view()) == "unsupported");
        CHECK(outcome_of(vfs.open("/empty").value().view()) == "limit");
    };
    Vfs in_memory, in_file, is_signed;
    mount(in_memory, bundle);
    check(in_memory);
    REQUIRE(in_file.mount(scratch.write("a.fardel", bundle), unsigned_at()));
    check(in_file);
    REQUIRE(is_signed.mount(scratch.write("b.fardel", author.sign(bundle)), {.policy = &author.policy()}));
    check(is_signed);
}

TEST_CASE("view: it stays valid without its file, its mount and its Vfs") {
    const ScratchFolder scratch;
    const std::string content = noise_text(100'000, 1);
    std::optional<FileView> view;
    {
        Vfs vfs;
        const std::string path = scratch.write("a.fardel", BundleMaker().add("raw", content).write());
        REQUIRE(vfs.mount(path, unsigned_at()));
        view = vfs.open("/raw").value().view().value();
        std::filesystem::remove(path);
    }
    CHECK(text_of(view->bytes()) == content);
}

TEST_CASE("view: bytes that differ from their hashes are corrupt, with or without a signed layout") {
    const std::string content = noise_text(300'000, 1), other = noise_text(300'000, 2);
    const Bytes bundle = BundleMaker().add("raw", content).write();
    Author author;
    Vfs vfs;
    mount(vfs, damage_content(bundle, id_of(content)));
    const File file = vfs.open("/raw").value();
    CHECK(outcome_of(file.view()) == "corrupt");
    CHECK(text_of(file.view(200'000, 100).value().bytes()) == content.substr(200'000, 100));
    Vfs trusting;
    mount(trusting, damage_content(author.sign(bundle), id_of(content)), {.policy = &author.policy()});
    CHECK(outcome_of(trusting.open("/raw").value().view()) == "corrupt");
}

}  // namespace fardel::tests::file_test
