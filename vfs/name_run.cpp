#include "name_run.h"

#include <bit>
#include <cassert>
#include <cstring>

namespace fardel {
namespace {

constexpr std::size_t kRecordBytes = 16;  // docs/bundle-format.md §4, name_index: the hash comes first

std::uint64_t count_names(const Bundle& bundle) { return bundle.table_count(TableKind::name_index); }

Result<std::span<const std::byte>> read_index(const Bundle& bundle) {
    if (count_names(bundle) == 0)
        return std::span<const std::byte>();
    return bundle.table_bytes(TableKind::name_index, 0, count_names(bundle) * kRecordBytes);
}

std::uint64_t hash_at(const std::byte* record) {
    std::uint64_t hash = 0;
    if constexpr (std::endian::native == std::endian::little)
        std::memcpy(&hash, record, sizeof hash);
    else
        for (int i = 7; i >= 0; --i)
            hash = hash << 8 | static_cast<std::uint64_t>(record[i]);
    return hash;
}

}  // namespace

bool NameRun::fits(const Bundle& bundle) {
    return count_names(bundle) <= kBundleNamesMax && read_index(bundle).has_value();
}

std::shared_ptr<const NameRun> NameRun::build(std::span<const Member> members) {
    auto run = std::make_shared<NameRun>();
    std::vector<std::span<const std::byte>> tables;
    std::size_t names = 0;
    for (const Member& member : members) {
        auto table = read_index(*member.bundle);
        assert(table);  // fits() has read it, and what was verified stays
        run->members_.push_back(member.content);
        tables.push_back(table ? *table : std::span<const std::byte>());
        names += tables.back().size() / kRecordBytes;
    }
    assert(members.size() <= kMembersMax && names <= kNamesMax);
    run->bits_ = names <= 4 ? 0 : static_cast<int>(std::bit_width((names + 3) / 4 - 1));

    // Counting sort: each bucket's size, then its end, then, while entries come in from the last, its start.
    auto& buckets = run->buckets_;
    buckets.resize((std::size_t{1} << run->bits_) + 1);
    run->entries_.resize(names);
    for (const auto table : tables)
        for (std::size_t at = 0; at < table.size(); at += kRecordBytes)
            ++buckets[run->bucket_of(hash_at(&table[at]))];
    for (std::size_t i = 1; i < buckets.size(); ++i)
        buckets[i] += buckets[i - 1];
    for (std::size_t member = 0; member < tables.size(); ++member)
        for (std::size_t at = 0; at < tables[member].size(); at += kRecordBytes) {
            const std::uint64_t hash = hash_at(&tables[member][at]);
            run->entries_[--buckets[run->bucket_of(hash)]] = {.fingerprint = static_cast<std::uint16_t>(hash),
                                                              .member = static_cast<std::uint16_t>(member)};
        }
    return run;
}

}  // namespace fardel
