// digest_sources: compared with b3sum, on any number of threads.
#include "stages/source_digest.h"

#include "kit/bytes.h"
#include "kit/files.h"
#include "kit/program.h"

namespace fardel::tests::source_digest_test {

// A source that fails when it is opened.
class NoBlob final : public BlobSource {
public:
    explicit NoBlob(std::string word) : word_(std::move(word)) {}
    Result<std::unique_ptr<BlobStream>> open() const override { return Error(ErrorCode::io, word_); }

private:
    std::string word_;
};

struct Sources {
    std::vector<SourceEntry> entries;

    void add(const std::string& name, std::shared_ptr<const BlobSource> blob) {
        entries.push_back({.name = *AssetName::parse(name), .origin = name, .size_bytes = 0, .blob = std::move(blob)});
    }
    std::vector<const SourceEntry*> pointers() const {
        std::vector<const SourceEntry*> pointers;
        for (const SourceEntry& entry : entries)
            pointers.push_back(&entry);
        return pointers;
    }
};

TEST_CASE("source digest: it equals that of b3sum, in the order of the entries, for any number of threads") {
    const ScratchFolder scratch;
    FARDEL_RANDOM(random);
    Sources sources;
    std::vector<std::string> wanted;
    std::vector<std::uint64_t> sizes;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1025}, std::size_t{262'143},
          std::size_t{262'144}, std::size_t{262'145}, std::size_t{1'000'000}, std::size_t{3}, std::size_t{70'000}}) {
        const std::string text = noise_text(size, random());
        const std::string name = "f" + std::to_string(size) + ".dat";
        const std::string path = scratch.write(name, text);
        sources.add(name, make_file_blob(path));
        wanted.push_back(b3sum(path));
        sizes.push_back(size);
    }
    const auto entries = sources.pointers();
    for (const unsigned jobs : {1u, 2u, 7u, 100u, 0u}) {
        CAPTURE(jobs);
        std::uint64_t last = 0;
        const auto digests = digest_sources(entries, jobs, {}, [&](std::uint64_t done) {
            CHECK(done > last);
            last = done;
        });
        REQUIRE(digests);
        REQUIRE(digests->size() == wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CHECK((*digests)[i].asset.hex() == wanted[i]);
            CHECK((*digests)[i].size_bytes == sizes[i]);
        }
        CHECK(last <= wanted.size());
    }
    CHECK(digest_sources({}, 3, {}, [](std::uint64_t) {})->empty());
}

TEST_CASE("source digest: it detects the content type from the first bytes") {
    const ScratchFolder scratch;
    Sources sources;
    sources.add("a.bin", make_file_blob(scratch.write("a.bin", "\x89PNG\r\n\x1a\n0123456789")));
    sources.add("b.txt", make_file_blob(scratch.write("b.txt", "text")));
    const auto digests = digest_sources(sources.pointers(), 2, {}, [](std::uint64_t) {});
    REQUIRE(digests);
    CHECK((*digests)[0].content_type == "image/png");
    CHECK((*digests)[1].content_type == "text/plain");
}

TEST_CASE("source digest: of several failures, the first one is reported") {
    const ScratchFolder scratch;
    for (int round = 0; round < 20; ++round) {
        Sources sources;
        for (int i = 0; i < 40; ++i)
            sources.add("f" + std::to_string(i), i >= 7 && i % 2 == 1
                                                     ? std::static_pointer_cast<const BlobSource>(
                                                           std::make_shared<NoBlob>("bad " + std::to_string(i)))
                                                     : make_memory_blob(std::vector<std::byte>(1000)));
        const auto digests = digest_sources(sources.pointers(), 8, {}, [](std::uint64_t) {});
        REQUIRE_FALSE(digests);
        CHECK(digests.error().message().find("bad 7") != std::string::npos);
    }
    Sources sources;
    sources.add("gone", make_file_blob(scratch.path("gone")));
    CHECK(digest_sources(sources.pointers(), 1, {}, [](std::uint64_t) {}).error().code() == ErrorCode::missing);
}

TEST_CASE("source digest: it stops on request") {
    Sources sources;
    for (int i = 0; i < 40; ++i)
        sources.add("f" + std::to_string(i), make_memory_blob(std::vector<std::byte>(1000)));
    std::stop_source stop;
    const auto digests = digest_sources(sources.pointers(), 1, stop.get_token(), [&](std::uint64_t done) {
        if (done == 3)
            stop.request_stop();
        CHECK(done <= 4);
    });
    REQUIRE_FALSE(digests);
    CHECK(digests.error().code() == ErrorCode::cancelled);
}

}  // namespace fardel::tests::source_digest_test
