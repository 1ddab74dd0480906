// The tables of a bundle in the stable form: the bytes of a TableImage, of which few differ between two versions of a
// bundle. Three fields say something else than in the bundle, in as many bytes (docs/deltas.md):
//
// - a name's text, and where the stored bytes of a block begin: how far it is from the record before;
// - the target of a name that is an asset: that asset's key, which follows from the ids, and not its index.
//
// So one more file does not change the records of all files behind it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/table_image.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// A number per asset, each greater than the one before: the first four bytes of the id, or what must be added or taken
// away to be greater. So nearly all assets have the same one in all bundles.
class AssetKeys {
public:
    AssetKeys() = default;
    explicit AssetKeys(std::uint64_t assets) : assets_(assets) {}
    void add(std::uint32_t leading_id_bits);  // of the next asset; at most as many as there are

    // Returns an index that no asset has as it is.
    std::uint32_t key_of(std::uint32_t index) const noexcept;
    // Error: malformed (no asset has that key).
    Result<std::uint32_t> index_of(std::uint32_t key) const;

private:
    std::uint64_t assets_ = 0;
    std::vector<std::uint32_t> keys_;
};

// Reads the stable form. Any thread.
class StableTables {
public:
    // `file`: the bundle that has these tables, whose ids are read now; it must live as long. Errors: its own.
    static Result<StableTables> open(TableImage image, const ByteSource& file);

    const TableImage& image() const noexcept { return image_; }
    // Fills `out` with the bytes from `offset` on, which the image has.
    Status read(std::uint64_t offset, std::span<std::byte> out) const;

private:
    StableTables(TableImage image, const ByteSource& file) : image_(std::move(image)), file_(&file) {}
    Status read_records(const TableImage::Table& table, std::uint64_t offset, std::span<std::byte> out) const;

    TableImage image_;
    const ByteSource* file_;
    AssetKeys keys_;
};

// Turns the stable form, which is hostile, into what the tables of the bundle are, part after part.
class TableRestorer {
public:
    explicit TableRestorer(TableImage image);

    // `bytes`: those of the image that follow the ones before. Error: malformed (a part that ends inside a record of
    // assets, names or blocks; the key of no asset; more bytes than the image has).
    Status restore(std::span<std::byte> bytes);

private:
    TableImage image_;
    AssetKeys keys_;
    std::uint64_t offset_ = 0;
    std::uint64_t before_ = 0;  // of the table that is being restored: what its next record counts from
};

}  // namespace fardel
