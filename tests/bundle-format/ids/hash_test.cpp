#include "kit/test.h"

#include <fardel/format/hash.h>

namespace fardel::tests::hash_test {

// Byte i of every input is i mod 251. Lengths sit around BLAKE3's block (64), its chunk (1024) and the widths of the
// SIMD code. b3sum printed the values; they agree with the BLAKE3 authors' test_vectors.json for the lengths in it.
struct Vector {
    std::size_t length;
    std::string_view hash;
    std::string_view keyed;
};

constexpr Vector kVectors[] = {
    {0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
     "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26"},
    {1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
     "6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b"},
    {63, "e9bc37a594daad83be9470df7f7b3798297c3d834ce80ba85d6e207627b7db7b",
     "bb1eb5d4afa793c1ebdd9fb08def6c36d10096986ae0cfe148cd101170ce37ae"},
    {64, "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98",
     "ba8ced36f327700d213f120b1a207a3b8c04330528586f414d09f2f7d9ccb7e6"},
    {65, "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee",
     "c0a4edefa2d2accb9277c371ac12fcdbb52988a86edc54f0716e1591b4326e72"},
    {1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
     "c951ecdf03288d0fcc96ee3413563d8a6d3589547f2c2fb36d9786470f1b9d6e"},
    {1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
     "75c46f6f3d9eb4f55ecaaee480db732e6c2105546f1e675003687c31719c7ba4"},
    {1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
     "357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69"},
    {2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
     "879cf1fa2ea0e79126cb1063617a05b6ad9d0b696d0d757cf053439f60a99dd1"},
    {2049, "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030",
     "9f29700902f7c86e514ddc4df1e3049f258b2472b6dd5267f61bf13983b78dd5"},
    {3072, "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2",
     "044a0e7b172a312dc02a4c9a818c036ffa2776368d7f528268d2e6b5df191770"},
    {4096, "015094013f57a5277b59d8475c0501042c0b642e531b0a1c8f58d2163229e969",
     "befc660aea2f1718884cd8deb9902811d332f4fc4a38cf7c7300d597a081bfc0"},
    {4097, "9b4052b38f1c5fc8b1f9ff7ac7b27cd242487b3d890d15c96a1c25b8aa0fb995",
     "00df940cd36bb9fa7cbbc3556744e0dbc8191401afe70520ba292ee3ca80abbc"},
    {8192, "aae792484c8efe4f19e2ca7d371d8c467ffb10748d8a5a1ae579948f718a2a63",
     "dc9637c8845a770b4cbf76b8daec0eebf7dc2eac11498517f08d44c8fc00d58a"},
    {8193, "bab6c09cb8ce8cf459261398d2e7aef35700bf488116ceb94a36d0f5f1b7bc3b",
     "954a2a75420c8d6547e3ba5b98d963e6fa6491addc8c023189cc519821b4a1f5"},
    {16384, "f875d6646de28985646f34ee13be9a576fd515f76b5b0a26bb324735041ddde4",
     "9e9fc4eb7cf081ea7c47d1807790ed211bfec56aa25bb7037784c13c4b707b0d"},
    {16385, "1dabe216be2578830263b049de1639f39f05a4da616b9b78c7a5e4e41662fd1f",
     "9f1e8750b485576aa8af42e403bfb340665b45a952799d0155756c994db7dfd2"},
    {31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47",
     "efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419"},
    {102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085",
     "1c35d1a5811083fd7119f5d5d1ba027b4d01c0c6c49fb6ff2cf75393ea5db4a7"},
};

constexpr std::string_view kKey = "whats the Elvish word for friend";

std::span<const std::byte, 32> key() {
    return std::span<const std::byte, 32>(std::as_bytes(std::span(kKey.data(), 32)));
}

std::vector<std::byte> input_of(std::size_t length) {
    std::vector<std::byte> bytes(length);
    for (std::size_t i = 0; i < length; ++i)
        bytes[i] = static_cast<std::byte>(i % 251);
    return bytes;
}

TEST_CASE("hash: plain and keyed BLAKE3 give the published values") {
    for (const Vector& vector : kVectors) {
        CAPTURE(vector.length);
        const auto input = input_of(vector.length);
        CHECK(fardel::blake3(input).hex() == vector.hash);
        CHECK(fardel::blake3_keyed(key(), input).hex() == vector.keyed);
    }
}

TEST_CASE("hash: pieces of any size give the hash of the whole") {
    for (const Vector& vector : kVectors) {
        const auto input = input_of(vector.length);
        for (const std::size_t piece : {1, 63, 64, 65, 1000, 1024, 4096, 65536}) {
            if (vector.length / piece > 5000)
                continue;
            CAPTURE(vector.length);
            CAPTURE(piece);
            Hasher hasher;
            for (std::size_t at = 0; at < input.size(); at += piece)
                hasher.update(std::span(input).subspan(at, std::min(piece, input.size() - at)));
            CHECK(hasher.finish().hex() == vector.hash);
        }
    }
}

TEST_CASE("hash: finish leaves the hasher as it was") {
    const auto input = input_of(2049);
    Hasher hasher;
    CHECK(hasher.finish() == fardel::blake3({}));
    hasher.update(std::span(input).first(1024));
    CHECK(hasher.finish() == fardel::blake3(std::span(input).first(1024)));
    CHECK(hasher.finish() == hasher.finish());
    hasher.update({});
    hasher.update(std::span(input).subspan(1024));
    CHECK(hasher.finish() == fardel::blake3(input));
}

TEST_CASE("hash: reset returns the hasher to its initial state") {
    const auto input = input_of(3000);
    Hasher hasher;
    hasher.update(input);
    hasher.reset();
    CHECK(hasher.finish() == fardel::blake3({}));
    hasher.update(std::span(input).first(10));
    CHECK(hasher.finish() == fardel::blake3(std::span(input).first(10)));
}

TEST_CASE("hash: a copied hasher is independent of the original") {
    const auto input = input_of(5000);
    Hasher first;
    first.update(std::span(input).first(1500));
    Hasher second = first;
    first.update(std::span(input).subspan(1500));
    second.update(std::span(input).subspan(1500, 500));
    CHECK(first.finish() == fardel::blake3(input));
    CHECK(second.finish() == fardel::blake3(std::span(input).first(2000)));
}

TEST_CASE("hash: an id of another kind keeps the bytes") {
    const Hash hash = fardel::blake3(input_of(64));
    CHECK(fardel::id_from<fardel::AssetId>(hash).hex() == hash.hex());
}

}  // namespace fardel::tests::hash_test
