// Updates of several bundles for which one answer has the fronts of deltas.
#include <fardel/delivery/tables_question.h>
#include "delivery/served_bundle.h"

#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/delta_record.h>

#include "kit/bundles.h"
#include "kit/nginx.h"
#include "kit/serve_program.h"

#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>

namespace fardel::tests::front_hints_test {

constexpr std::uint32_t kUpdated = 3;

// A bundle of texts; the second version has one more line.
Bytes texts_bundle(std::uint32_t part, int version) {
    BundlePlan plan;
    for (std::uint32_t i = 0; i < 20; ++i) {
        std::string text = prose(3000, part * 100 + i);
        if (version == 2 && i == 5)
            text.insert(120, "one more line\n");
        add(plan, "texts/" + std::to_string(part) + "-" + std::to_string(100 + i) + ".txt", text);
    }
    return written(plan, {.level = 3, .jobs = 2});
}

struct Updates {
    std::vector<Bytes> olds;
    std::vector<Bytes> targets;
    std::vector<BundleId> ids;  // of the targets
};

Updates make_updates() {
    Updates updates;
    for (std::uint32_t part = 0; part < kUpdated; ++part) {
        updates.olds.push_back(texts_bundle(part, 1));
        updates.targets.push_back(texts_bundle(part, 2));
        updates.ids.push_back(bundle_id_of(updates.targets.back()));
    }
    return updates;
}

void publish_updates(const Updates& updates, const std::string& folder) {
    const auto tree = make_folder_target(folder);
    for (std::uint32_t i = 0; i < kUpdated; ++i) {
        value_of(publish_bundle(make_memory_source(updates.targets[i]), *tree));
        value_of(publish_delta(open_bundle(updates.olds[i]), *open_bundle(updates.targets[i]), *tree, {.effort = 9}));
    }
}

// A client that has the old bundles fetches the new ones. It must end with the right bytes.
FetchSummary update_all(const Updates& updates, const std::string& url) {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    for (const Bytes& old : updates.olds)
        value_of(store.add(make_memory_source(old)));
    FetchSummary fetched = value_of(fetch_bundles(store, updates.ids, fetching_from({url})));
    for (const Bytes& target : updates.targets)
        CHECK(stored_bytes(store, bundle_id_of(target)) == target);
    return fetched;
}

TEST_CASE("front hints: one answer replaces the lists and fronts of deltas, and the same bytes arrive as from nginx") {
    const Updates updates = make_updates();
    const ScratchFolder scratch;
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    publish_updates(updates, nginx.tree());
    const FetchSummary without = update_all(updates, nginx.url());
    const ServeProgram server({nginx.tree()});
    const FetchSummary with = update_all(updates, server.url());
    CHECK(with.requests + 2 * kUpdated == without.requests);
    CHECK(with.received_bytes < without.received_bytes + 1000);
    CHECK(with.plan.fetch_bytes == without.plan.fetch_bytes);
}

TEST_CASE("front hints: after a fetch that was stopped, neither fronts nor tables are sent again") {  // A100
    const Updates updates = make_updates();
    const ScratchFolder scratch;
    publish_updates(updates, scratch.path("tree"));
    const ServeProgram server({scratch.path("tree")});
    const BundleStore store = make_store(scratch);
    for (const Bytes& old : updates.olds)
        value_of(store.add(make_memory_source(old)));
    std::stop_source stop;
    FetchOptions options = fetching_from({server.url()});
    FetchPlan planned;
    options.consent = [&](const FetchPlan& plan) {
        planned = plan;
        stop.request_stop();
        return ok();
    };
    options.stop = stop.get_token();
    CHECK(code_of(fetch_bundles(store, updates.ids, options)) == ErrorCode::cancelled);
    const FetchSummary rest = value_of(fetch_bundles(store, updates.ids, fetching_from({server.url()})));
    CHECK(rest.plan.fetch_bytes == planned.fetch_bytes);
    constexpr std::uint64_t kListBytes = 200;
    CHECK(rest.received_bytes <= planned.fetch_bytes + kUpdated * kListBytes);
    for (const Bytes& target : updates.targets)
        CHECK(stored_bytes(store, bundle_id_of(target)) == target);
}

TEST_CASE("front hints: whatever a server claims to be a front, the same bytes arrive") {  // A90
    const Updates updates = make_updates();
    const ScratchFolder scratch;
    publish_updates(updates, scratch.path("tree"));
    const auto read_delta = [&](std::uint32_t i) {
        return bytes_of(scratch.read("tree/" + delta_path_of(updates.ids[i], bundle_id_of(updates.olds[i]))));
    };
    const Bytes delta = read_delta(0);
    const auto head = value_of(decode_delta_head(std::span(delta).first(kDeltaHeadBytes)));
    const Bytes right(delta.begin(), delta.begin() + static_cast<std::ptrdiff_t>(head.front_bytes()));
    std::vector<Bytes> fronts{right, Bytes(right.begin(), right.end() - 1), Bytes(1), delta, read_delta(1)};
    for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{60}, std::size_t{90}, right.size() - 5}) {
        fronts.push_back(right);
        fronts.back()[at] ^= std::byte{1};
    }
    const TreeServer plain(updates.targets);
    const std::uint64_t without = update_all(updates, plain.url()).received_bytes;
    for (const Bytes& front : fronts) {
        CAPTURE(front.size());
        TreeServer server(updates.targets);
        TablesAnswer answer;
        REQUIRE(answer.add({.bundle = updates.ids[0], .file_bytes = 0, .heads = {}, .tables = {}, .front = front}));
        server.answer_questions(http_answer("200 OK", text_of(answer.take())));
        CHECK(update_all(updates, server.url()).received_bytes < without + delta.size() + 20'000);
        CHECK(server.questions() == 1);
    }
}

}  // namespace fardel::tests::front_hints_test
