#include "packs/record_source.h"

#include <fardel/base/fits.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

class RecordSource final : public ByteSource {
public:
    RecordSource(StoreRecord record, std::vector<std::shared_ptr<const ByteSource>> packs)
        : record_(std::move(record)), packs_(std::move(packs)) {}

    std::uint64_t size_bytes() const noexcept override { return record_.file_bytes; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        FARDEL_TRY(verify_range(offset, out.size()));
        const StoreExtent* extent = find(offset);
        while (!out.empty()) {
            if (extent == last() || extent->file_offset > offset)
                return not_held(offset);
            const std::uint64_t skipped = offset - extent->file_offset;
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(extent->length_bytes - skipped, out.size()));
            FARDEL_TRY(packs_[extent->pack]->read_at(extent->pack_offset + skipped, out.first(count)));
            out = out.subspan(count);
            offset += count;
            ++extent;
        }
        return ok();
    }

    bool holds(std::uint64_t offset, std::uint64_t length) const override {
        if (!fits(offset, length, record_.file_bytes))
            return false;
        const std::uint64_t end = offset + length;
        for (const StoreExtent* extent = find(offset); offset < end; ++extent) {
            if (extent == last() || extent->file_offset > offset)
                return false;
            offset = extent->end();
        }
        return true;
    }

    void prefetch(std::uint64_t offset, std::uint64_t length) const override {
        if (!fits(offset, length, record_.file_bytes))
            return;
        const std::uint64_t end = offset + length;
        for (const StoreExtent* extent = find(offset); extent != last() && extent->file_offset < end; ++extent) {
            const std::uint64_t from = std::max(offset, extent->file_offset);
            packs_[extent->pack]->prefetch(extent->pack_offset + (from - extent->file_offset),
                                           std::min(end, extent->end()) - from);
        }
    }

    Result<std::shared_ptr<const std::byte[]>> map(std::uint64_t offset, std::uint64_t length) const override {
        FARDEL_TRY(verify_range(offset, length));
        const StoreExtent* const extent = find(offset);
        if (extent == last() || extent->file_offset > offset)
            return not_held(offset);
        if (length > extent->end() - offset)
            return Error(ErrorCode::unsupported, subject() + ": the range is not adjacent in the store");
        return packs_[extent->pack]->map(extent->pack_offset + (offset - extent->file_offset), length);
    }

private:
    const StoreExtent* last() const noexcept { return record_.extents.data() + record_.extents.size(); }
    // Returns the first extent that ends after the offset.
    const StoreExtent* find(std::uint64_t offset) const noexcept {
        return std::upper_bound(record_.extents.data(), last(), offset,
                                [](std::uint64_t at, const StoreExtent& extent) { return at < extent.end(); });
    }
    std::string subject() const { return "bundle " + record_.bundle.hex() + " in the store"; }
    Status verify_range(std::uint64_t offset, std::uint64_t length) const {
        if (fits(offset, length, record_.file_bytes))
            return ok();
        return Error(ErrorCode::corrupt, subject() + ": has only " + std::to_string(record_.file_bytes) + " bytes");
    }
    Error not_held(std::uint64_t offset) const {
        return Error(ErrorCode::missing, subject() + ": the bytes at offset " + std::to_string(offset) +
                                             " are not here: the bundle is incomplete; fetch it to get the rest");
    }

    const StoreRecord record_;
    const std::vector<std::shared_ptr<const ByteSource>> packs_;
};

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_record_source(const StoreFolder& folder, StoreRecord record) {
    std::vector<std::shared_ptr<const ByteSource>> packs;
    for (const StorePack& pack : record.packs) {
        FARDEL_TRY_ASSIGN(auto source, folder.open_pack(pack));
        packs.push_back(std::move(source));
    }
    return make_record_source(std::move(record), std::move(packs));
}

Result<std::optional<FoundRecord>> open_stored_bundle(const StoreFolder& folder, const BundleId& bundle) {
    std::optional<StoreRecord> before;
    for (;;) {
        FARDEL_TRY_ASSIGN(auto record, folder.find_record(bundle));
        if (!record)
            return std::optional<FoundRecord>();
        auto source = open_record_source(folder, *record);
        if (source)
            return std::optional(FoundRecord{.record = *std::move(record), .source = *std::move(source)});
        // Another program may have replaced or removed the record after it was read here.
        if (source.error().code() != ErrorCode::missing || before == record)
            return std::move(source).error();
        before = std::move(record);
    }
}

std::shared_ptr<const ByteSource> make_record_source(StoreRecord record,
                                                     std::vector<std::shared_ptr<const ByteSource>> packs) {
    return std::make_shared<RecordSource>(std::move(record), std::move(packs));
}

}  // namespace fardel
