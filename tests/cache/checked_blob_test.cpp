#include "checked_blob.h"

#include "cache_samples.h"
#include "spoiled_blob.h"

namespace fardel::tests::checked_blob_test {

CheckedBlob checked(const std::vector<std::byte>& found, const std::vector<std::byte>& wanted,
                    int* times_broken = nullptr) {
    return CheckedBlob(make_memory_blob(found), id_of(wanted), wanted.size(), [times_broken] {
        if (times_broken != nullptr)
            ++*times_broken;
    });
}

TEST_CASE("checked blob: right bytes come through, whatever the steps") {
    for (const std::size_t size : {0u, 1u, 65'535u, 65'536u, 65'537u, 300'000u}) {
        const auto bytes = noise(size, size);
        const CheckedBlob blob = checked(bytes, bytes);
        for (const std::size_t step : {1u, 7u, 65'536u, 1'000'000u})
            if (step > 1 || size < 70'000)
                CHECK(read_blob(blob, step).value() == bytes);
        CHECK(blob.verify());
        CHECK_FALSE(blob.has_failed());
    }
}

TEST_CASE("checked blob: a byte changed, one less or one more is corrupt before the last bytes leave") {  // A103 A109
    const auto wanted = noise(5000, 1);
    auto changed = wanted;
    changed[0] ^= std::byte{1};
    auto longer = wanted;
    longer.push_back(std::byte{0});
    const auto shorter = std::vector(wanted.begin(), wanted.end() - 1);
    const std::vector<std::byte> zeros(5000);
    for (const auto& found : {changed, longer, shorter, zeros, std::vector<std::byte>()}) {
        int times_broken = 0;
        const CheckedBlob blob = checked(found, wanted, &times_broken);
        CHECK(code_of(read_blob(blob, 5000)) == ErrorCode::corrupt);
        CHECK(times_broken == 1);
        CHECK(blob.has_failed());
        CHECK(blob.verify().error().code() == ErrorCode::corrupt);
        CHECK(blob.open_bytes().error().code() == ErrorCode::corrupt);
    }
    CHECK(checked({std::byte{1}}, {}).verify().error().code() == ErrorCode::corrupt);

    // A reader that stops at the known size, without reading the end.
    const CheckedBlob blob = checked(changed, wanted);
    const auto stream = blob.open().value();
    std::vector<std::byte> buffer(5000);
    CHECK(stream->read(buffer).error().code() == ErrorCode::corrupt);
}

TEST_CASE("checked blob: bytes at offsets are compared on each reading, also those changed after the check") {  // A105
    const auto wanted = noise(200'000, 3);
    // A source whose bytes the test changes.
    struct Changing final : ByteSource {
        mutable std::vector<std::byte> bytes;
        std::uint64_t size_bytes() const noexcept override { return bytes.size(); }
        Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
            return ok();
        }
    };
    struct Blob final : BlobSource {
        std::shared_ptr<Changing> source = std::make_shared<Changing>();
        Result<std::unique_ptr<BlobStream>> open() const override { return make_memory_blob(source->bytes)->open(); }
        Result<std::shared_ptr<const ByteSource>> open_bytes() const override {
            return std::shared_ptr<const ByteSource>(source);
        }
    };
    const auto blob = std::make_shared<Blob>();
    blob->source->bytes = wanted;
    const CheckedBlob whole(blob, id_of(wanted), wanted.size());
    const auto bytes = whole.open_bytes().value();
    for (const auto& [offset, size] :
         {std::pair(0u, 200'000u), {65'530u, 12u}, {199'999u, 1u}, {200'000u, 0u}, {1u, 150'000u}}) {
        std::vector<std::byte> out(size);
        REQUIRE(bytes->read_at(offset, out));
        CHECK(std::equal(out.begin(), out.end(), wanted.begin() + offset));
    }
    std::vector<std::byte> one(1);
    CHECK(bytes->read_at(200'000, one).error().code() == ErrorCode::corrupt);

    blob->source->bytes[100'000] ^= std::byte{4};
    CHECK(bytes->read_at(65'536, one).error().code() == ErrorCode::corrupt);
    CHECK(bytes->read_at(0, one));
    CHECK(bytes->read_at(131'072, one));
}

TEST_CASE("checked blob: bytes that are damaged on the way are detected") {
    for (const std::size_t size : {0u, 1u, 100'000u}) {
        const auto bytes = noise(size, 5);
        const CheckedBlob blob(make_spoiled_blob(make_memory_blob(bytes)), id_of(bytes), size);
        CHECK(blob.verify().error().code() == ErrorCode::corrupt);
    }
}

}  // namespace fardel::tests::checked_blob_test
