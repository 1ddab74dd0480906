// What a game's loop calls of fardel.h: changes in one step, reads in the background, streams, views, and what the VFS
// says about itself.
#include <fardel/vfs/fardel.h>

#include "kit/bundles.h"
#include "vfs/recalling_policy.h"
#include "vfs/test_bundle.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace fardel::tests::c_game_loop_test {

struct Handle {
    explicit Handle(const fardel_vfs_options* options = nullptr) {
        REQUIRE(fardel_vfs_create(options, &vfs, nullptr) == FARDEL_OK);
        mount.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    }
    ~Handle() { fardel_vfs_destroy(vfs); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    fardel_mount_id add(const Bytes& bundle) {
        fardel_mount_id id = 0;
        REQUIRE(fardel_mount_memory(vfs, bundle.data(), bundle.size(), &mount, &id, nullptr) == FARDEL_OK);
        return id;
    }
    fardel_file* open(const char* path) const {
        fardel_file* file = nullptr;
        REQUIRE(fardel_open(vfs, path, &file, nullptr) == FARDEL_OK);
        return file;
    }
    std::string read(const char* path) const {
        fardel_file* file = nullptr;
        if (fardel_open(vfs, path, &file, nullptr) != FARDEL_OK)
            return "none";
        std::string text(static_cast<std::size_t>(fardel_file_size(file)), '\0');
        REQUIRE(fardel_read_all(file, text.data(), text.size(), nullptr) == FARDEL_OK);
        fardel_close(file);
        return text;
    }

    fardel_vfs* vfs = nullptr;
    fardel_mount_options mount = FARDEL_MOUNT_OPTIONS_INIT;
};

fardel_mount_request request_for(const Bytes& bundle, const fardel_mount_options& options) {
    fardel_mount_request request = FARDEL_MOUNT_REQUEST_INIT;
    request.bytes = bundle.data();
    request.size_bytes = bundle.size();
    request.options = &options;
    return request;
}

Bytes map_bundle(std::string_view content) { return BundleMaker().add("maps/now", content).write(); }

TEST_CASE("C API: a map replaces another in one step, and no look-up sees neither") {
    Handle game;
    game.add(map_bundle("base"));
    fardel_mount_id current = game.add(map_bundle("first"));
    std::atomic<bool> ends = false;
    std::set<std::string> seen;
    std::thread frames([&] {
        while (!ends)
            seen.insert(game.read("maps/now"));
    });
    const Bytes maps[] = {map_bundle("second"), map_bundle("first")};
    for (int i = 0; i < 200; ++i) {
        const fardel_mount_request map = request_for(maps[i % 2], game.mount);
        const fardel_mount_request* const mounts[] = {&map};
        fardel_mount_change change = FARDEL_MOUNT_CHANGE_INIT;
        change.unmounts = &current;
        change.unmount_count = 1;
        change.mounts = mounts;
        change.mount_count = 1;
        fardel_mount_id next = 0;
        change.new_mounts = &next;
        REQUIRE(fardel_apply(game.vfs, &change, nullptr) == FARDEL_OK);
        current = next;
    }
    ends = true;
    frames.join();
    CHECK_FALSE(seen.contains("base"));
    CHECK_FALSE(seen.contains("none"));
}

TEST_CASE("C API: a change is made whole or not at all, with options of each mount and new priorities") {
    Handle game;
    const fardel_mount_id low = game.add(map_bundle("low"));
    const fardel_mount_id high = game.add(map_bundle("high"));
    const Bytes mod = BundleMaker().add("a", "mod").write();
    fardel_mount_options below = game.mount;
    below.place = "mods/x";
    below.label = "a mod";
    const fardel_mount_request first = request_for(mod, below);
    fardel_mount_request wrong = FARDEL_MOUNT_REQUEST_INIT;
    wrong.path = "/no/such/bundle";
    wrong.options = &game.mount;
    const fardel_mount_request* mounts[] = {&first, &wrong};
    const fardel_mount_priority up{low, 5};
    fardel_mount_change change = FARDEL_MOUNT_CHANGE_INIT;
    change.mounts = mounts;
    change.mount_count = 2;
    change.priorities = &up;
    change.priority_count = 1;
    CHECK(fardel_apply(game.vfs, &change, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(game.read("maps/now") == "high");
    CHECK(game.read("mods/x/a") == "none");
    wrong.bytes = "x";  // two subjects
    CHECK(fardel_apply(game.vfs, &change, nullptr) == FARDEL_ERROR_ARGUMENT);
    mounts[1] = nullptr;
    CHECK(fardel_apply(game.vfs, &change, nullptr) == FARDEL_ERROR_ARGUMENT);
    change.mount_count = 1;
    CHECK(fardel_apply(game.vfs, &change, nullptr) == FARDEL_OK);
    CHECK(game.read("maps/now") == "low");
    CHECK(game.read("mods/x/a") == "mod");

    const Bytes other = map_bundle("other");
    const fardel_mount_request replacement = request_for(other, game.mount);
    std::vector<std::string> changed;
    const auto note = [](void* paths, const fardel_change* one) {
        static_cast<std::vector<std::string>*>(paths)->push_back(one->path);
    };
    CHECK(fardel_replace(game.vfs, low, &replacement, note, &changed, nullptr) == FARDEL_OK);
    CHECK(changed == std::vector<std::string>{"/maps/now"});
    CHECK(game.read("maps/now") == "other");
    CHECK(fardel_replace(game.vfs, high + 100, &replacement, nullptr, nullptr, nullptr) == FARDEL_ERROR_MISSING);
}

TEST_CASE("C API: a refused change takes over all readers or none") {
    Handle game;
    int released = 0;
    fardel_reader reader = FARDEL_READER_INIT;
    reader.context = &released;
    reader.size_bytes = 10;
    reader.read_at = [](void*, std::uint64_t, void*, std::size_t, fardel_error*) {
        return fardel_code{FARDEL_ERROR_IO};
    };
    reader.release = [](void* count) { ++*static_cast<int*>(count); };
    fardel_mount_request first = FARDEL_MOUNT_REQUEST_INIT;
    first.reader = &reader;
    first.options = &game.mount;
    fardel_mount_request second = first;
    fardel_reader bad = reader;
    bad.read_at = nullptr;
    second.reader = &bad;
    const fardel_mount_request* const mounts[] = {&first, &second};
    fardel_mount_change change = FARDEL_MOUNT_CHANGE_INIT;
    change.mounts = mounts;
    change.mount_count = 2;
    CHECK(fardel_apply(game.vfs, &change, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(released == 0);
    second.reader = &reader;
    CHECK(fardel_apply(game.vfs, &change, nullptr) != FARDEL_OK);
    CHECK(released == 2);
}

struct Ended {
    std::mutex mutex;
    std::map<fardel_read_id, fardel_code> codes;

    static void note(void* context, fardel_read_id read, fardel_code code, std::size_t, const char* text) {
        auto& ended = *static_cast<Ended*>(context);
        const std::scoped_lock lock(ended.mutex);
        ended.codes[read] = code;
        CHECK((code == FARDEL_OK) == (*text == '\0'));
    }
};

TEST_CASE("C API: reads in the background end once each, and those that wait can be cancelled") {
    Handle game;
    std::string content(300'000, 'x');
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(i * 7919 >> 5);
    game.add(BundleMaker().add("a", content).add("b", "small").write());
    fardel_queue* queue = nullptr;
    REQUIRE(fardel_queue_start(2, &queue, nullptr) == FARDEL_OK);
    Ended ended;
    std::string whole(content.size(), '\0');
    std::string part(3, '\0');
    fardel_read_request first = FARDEL_READ_REQUEST_INIT;
    first.file = game.open("a");
    first.buffer = whole.data();
    first.size_bytes = whole.size();
    first.done = Ended::note;
    first.context = &ended;
    fardel_read_request second = first;
    second.file = game.open("b");
    second.offset = 2;
    second.buffer = part.data();
    second.size_bytes = part.size();
    second.priority = 3;
    const fardel_read_request* const both[] = {&first, &second};
    fardel_read_id ids[2] = {};
    REQUIRE(fardel_queue_submit(queue, both, 2, ids, nullptr) == FARDEL_OK);
    fardel_close(const_cast<fardel_file*>(first.file));
    fardel_close(const_cast<fardel_file*>(second.file));
    fardel_queue_wait(queue);
    CHECK(whole == content);
    CHECK(part == "all");
    CHECK(ended.codes == std::map<fardel_read_id, fardel_code>{{ids[0], FARDEL_OK}, {ids[1], FARDEL_OK}});
    CHECK(fardel_queue_cancel(queue, ids[0]) == 0);
    fardel_queue_close(queue);

    // One thread, which waits in the function of the first read, so the second one is waiting.
    REQUIRE(fardel_queue_start(1, &queue, nullptr) == FARDEL_OK);
    std::mutex blocked;
    std::atomic<bool> begun = false;
    struct Gate {
        std::mutex* mutex;
        std::atomic<bool>* begun;
    } gate{&blocked, &begun};
    blocked.lock();
    first.file = game.open("b");
    first.size_bytes = 1;
    first.context = &gate;
    first.done = [](void* context, fardel_read_id, fardel_code, std::size_t, const char*) {
        *static_cast<Gate*>(context)->begun = true;
        const std::scoped_lock lock(*static_cast<Gate*>(context)->mutex);
    };
    second.file = first.file;
    const fardel_read_request* const stop[] = {&first};
    const fardel_read_request* const waits[] = {&second, &second};
    REQUIRE(fardel_queue_submit(queue, stop, 1, nullptr, nullptr) == FARDEL_OK);
    while (!begun)
        std::this_thread::yield();
    REQUIRE(fardel_queue_submit(queue, waits, 2, ids, nullptr) == FARDEL_OK);
    CHECK(fardel_queue_cancel(queue, ids[0]) == 1);
    CHECK(ended.codes[ids[0]] == FARDEL_ERROR_CANCELLED);
    blocked.unlock();
    fardel_queue_close(queue);
    CHECK(ended.codes.contains(ids[1]));
    fardel_close(const_cast<fardel_file*>(first.file));

    REQUIRE(fardel_queue_start(1, &queue, nullptr) == FARDEL_OK);
    second.file = nullptr;
    CHECK(fardel_queue_submit(queue, waits, 2, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_queue_close(queue);
}

TEST_CASE("C API: a stream reads on, and a view is the bytes themselves") {
    Handle game;
    game.add(BundleMaker().add("a", "0123456789", "image/png").write());
    fardel_file* const file = game.open("a");
    fardel_stream* stream = nullptr;
    REQUIRE(fardel_stream_open(file, &stream, nullptr) == FARDEL_OK);
    char buffer[4] = {};
    std::size_t count = 0;
    REQUIRE(fardel_stream_read(stream, buffer, 3, &count, nullptr) == FARDEL_OK);
    CHECK(std::string(buffer, count) == "012");
    CHECK(fardel_stream_position(stream) == 3);
    fardel_stream_seek(stream, 8);
    REQUIRE(fardel_stream_read(stream, buffer, 4, &count, nullptr) == FARDEL_OK);
    CHECK(std::string(buffer, count) == "89");
    fardel_view* view = nullptr;
    const fardel_code code = fardel_view_open(file, 2, 3, &view, nullptr);
    REQUIRE(code == FARDEL_OK);  // ten bytes do not become smaller, so they are stored as they are
    CHECK(std::string(static_cast<const char*>(fardel_view_bytes(view)), fardel_view_size(view)) == "234");
    fardel_view_close(view);
    CHECK(fardel_view_open(file, 0, 0, &view, nullptr) == FARDEL_ERROR_LIMIT);
    CHECK(view == nullptr);
    CHECK(fardel_view_bytes(nullptr) == nullptr);
    fardel_close(file);
    fardel_stream_seek(stream, 0);
    REQUIRE(fardel_stream_read(stream, buffer, 1, &count, nullptr) == FARDEL_OK);
    CHECK(buffer[0] == '0');
    fardel_stream_close(stream);
}

struct Memory {
    std::atomic<long> bytes = 0;
    std::atomic<long> calls = 0;
    std::atomic<bool> is_full = false;

    fardel_allocator allocator() {
        fardel_allocator out = FARDEL_ALLOCATOR_INIT;
        out.context = this;
        out.allocate = [](void* context, std::size_t size, std::size_t alignment) -> void* {
            auto& memory = *static_cast<Memory*>(context);
            if (memory.is_full)
                return nullptr;
            memory.bytes += static_cast<long>(size);
            ++memory.calls;
            return ::operator new(size, std::align_val_t(alignment));
        };
        out.release = [](void* context, void* block, std::size_t size, std::size_t alignment) {
            static_cast<Memory*>(context)->bytes -= static_cast<long>(size);
            ::operator delete(block, std::align_val_t(alignment));
        };
        return out;
    }
};

TEST_CASE("C API: the cache and its buffers come from the caller's memory, until the last file is closed") {
    Memory memory;
    const fardel_allocator allocator = memory.allocator();
    fardel_vfs_options options = FARDEL_VFS_OPTIONS_INIT;
    options.allocator = &allocator;
    fardel_file* file = nullptr;
    {
        Handle game(&options);
        game.add(BundleMaker().add("a", std::string(60'000, 'a')).add("b", std::string(60'000, 'b')).write());
        file = game.open("a");
        char byte = 0;
        std::size_t count = 0;
        REQUIRE(fardel_read_at(file, 5, &byte, 1, &count, nullptr) == FARDEL_OK);
        CHECK(memory.bytes >= 60'000);
        fardel_figures figures = FARDEL_FIGURES_INIT;
        REQUIRE(fardel_read_figures(game.vfs, &figures, nullptr) == FARDEL_OK);
        CHECK(figures.decoded_bytes >= 60'000);
        CHECK(figures.misses >= 1);
        CHECK(figures.cached_bytes > 0);
        CHECK(static_cast<long>(figures.cached_bytes) <= memory.bytes);
        memory.is_full = true;
        fardel_file* const other = game.open("b");
        const fardel_code code = fardel_read_at(other, 5, &byte, 1, &count, nullptr);
        CHECK((code == FARDEL_OK || code == FARDEL_ERROR_NO_MEMORY));  // both may be in one block
        memory.is_full = false;
        CHECK(fardel_read_at(other, 5, &byte, 1, &count, nullptr) == FARDEL_OK);
        CHECK(byte == 'b');
        fardel_close(other);
    }
    CHECK(memory.bytes > 0);
    fardel_close(file);
    CHECK(memory.bytes == 0);
    fardel_allocator half = allocator;
    half.release = nullptr;
    options.allocator = &half;
    fardel_vfs* none = nullptr;
    CHECK(fardel_vfs_create(&options, &none, nullptr) == FARDEL_ERROR_ARGUMENT);
}

TEST_CASE("C API: a log tells what is mounted, refused and damaged, and nothing of names that are not there") {
    std::vector<std::string> lines;
    fardel_vfs_options options = FARDEL_VFS_OPTIONS_INIT;
    options.log_context = &lines;
    options.log = [](void* context, fardel_log_level level, const char* text) {
        static_cast<std::vector<std::string>*>(context)->push_back("EWN"[level] + std::string(" ") + text);
    };
    Handle game(&options);
    game.mount.label = "game";
    const fardel_mount_id id = game.add(map_bundle("x"));
    REQUIRE(lines.size() == 1);
    CHECK(lines.back() == "N mounted game at / as " + std::to_string(id) + ", which no policy vouches for");
    fardel_file* file = nullptr;
    CHECK(fardel_open(game.vfs, "no/such/name", &file, nullptr) == FARDEL_ERROR_MISSING);
    CHECK(lines.size() == 1);
    fardel_mount_options trusted = FARDEL_MOUNT_OPTIONS_INIT;
    CHECK(fardel_mount_memory(game.vfs, "x", 1, &trusted, nullptr, nullptr) != FARDEL_OK);
    REQUIRE(lines.size() == 2);
    CHECK(lines.back().starts_with("W nothing was mounted: "));
    CHECK(fardel_unmount(game.vfs, id, nullptr) == FARDEL_OK);
    CHECK(lines.back() == "N unmounted " + std::to_string(id));
    game.add(damage_table(map_bundle("y"), TableKind::names));
    CHECK(fardel_open(game.vfs, "maps/now", &file, nullptr) == FARDEL_ERROR_CORRUPT);
    CHECK(lines.back().starts_with("E "));
}

TEST_CASE("C API: a bundle that is withdrawn is an event once, is a line of the log, and is listed as such") {
    std::vector<std::string> seen;
    fardel_vfs_options options = FARDEL_VFS_OPTIONS_INIT;
    options.recalled_context = options.log_context = &seen;
    options.recalled = [](void* context, const fardel_recalled_mount* recalled) {
        static_cast<std::vector<std::string>*>(context)->push_back("event " + std::string(recalled->label));
    };
    options.log = [](void* context, fardel_log_level level, const char* text) {
        if (level == FARDEL_LOG_WARNING)
            static_cast<std::vector<std::string>*>(context)->push_back(std::string(text).substr(0, 10));
    };
    Handle game(&options);
    game.mount.label = "mod";
    const Bytes bundle = map_bundle("x");
    game.add(bundle);
    const std::string policy = recalling({{bundle_id_of(bundle), "crashes"}}).format();
    for (int i = 0; i < 2; ++i)
        REQUIRE(fardel_judge_again(game.vfs, policy.c_str(), 0, nullptr, nullptr, nullptr, nullptr) == FARDEL_OK);
    std::ranges::sort(seen);
    CHECK(seen == std::vector<std::string>{"event mod", "withdrawn:"});
    std::string why;
    REQUIRE(fardel_mounts(
                game.vfs,
                [](void* context, const fardel_mount_description* mount) {
                    *static_cast<std::string*>(context) = mount->recall != nullptr ? mount->recall : "";
                },
                &why, nullptr, nullptr) == FARDEL_OK);
    check_has(why, "crashes");
    seen.clear();
    CHECK(game.read("maps/now") == "none");  // revoked
    CHECK(seen.size() == 1);
}

TEST_CASE("C API: mounts, explanations, conflicts and needs are those of the C++ Vfs") {
    Handle game;
    game.mount.label = "base";
    game.add(BundleMaker().add("maps/now", "base").add("same", "1").write());
    BundlePlan plan;
    add(plan, "maps/now", "mod");
    add(plan, "same", "1");
    plan.consumes.push_back({.text = "music/*.ogg", .pattern = true, .optional = true});
    plan.consumes.push_back({.text = "fonts/a"});
    plan.dependencies.push_back({.bundle = bundle_of('7'), .name = "studio/base", .version = "2"});
    game.mount.label = "mod";
    game.mount.priority = 4;
    const fardel_mount_id mod = game.add(written(plan));

    std::vector<std::string> seen;
    std::size_t count = 0;
    REQUIRE(fardel_mounts(
                game.vfs,
                [](void* context, const fardel_mount_description* mount) {
                    static_cast<std::vector<std::string>*>(context)->push_back(
                        std::string(mount->label) + " " + std::to_string(mount->priority) + " " +
                        std::to_string(mount->missing_count) + " " + std::to_string(mount->flags));
                },
                &seen, &count, nullptr) == FARDEL_OK);
    CHECK(count == 2);
    CHECK(seen == std::vector<std::string>{"mod 4 1 1", "base 0 0 1"});

    seen.clear();
    REQUIRE(fardel_explain(
                game.vfs, "maps/now", nullptr,
                [](void* context, const fardel_explanation* explanation) {
                    auto& out = *static_cast<std::vector<std::string>*>(context);
                    REQUIRE(explanation->candidate_count == 2);
                    CHECK(explanation->winner == explanation->candidates[0]);
                    for (std::size_t i = 0; i < 2; ++i)
                        out.push_back(explanation->candidates[i]->mount->label);
                },
                &seen, nullptr) == FARDEL_OK);
    CHECK(seen == std::vector<std::string>{"mod", "base"});
    CHECK(fardel_explain(
              game.vfs, "a//b", nullptr, [](void*, const fardel_explanation*) {}, nullptr, nullptr) ==
          FARDEL_ERROR_MALFORMED);

    seen.clear();
    REQUIRE(fardel_conflicts(
                game.vfs,
                [](void* context, const fardel_conflict* conflict) {
                    static_cast<std::vector<std::string>*>(context)->push_back(
                        std::string(conflict->path) + " " + std::to_string(conflict->side_count) +
                        (conflict->is_harmless != 0 ? " harmless" : ""));
                },
                &seen, &count, nullptr) == FARDEL_OK);
    CHECK(seen == std::vector<std::string>{"/maps/now 2", "/same 2 harmless"});

    seen.clear();
    std::int32_t is_complete = 1;
    REQUIRE(fardel_check_links(
                game.vfs,
                [](void* context, const fardel_unresolved_need* need) {
                    static_cast<std::vector<std::string>*>(context)->push_back(
                        std::to_string(need->mount) + " " + std::string(need->name) + " " + need->version + " " +
                        std::to_string(need->kind) + " " + std::to_string(need->flags));
                },
                &seen, &is_complete, nullptr) == FARDEL_OK);
    const std::string number = std::to_string(mod);
    CHECK(seen == std::vector<std::string>{number + " fonts/a  0 0", number + " music/*.ogg  0 3",
                                           number + " studio/base 2 1 4"});
    CHECK(is_complete == 0);
}

TEST_CASE("C API: a function sets each struct as its macro does, whatever size the caller knows") {
    fardel_mount_options macro = FARDEL_MOUNT_OPTIONS_INIT;
    fardel_mount_options function;
    std::memset(&function, 0xab, sizeof function);
    fardel_mount_options_init(&function, sizeof function);
    CHECK(std::memcmp(&macro, &function, sizeof macro) == 0);
    struct Later {
        fardel_vfs_options options;
        std::uint64_t unknown;
    } later;
    std::memset(&later, 0xab, sizeof later);
    fardel_vfs_options_init(&later.options, sizeof later);
    CHECK(later.options.struct_size == sizeof later);
    CHECK(later.options.cache_bytes == 32u << 20);
    CHECK(later.unknown == 0);
    unsigned char earlier[24];
    std::memset(earlier, 0xab, sizeof earlier);
    fardel_vfs_options_init(reinterpret_cast<fardel_vfs_options*>(earlier), 16);
    CHECK(earlier[16] == 0xab);
    fardel_mount_options_init(nullptr, 5);
}

}  // namespace fardel::tests::c_game_loop_test
