#include "tables/page_tree.h"

#include "bundle-format/document_vectors.h"
#include "kit/bytes.h"

#include <fardel/format/head.h>

#include <atomic>
#include <cstring>

namespace fardel::tests::page_tree_test {

Bytes pattern(std::size_t size) {
    Bytes out(size);
    for (std::size_t i = 0; i < size; ++i)
        out[i] = static_cast<std::byte>(i * 7);
    return out;
}

// A section that holds one table and its tree.
struct Section {
    TableEntry entry;
    Bytes bytes;
};

Section section_of(TableKind kind, const Bytes& records) {
    Section section;
    const PageTree tree = build_page_tree(kind, records);
    section.entry = {
        .kind = kind, .record_bytes = 1, .length_bytes = records.size(), .count = records.size(), .root = tree.root};
    section.bytes = records;
    section.bytes.resize((records.size() + 63) / 64 * 64);
    section.bytes.insert(section.bytes.end(), tree.levels.begin(), tree.levels.end());
    CHECK(tree.levels.size() == tree_bytes(records.size()));
    return section;
}

// Counts reads, and can be damaged while it is open.
class WatchedSource : public ByteSource {
public:
    explicit WatchedSource(Bytes bytes) : bytes_(std::move(bytes)) {}
    std::uint64_t size_bytes() const noexcept override { return bytes_.size(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        ++reads;
        if (failing)
            return Error(ErrorCode::io, "the disk is gone");
        REQUIRE(offset + out.size() <= bytes_.size());
        std::memcpy(out.data(), bytes_.data() + offset, out.size());
        return ok();
    }
    void flip(std::size_t at) { bytes_[at] ^= std::byte{1}; }
    mutable std::atomic<int> reads{0};
    bool failing = false;

private:
    Bytes bytes_;
};

TEST_CASE("page tree: roots and levels are those of the document") {
    const auto vectors = fardel::tests::read_document_vectors("bundle-format.md");
    const Bytes one{std::byte{5},   std::byte{0},   std::byte{'h'}, std::byte{'e'},
                    std::byte{'l'}, std::byte{'l'}, std::byte{'o'}};
    CHECK(build_page_tree(TableKind::strings, one).root == fixed_from<Hash>(vectors.at("page-tree-one-page-root")));
    const PageTree two = build_page_tree(TableKind::strings, pattern(4097));
    CHECK(two.levels == vectors.at("page-tree-two-pages-levels"));
    CHECK(two.root == fixed_from<Hash>(vectors.at("page-tree-two-pages-root")));
}

TEST_CASE("page tree: every size around a page and a level gives its bytes back") {  // A29
    constexpr std::size_t kLevel = 4096 * 128;  // the largest table with one level of hashes in one page
    for (const std::size_t size : std::initializer_list<std::size_t>{1, 63, 64, 4095, 4096, 4097, 8192, kLevel - 1,
                                                                     kLevel, kLevel + 1, 3 * kLevel + 5}) {
        CAPTURE(size);
        const Bytes records = pattern(size);
        const Section section = section_of(TableKind::names, records);
        const WatchedSource source(section.bytes);
        const auto table = PagedTable::open(source, 0, section.entry);
        REQUIRE(table);
        CHECK(table->pages().peek(0, 1) == nullptr);
        const auto bytes = table->touch(0, size);
        REQUIRE(bytes);
        CHECK(std::memcmp(*bytes, records.data(), size) == 0);
        CHECK(table->pages().peek(size - 1, 1) != nullptr);
    }
}

TEST_CASE("page tree: a page is read once, and only the pages above it with it") {  // A30
    const Section section = section_of(TableKind::names, pattern(4096 * 300));
    const WatchedSource source(section.bytes);
    const auto table = PagedTable::open(source, 0, section.entry);
    REQUIRE(table);
    CHECK(source.reads == 0);
    REQUIRE(table->touch(4096 * 200 + 17, 4));
    CHECK(source.reads == 3);  // the page, its page of hashes, the topmost
    REQUIRE(table->touch(4096 * 200 + 90, 4));
    REQUIRE(table->touch(4096 * 201, 4));
    CHECK(source.reads == 4);
}

TEST_CASE("page tree: each flipped byte is corrupt in the pages below it and in no other") {  // A21, A26
    const Section section = section_of(TableKind::assets, pattern(4096 * 3 + 100));
    for (std::size_t at = 0; at < section.bytes.size(); at += 41) {
        CAPTURE(at);
        WatchedSource source(section.bytes);
        source.flip(at);
        const auto table = PagedTable::open(source, 0, section.entry);
        REQUIRE(table);
        const bool in_records = at < section.entry.length_bytes;
        const bool in_padding = !in_records && at < 4096 * 3 + 128;
        const bool tree_padding = at >= 4096 * 3 + 128 + 4 * 32;
        for (std::size_t page = 0; page < 4; ++page) {
            const auto bytes = table->touch(page * 4096, 1);
            const bool hit = (in_records && at / 4096 == page) || (!in_records && !in_padding && !tree_padding);
            CHECK(static_cast<bool>(bytes) == !hit);
            if (!bytes)
                CHECK(bytes.error().code() == ErrorCode::corrupt);
        }
    }
}

TEST_CASE("page tree: a page is valid only at its own position") {  // A26
    const Bytes page = pattern(100);
    const Hash here = page_hash(TableKind::names, 0, 3, 5000, page);
    CHECK(here != page_hash(TableKind::names, 0, 4, 5000, page));
    CHECK(here != page_hash(TableKind::names, 1, 3, 5000, page));
    CHECK(here != page_hash(TableKind::assets, 0, 3, 5000, page));
    CHECK(here != page_hash(TableKind::names, 0, 3, 5001, page));
}

TEST_CASE("page tree: equal pages that are swapped are corrupt only where they differ") {  // A26
    Bytes records = pattern(4096 * 4);
    Section section = section_of(TableKind::names, records);
    // 4096 × 7 is a multiple of 256, so all pages are equal: only the index in the key distinguishes them.
    REQUIRE(std::memcmp(records.data(), records.data() + 4096, 4096) == 0);
    const std::size_t level = 4096 * 4;
    std::byte kept[32];
    std::memcpy(kept, section.bytes.data() + level, 32);
    CHECK(std::memcmp(kept, section.bytes.data() + level + 32, 32) != 0);
}

TEST_CASE("page tree: a read that failed may succeed later") {
    const Section section = section_of(TableKind::names, pattern(9000));
    WatchedSource source(section.bytes);
    const auto table = PagedTable::open(source, 0, section.entry);
    REQUIRE(table);
    source.failing = true;
    CHECK(table->touch(0, 1).error().code() == ErrorCode::io);
    source.failing = false;
    CHECK(table->touch(0, 1));
}

TEST_CASE("page tree: bytes outside the table are malformed, not read") {  // A24
    const Section section = section_of(TableKind::names, pattern(100));
    const WatchedSource source(section.bytes);
    const auto table = PagedTable::open(source, 0, section.entry);
    REQUIRE(table);
    for (const auto& [offset, length] :
         {std::pair(100ull, 1ull), {0ull, 101ull}, {~0ull, 1ull}, {1ull, ~0ull}, {~0ull, ~0ull}}) {
        CHECK(table->touch(offset, length).error().code() == ErrorCode::malformed);
        CHECK(table->pages().peek(offset, length) == nullptr);
    }
    CHECK(source.reads == 0);
    CHECK(PagedTable().touch(0, 1).error().code() == ErrorCode::malformed);
    CHECK(PagedTable().pages().peek(0, 1) == nullptr);
}

TEST_CASE("page tree: only verified pages can be viewed without waiting") {
    const Bytes records = pattern(4096 * 3 + 64);
    const Section section = section_of(TableKind::assets, records);
    const WatchedSource source(section.bytes);
    const auto table = PagedTable::open(source, 0, section.entry);
    REQUIRE(table);
    const VerifiedPages pages = table->pages();
    REQUIRE(table->touch(4096, 4096));
    for (const std::uint64_t record : {0, 63, 64, 127, 128, 192}) {
        CAPTURE(record);
        const bool in_second = record / 64 == 1;
        const std::byte* const found = pages.peek_record<64>(record);
        REQUIRE((found != nullptr) == in_second);
        if (found)
            CHECK(std::memcmp(found, records.data() + record * 64, 64) == 0);
    }
    CHECK(pages.peek_short(4096, 4096) != nullptr);
    CHECK(pages.peek_short(4095, 2) == nullptr);
    CHECK(pages.peek_short(8191, 2) == nullptr);
    REQUIRE(table->touch(8192, 1));
    CHECK(pages.peek_short(8191, 2) != nullptr);
    REQUIRE(table->touch(4096 * 3, 64));
    CHECK(pages.peek_short(4096 * 3, 64) != nullptr);
    CHECK(pages.peek_short(4096 * 3, 65) == nullptr);
    CHECK(pages.peek_short(0xffff'ffff, 1026) == nullptr);
}

TEST_CASE("page tree: threads that touch the same pages read each once and agree") {  // A116
    const Bytes records = pattern(4096 * 257);
    const Section section = section_of(TableKind::blocks, records);
    for (int round = 0; round < 20; ++round) {
        const WatchedSource source(section.bytes);
        const auto table = PagedTable::open(source, 0, section.entry);
        REQUIRE(table);
        std::atomic<int> wrong{0};
        {
            std::vector<std::jthread> threads;
            for (unsigned t = 0; t < 4; ++t)
                threads.emplace_back([&, t] {
                    for (std::size_t i = 0; i < 257; ++i) {
                        const std::size_t page = (i * (t % 2 ? 1 : 256)) % 257;
                        const auto bytes = table->touch(page * 4096, 4096);
                        if (!bytes || std::memcmp(*bytes, records.data() + page * 4096, 4096) != 0)
                            ++wrong;
                    }
                });
        }
        CHECK(wrong == 0);
        CHECK(source.reads == 257 + 3 + 1);
    }
}

}  // namespace fardel::tests::page_tree_test
