// Compressed tables beside a bundle: what they save, and that a wrong file costs its bytes and nothing else.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/frame_codec.h>
#include <fardel/format/head.h>
#include <fardel/hosting/publish.h>

#include <atomic>
#include <functional>
#include <stop_token>
#include <utility>

namespace fardel::tests::tables_file_test {

using Guest = OddServer::Guest;

constexpr std::size_t kFiles = 600;

// Tables of several pages, with padding between the levels of their page trees.
Bytes game_with_tables() {
    BundlePlan plan;
    for (std::size_t i = 0; i < kFiles; ++i)
        add(plan, "scripts/level-" + std::to_string(i) + ".txt", "level " + std::to_string(i));
    return written(plan);
}

struct Tables {
    Bytes raw;            // manifest, layout, trailer
    std::size_t padding;  // offset of a byte in `raw` that no page covers
};

Tables tables_of(const Bytes& file) {
    const auto bundle = open_bundle(file);
    const LayoutHead& layout = bundle->layout_head();
    Tables tables;
    const auto append = [&](std::uint64_t offset, std::uint64_t length) {
        const auto start = file.begin() + static_cast<std::ptrdiff_t>(offset);
        tables.raw.insert(tables.raw.end(), start, start + static_cast<std::ptrdiff_t>(length));
    };
    append(layout.manifest_offset, bundle->head().manifest_bytes);
    append(layout.layout_offset, layout.layout_bytes);
    append(layout.trailer_offset, file.size() - layout.trailer_offset);
    const auto padded = std::ranges::find_if(bundle->head().tables, [](const TableEntry& table) {
        return table.length_bytes % 64 != 0 && table.length_bytes > limits::kPageBytes;
    });
    REQUIRE(padded != bundle->head().tables.end());
    tables.padding = static_cast<std::size_t>(padded->offset + padded->length_bytes);
    return tables;
}

Bytes frame_of(const Bytes& raw) {
    FrameEncoder encoder(raw.size());
    Bytes frame;
    encoder.encode(raw, frame);
    return frame;
}

bool is_tables(const RangeRequest& request) { return request.path.ends_with(".tables"); }

// The bytes of a fetch from a server that has the fault with compressed tables only. It must succeed. `may_pass`: the
// fault, so that the server is asked again.
FetchSummary fetched_despite(const Bytes& bytes, const TreeServer::Fault& fault, const TrustPolicy* policy = nullptr,
                             std::chrono::seconds stall_timeout = std::chrono::seconds(60), bool may_pass = false) {
    const ScratchFolder scratch;
    std::atomic<int> asked = 0;
    const TreeServer server({bytes}, [&](auto& guest, const auto& request, auto right, auto file_bytes) {
        asked += is_tables(request) ? 1 : 0;
        return fault && is_tables(request) && fault(guest, request, right, file_bytes);
    });
    const BundleStore store = make_store(scratch);
    FetchOptions options = fetching_from({server.url()}, stall_timeout);
    if (policy != nullptr)
        options.work.policy = borrow(*policy);
    auto fetched = fetch_one(store, bundle_id_of(bytes), options);
    REQUIRE_MESSAGE(fetched, (fetched ? "" : fetched.error().text()));
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
    CHECK((asked > 1) == may_pass);
    CHECK(asked <= 6);
    return *std::move(fetched);
}

TreeServer::Fault sending(Bytes content) {
    return [content = std::move(content)](Guest& guest, const RangeRequest& request, std::string_view, std::uint64_t) {
        const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
        guest.send(partial_answer(text.substr(0, request.last + 1), 0, text.size()));
        return true;
    };
}

bool absent(Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
    guest.send(http_answer("404 Not Found", "<html>no</html>"));
    return true;
}

TEST_CASE("tables file: a fetch reads it instead of the tables, and ends with the same bytes as without") {
    const Bytes bytes = game_with_tables();
    const Tables tables = tables_of(bytes);
    const FetchSummary with = fetched_despite(bytes, nullptr);
    const FetchSummary without = fetched_despite(bytes, absent);
    CHECK(with.received_bytes ==
          without.received_bytes - (without.plan.bundles[0].tables_bytes - 8192) + frame_of(tables.raw).size());
    CHECK(with.received_bytes + tables.raw.size() / 4 < without.received_bytes);
    CHECK(with.requests + 1 == without.requests);
    CHECK(with.plan.bundles[0].tables_bytes == 8192 + frame_of(tables.raw).size());
}

TEST_CASE("tables file: one that is wrong costs at most the size of the tables") {  // A80, A83, A85
    const Bytes bytes = game_with_tables();
    const Tables tables = tables_of(bytes);
    const std::uint64_t without = fetched_despite(bytes, absent).received_bytes;
    const auto costs = [&](const TreeServer::Fault& fault, int stall_s = 60, bool may_pass = false) {
        const std::uint64_t received =
            fetched_despite(bytes, fault, nullptr, std::chrono::seconds(stall_s), may_pass).received_bytes;
        CHECK(received <= without + 8192 + tables.raw.size());
    };
    const auto with_flip = [&](std::size_t at) {
        Bytes raw = tables.raw;
        raw[at] ^= std::byte{1};
        return sending(frame_of(raw));
    };
    costs(with_flip(0));
    costs(with_flip(tables.raw.size() / 2));
    costs(with_flip(tables.padding));
    Bytes longer = tables.raw;
    longer.push_back(std::byte{7});
    costs(sending(frame_of(longer)));
    costs(sending(frame_of({tables.raw.begin(), tables.raw.end() - 1})));
    costs(sending(frame_of(Bytes(50'000'000))));  // a few kilobytes
    costs(sending(frame_of(Bytes(tables.raw.size()))));
    costs(sending(frame_of(noise(tables.raw.size(), 1))));
    costs(sending(noise(tables.raw.size() * 3, 2)));
    costs(sending(bytes_of("<html>sign in to this network</html>")));
    Bytes cut = frame_of(tables.raw);
    cut.resize(cut.size() / 2);
    costs(sending(cut));
    costs(
        [](Guest& guest, const RangeRequest&, std::string_view right, std::uint64_t file_bytes) {
            const std::string answer = partial_answer(right, 0, file_bytes);
            guest.send(std::string_view(answer).substr(0, answer.size() - right.size() / 3));
            guest.reset();
            return true;
        },
        60, true);
    costs(
        [](Guest& guest, const RangeRequest&, std::string_view right, std::uint64_t file_bytes) {
            const std::string answer = partial_answer(right, 0, file_bytes);
            guest.send(std::string_view(answer).substr(0, answer.size() - right.size() + 100));
            guest.hang();
            return true;
        },
        2, true);
    costs(
        [](Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
            guest.send(http_answer("503 Service Unavailable", "later"));
            return true;
        },
        60, true);
    costs([](Guest& guest, const RangeRequest&, std::string_view, std::uint64_t) {
        guest.send(
            "HTTP/1.1 206 Partial Content\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes "
            "0-99/100\r\n\r\n");
        while (guest.send("4\r\nxxxx\r\n")) {
        }
        return true;
    });
}

// Sends at most so many bytes per connection of the files of which `is_meant` is true, and not the rest.
TreeServer::Fault breaking_after(std::size_t bytes_max, std::function<bool(const RangeRequest&)> is_meant) {
    return [bytes_max, is_meant = std::move(is_meant)](Guest& guest, const RangeRequest& request,
                                                       std::string_view right, std::uint64_t file_bytes) {
        if (!is_meant(request) || right.size() <= bytes_max)
            return false;
        const std::string answer = partial_answer(right, request.first, file_bytes);
        guest.send(answer.substr(0, answer.size() - right.size() + bytes_max));
        return true;
    };
}

std::uint64_t requested_bytes(const TreeServer& server, std::string_view ending) {
    std::uint64_t highest = 0;
    for (const RangeRequest& request : server.requests())
        if (request.path.ends_with(ending))
            CHECK(request.first >= std::exchange(highest, request.first));
    return highest;
}

TEST_CASE("tables: where connections break again and again, each request goes on where the last one ended") {
    const Bytes bytes = game_with_tables();
    const std::size_t frame_bytes = frame_of(tables_of(bytes).raw).size();
    for (const std::size_t piece : {frame_bytes / 2 + 100, std::size_t{4500}}) {
        CAPTURE(piece);
        const ScratchFolder scratch;
        const TreeServer server({bytes}, breaking_after(piece, is_tables));
        const BundleStore store = make_store(scratch);
        const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
        CHECK(fetched.plan.bundles[0].tables_bytes == 8192 + frame_bytes);
        CHECK(requested_bytes(server, ".tables") != 0);
        CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);

        // The same without a compressed file: units are larger than the pieces.
        const BundleStore other = make_store(scratch, "other");
        const TreeServer bare({bytes}, [&](auto& guest, const auto& request, auto right, auto file_bytes) {
            return is_tables(request) ? absent(guest, request, right, file_bytes)
                                      : breaking_after(piece, [](const RangeRequest& one) { return one.first != 0; })(
                                            guest, request, right, file_bytes);
        });
        CHECK(value_of(fetch_one(other, bundle_id_of(bytes), fetching_from({bare.url()}))).received_bytes <
              bytes.size() + 20'000);
        CHECK(stored_bytes(other, bundle_id_of(bytes)) == bytes);
    }
}

TEST_CASE("tables file: one that broke off goes on in a later fetch, and one that was wrong is not used again") {
    const Bytes bytes = game_with_tables();
    const std::size_t frame_bytes = frame_of(tables_of(bytes).raw).size();
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    std::stop_source stop;
    FetchOptions options = fetching_from({});
    options.stop = stop.get_token();
    const TreeServer breaking({bytes}, [&](auto& guest, const auto& request, auto right, auto file_bytes) {
        if (!is_tables(request))
            return false;
        if (request.first != 0)
            stop.request_stop();
        return breaking_after(frame_bytes / 2, is_tables)(guest, request, right, file_bytes);
    });
    options.work.servers = {breaking.url()};
    CHECK(code_of(fetch_one(store, bundle_id_of(bytes), options)) == ErrorCode::cancelled);
    const TreeServer server({bytes});
    const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({server.url()})));
    CHECK(fetched.plan.bundles[0].tables_bytes <= frame_bytes - frame_bytes / 2);
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("tables file: signatures that it lacks or adds come from the bundle file") {
    const Bytes bytes = game_with_tables();
    Bytes raw = tables_of(bytes).raw;
    const Bytes garbage = noise(300, 3);
    raw.insert(raw.end(), garbage.begin(), garbage.end());
    CHECK(fetched_despite(bytes, sending(frame_of(raw))).plan.bundles[0].signers.empty());
}

TEST_CASE("tables file: a server without it is passed over for one that has it") {
    const ScratchFolder scratch;
    const Bytes bytes = game_with_tables();
    const TreeServer bare({bytes}, [](auto& guest, const auto& request, auto right, auto file_bytes) {
        return is_tables(request) && absent(guest, request, right, file_bytes);
    });
    const TreeServer whole({bytes});
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, bundle_id_of(bytes), fetching_from({bare.url(), whole.url()})));
    CHECK(whole.requests().size() == 1);
    CHECK(stored_bytes(store, bundle_id_of(bytes)) == bytes);
}

TEST_CASE("tables file: it is published with the bundle, and again if it is missing") {
    const ScratchFolder scratch;
    const Bytes bytes = game_with_tables();
    const auto publish = [&] { value_of(publish_bundle(make_memory_source(bytes), scratch.path("tree"))); };
    publish();
    const std::string path = "tree/" + tables_path_of(bundle_id_of(bytes));
    const std::string frame = scratch.read(path);
    CHECK(bytes_of(frame) == frame_of(tables_of(bytes).raw));
    std::filesystem::remove(scratch.path(path));
    publish();
    CHECK(scratch.read(path) == frame);
}

}  // namespace fardel::tests::tables_file_test
