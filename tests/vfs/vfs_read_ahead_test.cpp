// Vfs::read_ahead(): what a trace lists is read in its order, and nothing else.
#include "kit/bundles.h"
#include "kit/bytes.h"
#include "kit/ids.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/trace.h>
#include <fardel/vfs/vfs.h>

#include <stop_token>

namespace fardel::tests::vfs_read_ahead_test {

struct ReadBytes {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
};

// Notes what is read, once notes() was called.
class NotingSource final : public ByteSource {
public:
    explicit NotingSource(Bytes bytes) : inner_(make_memory_source(std::move(bytes))) {}
    std::uint64_t size_bytes() const noexcept override { return inner_->size_bytes(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (notes)
            read.push_back({offset, offset + out.size()});
        if (notes && fails)
            return Error(ErrorCode::io, "a broken disk");
        if (notes && stop)
            stop->request_stop();
        return inner_->read_at(offset, out);
    }
    bool holds(std::uint64_t offset, std::uint64_t) const override { return offset < here_until; }

    bool notes = false;
    bool fails = false;
    std::uint64_t here_until = UINT64_MAX;
    std::stop_source* stop = nullptr;
    mutable std::vector<ReadBytes> read;

private:
    std::shared_ptr<const ByteSource> inner_;
};

constexpr std::size_t kFiles = 12;
constexpr std::size_t kFileBytes = 300'000;

struct MountedFiles {
    std::shared_ptr<NotingSource> source;
    std::shared_ptr<const Bundle> bundle;
    Vfs vfs;
    MountId mount;

    MountedFiles() {
        BundlePlan plan;
        for (std::size_t i = 0; i < kFiles; ++i)
            add(plan, name(i), noise_text(kFileBytes, static_cast<std::uint32_t>(i)));
        const Bytes bytes = written(plan);
        bundle = open_bundle(bytes);
        source = std::make_shared<NotingSource>(bytes);
        mount = value_of(vfs.mount(source, {.allow_unsigned = true}));
        static_cast<void>(value_of(vfs.stat("/" + name(0))));  // opens the tables
        source->notes = true;
    }
    static std::string name(std::size_t i) { return "file" + std::to_string(10 + i); }
    static AssetId id(std::size_t i) { return id_of(noise_text(kFileBytes, static_cast<std::uint32_t>(i))); }
    TracedAsset traced(std::size_t i) const {
        return {.opened_ms = 0, .size_bytes = kFileBytes, .bundle = bundle->id(), .asset = id(i), .name = name(i)};
    }
    std::string trace_of(const std::vector<std::size_t>& files) const {
        Trace trace;
        for (const std::size_t i : files)
            trace.push_back(traced(i));
        return format_trace(trace);
    }
    std::uint64_t offset_of(std::size_t i) const {
        const auto blocks = value_of(bundle->blocks_of(*value_of(bundle->find_asset(id(i)))));
        return bundle->layout_head().blocks_offset + blocks.front().stored_offset;
    }
    // The files of which content was read, in the order of the first read.
    std::vector<std::size_t> read_files() const {
        std::vector<std::size_t> files;
        for (const ReadBytes& one : source->read)
            for (std::size_t i = 0; i < kFiles; ++i)
                if (one.first <= offset_of(i) && offset_of(i) < one.end)
                    files.push_back(i);
        return files;
    }
    std::uint64_t content_bytes() const {
        std::uint64_t bytes = 0;
        for (const ReadBytes& one : source->read)
            if (one.first >= bundle->layout_head().blocks_offset)
                bytes += one.end - one.first;
        return bytes;
    }
};

TEST_CASE("read ahead: what the trace lists is read once, about 1 MiB at a time in its order, and nothing else") {
    const MountedFiles mounted;
    CHECK(mounted.vfs.read_ahead(mounted.trace_of({9, 4, 7, 6, 2, 1, 11})));
    const std::vector<std::size_t> files = mounted.read_files();
    REQUIRE(files.size() == 7);
    // Four files are more than 1 MiB; these are read by offset.
    const auto is_among = [&](std::size_t from, std::size_t to, std::vector<std::size_t> wanted) {
        std::vector<std::size_t> found(files.begin() + static_cast<std::ptrdiff_t>(from),
                                       files.begin() + static_cast<std::ptrdiff_t>(to));
        std::ranges::sort(found);
        std::ranges::sort(wanted);
        CHECK(found == wanted);
    };
    is_among(0, 4, {9, 4, 7, 6});
    is_among(4, 7, {2, 1, 11});
    CHECK(mounted.offset_of(files[0]) < mounted.offset_of(files[1]));
    CHECK(mounted.offset_of(files[2]) < mounted.offset_of(files[3]));
    CHECK(mounted.content_bytes() >= 7 * kFileBytes);
    CHECK(mounted.content_bytes() < 7 * kFileBytes + 7 * (64u << 10));
}

TEST_CASE("read ahead: files that lie side by side are read at once") {
    const MountedFiles mounted;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < kFiles; ++i)
        all.push_back(i);
    std::ranges::sort(all, {}, [&](std::size_t i) { return mounted.offset_of(i); });
    CHECK(mounted.vfs.read_ahead(mounted.trace_of(all)));
    CHECK(mounted.read_files() == all);
    const auto is_large = [](const ReadBytes& one) { return one.end - one.first >= 1u << 20; };
    CHECK(std::ranges::count_if(mounted.source->read, is_large) >= 3);
}

TEST_CASE("read ahead: what is not here or not mounted is left out, and a bundle of another id has the asset, too") {
    MountedFiles mounted;
    Trace trace{mounted.traced(3), mounted.traced(5)};
    trace[0].bundle = filled_id<BundleId>(7);  // an older version, say
    trace.push_back({.opened_ms = 0, .size_bytes = 1, .bundle = filled_id<BundleId>(7), .asset = {}, .name = "none"});
    CHECK(mounted.vfs.read_ahead(format_trace(trace)));
    std::vector<std::size_t> files = mounted.read_files();
    std::ranges::sort(files);
    CHECK(files == std::vector<std::size_t>{3, 5});

    mounted.source->read.clear();
    mounted.source->here_until = mounted.offset_of(5);
    CHECK(mounted.vfs.read_ahead(mounted.trace_of({5})));
    CHECK(mounted.content_bytes() == 0);
    mounted.source->here_until = UINT64_MAX;

    REQUIRE(mounted.vfs.unmount(mounted.mount));
    mounted.source->read.clear();
    CHECK(mounted.vfs.read_ahead(mounted.trace_of({5})));
    CHECK(mounted.source->read.empty());
}

TEST_CASE("read ahead: an unreadable disk is no error, a wrong trace is, and it can be stopped") {
    MountedFiles mounted;
    mounted.source->fails = true;
    CHECK(mounted.vfs.read_ahead(mounted.trace_of({1, 2})));
    CHECK_FALSE(mounted.source->read.empty());
    mounted.source->fails = false;
    CHECK(code_of(mounted.vfs.read_ahead("fardel-trace 2\n")) == ErrorCode::malformed);
    CHECK(code_of(mounted.vfs.read_ahead(std::string(kTraceBytesMax + 1, ' '))) == ErrorCode::limit);
    std::stop_source stop;
    mounted.source->stop = &stop;
    mounted.source->read.clear();
    CHECK(code_of(mounted.vfs.read_ahead(mounted.trace_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), stop.get_token())) ==
          ErrorCode::cancelled);
    CHECK(mounted.content_bytes() < 5 * kFileBytes);
}

}  // namespace fardel::tests::vfs_read_ahead_test
