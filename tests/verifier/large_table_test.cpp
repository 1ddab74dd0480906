// A table that has more bytes than a program's memory: on processors of 32 bits.
#include "kit/test.h"
#include "tables/checked_table.h"

#include <algorithm>

namespace fardel::tests::large_table_test {

class ZeroSource final : public ByteSource {
public:
    explicit ZeroSource(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t, std::span<std::byte> out) const override {
        std::ranges::fill(out, std::byte{0});
        return ok();
    }

private:
    std::uint64_t size_bytes_;
};

TEST_CASE("checked table: one that memory cannot hold is reported, and none of its records is known") {
    if constexpr (sizeof(std::size_t) > 4) {
        MESSAGE("SKIPPED: memory can hold a table of 4 GiB");
        return;
    }
    // Cut to 32 bits, this is one page.
    TableEntry entry{.kind = TableKind::assets, .record_bytes = record_bytes(TableKind::assets)};
    entry.length_bytes = (1ull << 32) + 4096;
    entry.count = entry.length_bytes / entry.record_bytes;
    VerifyFindings findings(10);
    const CheckedTable table = CheckedTable::read(ZeroSource(5ull << 30), 0, entry, findings);
    CHECK(findings.has(VerifierRule::file_unreadable));
    CHECK_FALSE(table.is_complete());
    CHECK_FALSE(table.find_record_bytes(0));
    CHECK_FALSE(table.find_record_bytes(entry.count - 1));
}

}  // namespace fardel::tests::large_table_test
