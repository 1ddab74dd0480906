// Caches that others fill: what a project's build asks of them, touches for them, and takes from them. The server is
// real and on loopback; it serves the folder of a cache, and changes what it likes.
#include "built_game.h"
#include "jobs/job_record.h"
#include "kit/ids.h"
#include "kit/odd_server.h"

#include <fardel/cache/cache_record.h>
#include <fardel/format/hash.h>
#include <fardel/format/signer.h>
#include "jobs/build_key.h"

#include <sys/stat.h>

#include <functional>

namespace fardel::tests::foreign_cache_test {

using nlohmann::json;

// Copies its input, and lists files in its depfile: those of include.txt, which it reads.
constexpr std::string_view kProject = R"(name = "game"
sources = ["assets"]

[processor.inc]
command = [
    "sh", "-c", "cat \"$1\" \"$4/include.txt\" > \"$2\"; echo \"out: $4/include.txt\" > \"$3\"",
    "sh", "${in}", "${out}", "${depfile}", "${project}",
]
outputs = ["{folder}{stem}.out"]
depfile = true

[[rule]]
match = "**"
process = "inc"
)";

class Game : public BuiltGame {
public:
    explicit Game(const std::string& cache = "") : BuiltGame(std::string(kProject) + cache) {
        write("assets/a.txt", "source\n");
        write("include.txt", "included\n");
    }
    std::string output() const { return cat("a.out"); }
};

std::string cache_table(const std::string& location, std::string_view more = "") {
    return "\n[[cache]]\n" + location + "\n" + std::string(more);
}

CacheRecord record_in(const fs::path& file) {
    const BuildKey key = value_of(BuildKey::parse(file.filename().string()));
    return value_of(decode_cache_record(key, bytes_of(read_file(file))));
}

// Serves a cache; remembers which records were asked for.
class CacheServer {
public:
    // Returns the bytes of the file below the cache's URL, or nothing.
    using Answer = std::function<std::optional<std::string>(const std::string& kind, const std::string& id)>;

    explicit CacheServer(Answer answer)
        : answer_(std::move(answer)), server_([this](OddServer::Guest& guest) { serve(guest); }) {}

    std::string table(std::string_view more = "write = false\nfill = false\n") const {
        return cache_table("url = \"" + server_.url() + "/c\"", more);
    }
    std::vector<BuildKey> keys() const {
        const std::lock_guard lock(mutex_);
        return keys_;
    }

private:
    void serve(OddServer::Guest& guest) {
        const std::string& head = guest.head();
        const std::string path = head.substr(4, head.find(' ', 4) - 4);  // /c/records/ab/<id>
        const std::string id = path.substr(path.rfind('/') + 1);
        const std::string kind = path.find("/records/") != std::string::npos ? "records" : "objects";
        if (kind == "records") {
            const std::lock_guard lock(mutex_);
            if (const BuildKey key = value_of(BuildKey::parse(id)); std::ranges::find(keys_, key) == keys_.end())
                keys_.push_back(key);
        }
        const auto body = answer_(kind, id);
        guest.send(http_answer(body ? "200 OK" : "404 Not Found", body.value_or("")));
    }

    const Answer answer_;
    mutable std::mutex mutex_;
    std::vector<BuildKey> keys_;
    OddServer server_;  // last, because its threads use the other members
};

// The file of a cache's folder.
std::optional<std::string> stored(const std::string& cache, const std::string& kind, const std::string& id) {
    const std::string path = cache + "/" + kind + "/" + id.substr(0, 2) + "/" + id;
    return fs::exists(path) ? std::optional(read_file(path)) : std::nullopt;
}

std::string note_record(const BuildKey& key, std::string notes) {
    return text_of(value_of(encode_cache_record({.key = key, .notes = std::move(notes)})));
}

std::string u64_text(std::uint64_t value) {
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += static_cast<char>(value >> 8 * i);
    return text;
}

// The record that an earlier version of Fardel believed: it names paths alone.
std::string old_note(const std::string& path) {
    return u64_text(7) + "found 1" + u64_text(1) + u64_text(1) + u64_text(path.size()) + path;
}

std::string new_note(const std::vector<std::vector<FoundInput>>& states) {
    return encode_found_states({.states = states});
}

json layer_of(const json& built) { return built["cache"]["layers"][1]; }

// A server that answers the first record that is asked for with notes; it has nothing else.
class Oracle {
public:
    explicit Oracle(std::string notes)
        : server([this, notes = std::move(notes)](const std::string& kind,
                                                  const std::string& id) -> std::optional<std::string> {
              const std::lock_guard lock(mutex_);
              if (kind == "records" && first.empty())
                  first = id;
              return kind == "records" && id == first ? std::optional(note_record(value_of(BuildKey::parse(id)), notes))
                                                      : std::nullopt;
          }) {}

    // Whether the build asked for the key that follows from these bytes of the file.
    bool knows(const std::string& path, std::string_view bytes) const {
        const std::vector<FoundInput> found{{.path = path, .asset = id_of(bytes)}};
        const auto keys = server.keys();
        return std::ranges::find(keys, build_key_with(value_of(BuildKey::parse(first)), found)) != keys.end();
    }

private:
    std::mutex mutex_;
    std::string first;

public:
    CacheServer server;
};

TEST_CASE("foreign cache: a server that names local files does not learn what they contain") {  // A129
    const ScratchFolder outside;
    outside.write("pin.txt", "4711");
    const std::string secret = outside.path("pin.txt");
    {
        const Oracle oracle(old_note(secret));
        const Game game(oracle.server.table());
        game.build();
        CHECK_FALSE(oracle.knows(secret, "4711"));
        CHECK(oracle.server.keys().size() == 1);
        CHECK(game.output() == "source\nincluded\n");
    }
    {  // of a file in the project: no key is computed from bytes that the record does not state
        const Oracle oracle(old_note("include.txt"));
        const Game game(oracle.server.table());
        game.build();
        CHECK_FALSE(oracle.knows("include.txt", "included\n"));
    }
    {
        const Oracle oracle(new_note({{{.path = "include.txt", .asset = id_of("a wrong guess")}}}));
        const Game game(oracle.server.table());
        const json built = game.build();
        CHECK(oracle.server.keys().size() == 1);
        CHECK(layer_of(built)["refused"] == 0);
    }
    {  // even with the right guess
        const Oracle oracle(new_note({{{.path = secret, .asset = id_of("4711")}}}));
        const Game game(oracle.server.table());
        const json built = game.build();
        CHECK_FALSE(oracle.knows(secret, "4711"));
        CHECK(layer_of(built)["refused"] == 1);
        CHECK(layer_of(built)["refusal"].get<std::string>().find("pin.txt") != std::string::npos);
        CHECK(built["jobs_run"] == 1);
    }
}

TEST_CASE("foreign cache: a record that names a path elsewhere, a link to it or no file is refused") {  // A129
    const ScratchFolder outside;
    outside.write("pin.txt", "4711");
    REQUIRE(::mkfifo(outside.path("fifo").c_str(), 0600) == 0);
    const auto guess = id_of("4711");
    constexpr std::string_view kSecretKey = "fardel-secret-key 1\n";
    struct Case {
        std::string path;
        std::optional<AssetId> asset;
    };
    for (const Case& one : std::initializer_list<Case>{{"/proc/self/pagemap", guess},
                                                       {"/proc/self/environ", guess},
                                                       {"/proc/nothing", std::nullopt},
                                                       {"/dev/zero", guess},
                                                       {"/sys/kernel/notes", guess},
                                                       {"/etc/mtab", guess},  // leads to /proc
                                                       {outside.path("nothing"), std::nullopt},
                                                       {"../game/include.txt", guess},
                                                       {"assets/../include.txt", guess},
                                                       {"/usr/../proc/self/environ", guess},
                                                       {"", guess},
                                                       {"include.txt/", guess},
                                                       {std::string("include.txt\0x", 13), guess},
                                                       {"fifo", guess},
                                                       {"assets", guess},
                                                       {"link", guess},
                                                       {"link-to-nothing", std::nullopt},
                                                       {"folder/pin.txt", guess},
                                                       {"folder/nothing", std::nullopt},
                                                       {"large", guess},
                                                       {"author.key", id_of(kSecretKey)},
                                                       {"token.txt", guess}}) {
        CAPTURE(one.path);
        if (one.path == "/etc/mtab" && !fs::exists(one.path))
            continue;
        const Oracle oracle(new_note({{{.path = one.path, .asset = one.asset}}}));
        const Game game(oracle.server.table("write = false\nfill = false\ntoken_file = \"token.txt\"\n"));
        game.write("author.key", kSecretKey);
        game.write("token.txt", "4711");
        REQUIRE(::chmod(game.path("token.txt").c_str(), 0600) == 0);
        fs::create_symlink(outside.path("pin.txt"), game.path("link"));
        fs::create_symlink(outside.path("none"), game.path("link-to-nothing"));
        fs::create_symlink(outside.path(""), game.path("folder"));
        REQUIRE(::mkfifo(game.path("fifo").c_str(), 0600) == 0);
        game.write("large", "");
        fs::resize_file(game.path("large"), std::uintmax_t(1) << 40);  // sparse; hashing it would take minutes
        const json built = game.build();
        CHECK(oracle.server.keys().size() == 1);
        CHECK(layer_of(built)["refused"] == 1);
        CHECK(built["jobs_run"] == 1);
        CHECK(game.output() == "source\nincluded\n");
    }
}

TEST_CASE("foreign cache: refused records are reported once per layer") {
    const Oracle oracle(new_note({{{.path = "/proc/version", .asset = id_of("")}}}));
    const Game game(oracle.server.table());
    const std::string text = run_well({"build", game.path(), "--level", "1"});
    CAPTURE(text);
    CHECK(text.find("cache refused: server http://127.0.0.1:") != std::string::npos);
    CHECK(text.find("1 record not used; the first: a record names a file: '/proc/version'") != std::string::npos);
}

TEST_CASE("foreign cache: the next machine runs no job, and asks only for keys that a record states") {
    const ScratchFolder shared;
    const std::string table = cache_table("folder = \"" + shared.path("cache") + "\"");
    const Game first(table);
    CHECK(first.build()["jobs_run"] == 1);
    first.write("include.txt", "other\n");
    CHECK(first.build()["jobs_run"] == 1);

    const CacheServer server(
        [&](const std::string& kind, const std::string& id) { return stored(shared.path("cache"), kind, id); });
    const Game second(server.table());
    const json built = second.build();
    CHECK(built["jobs_run"] == 0);
    CHECK(second.output() == "source\nincluded\n");
    CHECK(server.keys().size() == 2);  // the job's, and that of the state that fits

    // From then on its own cache knows.
    fs::remove_all(second.path(".fardel/build.sqlite"));
    fs::remove(second.path("game.fardel"));
    const std::size_t asked = server.keys().size();
    CHECK(second.build()["jobs_run"] == 0);
    CHECK(server.keys().size() == asked);

    // Another state that the first machine knows, and one that is new.
    second.write("include.txt", "other\n");
    CHECK(second.build()["jobs_run"] == 0);
    CHECK(second.output() == "source\nother\n");
    second.write("include.txt", "new\n");
    CHECK(second.build()["jobs_run"] == 1);
    CHECK(server.keys().size() == 3);
}

TEST_CASE("foreign cache: two writers of one cache keep what the other has added") {
    const ScratchFolder shared;
    const std::string table = cache_table("folder = \"" + shared.path("cache") + "\"");
    const Game a(table);
    a.build();
    const Game b(table);
    b.write("include.txt", "of b\n");
    CHECK(b.build()["jobs_run"] == 1);
    const Game c(table);
    CHECK(c.build()["jobs_run"] == 0);
    c.write("include.txt", "of b\n");
    CHECK(c.build()["jobs_run"] == 0);
}

// ---- Signed records -------------------------------------------------------------------------------------------------

// A key file without passphrase, and its public key.
struct CiKey {
    std::string path;
    std::string hex;
};

CiKey make_ci_key(const ScratchFolder& scratch, const std::string& name) {
    const std::string path = scratch.path(name + ".key");
    run_well({"keygen", "-o", path, "--no-passphrase"});
    return {.path = path, .hex = value_of(read_public_key_file(path + ".pub")).key.hex()};
}

std::string signed_by(const CiKey& key) { return "signed_by = [\"" + key.hex + "\"]\n"; }

// A cache that a CI has filled: the folder, and the key that has signed its records.
struct SignedCache {
    ScratchFolder scratch;
    CiKey key = make_ci_key(scratch, "ci");
    std::string folder = scratch.path("cache");

    SignedCache() {
        const Game ci(cache_table("folder = \"" + folder + "\"", signed_by(key)));
        REQUIRE(ci.build({"--cache-key", key.path})["jobs_run"] == 1);
    }

    // Builds with a server that changes the records that it serves. Returns the layer's statistics.
    json build_with(const std::function<CacheRecord(CacheRecord)>& change, int jobs_run) const {
        const CacheServer server([&](const std::string& kind, const std::string& id) {
            auto bytes = stored(folder, kind, id);
            if (kind == "records" && bytes) {
                const CacheRecord record =
                    value_of(decode_cache_record(value_of(BuildKey::parse(id)), bytes_of(*bytes)));
                bytes = text_of(value_of(encode_cache_record(change(record))));
            }
            return bytes;
        });
        const Game game(server.table("write = false\nfill = false\n" + signed_by(key)));
        const json built = game.build();
        CHECK(built["jobs_run"] == jobs_run);
        CHECK(game.output() == "source\nincluded\n");
        return layer_of(built);
    }
};

TEST_CASE("signed cache: records that the CI's key has signed are used") {
    const SignedCache cache;
    const json layer = cache.build_with([](CacheRecord record) { return record; }, 0);
    CHECK(layer["refused"] == 0);
    CHECK(layer["hits"] == 2);
}

TEST_CASE("signed cache: another key, an edit, another job's key or no signature is refused") {
    const SignedCache cache;
    const ScratchFolder scratch;
    const SecretKey other = value_of(read_key_file(make_ci_key(scratch, "other").path, {}));
    const auto refused = [&](const char* words, const std::function<CacheRecord(CacheRecord)>& change) {
        CAPTURE(words);
        const json layer = cache.build_with(change, 1);
        CHECK(layer["refused"] == 1);
        CHECK(layer["refusal"].get<std::string>().find(words) != std::string::npos);
    };
    const auto not_notes = [](const CacheRecord& record) { return !record.outputs.empty(); };
    refused("it is not signed", [](CacheRecord record) {  // stripped: the form that unsigned caches have
        record.signature.reset();
        return record;
    });
    refused("it is not signed", [&](CacheRecord record) {  // of results only
        if (not_notes(record))
            record.signature.reset();
        return record;
    });
    refused("not one of those that may sign", [&](CacheRecord record) {
        const auto signer = make_key_signer(SecretKey::from_seed(other.seed()));
        REQUIRE(sign_cache_record(record, *signer));
        return record;
    });
    refused("does not fit", [&](CacheRecord record) {  // another's signature under the right key
        const PublicKey key = record.signature->key;
        const auto signer = make_key_signer(SecretKey::from_seed(other.seed()));
        REQUIRE(sign_cache_record(record, *signer));
        record.signature->key = key;
        return record;
    });
    refused("does not fit", [&](CacheRecord record) {  // other bytes for an output, which the server has
        if (not_notes(record))
            record.outputs[0].asset = id_of("evil");
        return record;
    });
    refused("does not fit", [&](CacheRecord record) {
        if (not_notes(record))
            record.outputs[0].name = "b.out";
        return record;
    });
    refused("does not fit", [&](CacheRecord record) {
        if (not_notes(record))
            record.outputs[0].size_bytes += 1;
        return record;
    });
    refused("does not fit", [&](CacheRecord record) {  // another input
        if (!not_notes(record)) {
            auto found = find_found_states(record.notes);
            REQUIRE(found);
            found->states.push_back({{.path = "assets/a.txt", .asset = id_of("source\n")}});
            record.notes = encode_found_states(*found);
        }
        return record;
    });
    refused("does not fit", [&](CacheRecord record) {  // what the job printed, and references of its outputs
        if (not_notes(record))
            record.notes.back() ^= 1;
        return record;
    });
}

TEST_CASE("signed cache: a good record that was moved to another key is refused") {
    const SignedCache cache;
    std::optional<CacheRecord> results;
    for (const fs::path& file : paths_below(cache.folder + "/records")) {
        const CacheRecord record = record_in(file);
        REQUIRE(record.signature);
        if (!record.outputs.empty())
            results = record;
    }
    REQUIRE(results);
    const json layer = cache.build_with(
        [&](CacheRecord record) {  // the key is in the record; with it changed, its hash is right and its signature not
            CacheRecord moved = *results;
            moved.key = record.key;
            return moved;
        },
        1);
    CHECK(layer["refused"] == 1);
}

TEST_CASE("signed cache: a build without the key neither fills nor overwrites such a cache") {
    const SignedCache cache;
    const auto records = [&] {
        std::string all;
        for (const auto& [path, content] : files_below(cache.folder))
            if (path.find("records/") != std::string::npos)
                all += path + content;
        return all;
    };
    const std::string before = records();
    const Game game(cache_table("folder = \"" + cache.folder + "\"", signed_by(cache.key)));
    game.write("include.txt", "mine\n");
    CHECK(game.build()["jobs_run"] == 1);
    CHECK(records() == before);
    CHECK(game.build({"--anew", "--cache-key", cache.key.path})["jobs_run"] == 1);
    CHECK(records() != before);
}

TEST_CASE("signed cache: a build that signs does not vouch for what others wrote") {
    const ScratchFolder shared;
    const std::string table = cache_table("folder = \"" + shared.path("cache") + "\"");
    const Game hostile(table);
    hostile.write("include.txt", "theirs\n");
    hostile.build();
    const CiKey key = make_ci_key(shared, "ci");
    const Game ci(table);
    CHECK(ci.build({"--cache-key", key.path})["jobs_run"] == 1);
    bool seen = false;
    for (const fs::path& file : paths_below(shared.path("cache/records"))) {
        const CacheRecord record = record_in(file);
        if (const auto found = find_found_states(record.notes); found && record.signature) {
            CHECK(found->states.size() == 1);
            seen = true;
        }
    }
    CHECK(seen);
}

TEST_CASE("signed cache: an external program signs, and its failure ends the build") {
    const ScratchFolder scratch;
    const CiKey key = make_ci_key(scratch, "ci");
    scratch.write_program("refuse.sh", "#!/bin/sh\nexit 1\n");
    const Game game(cache_table("folder = \"" + scratch.path("cache") + "\""));
    const Outcome outcome =
        game.run_build({"--cache-key", key.path + ".pub", "--cache-signer", scratch.path("refuse.sh")});
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.err.find("[denied]") != std::string::npos);
    CHECK(game.run_build({"--cache-signer", scratch.path("refuse.sh")}).exit_code == 2);
}

TEST_CASE("signed cache: 'fardel cache verify' counts signed records by key, and one that is forged is broken") {
    const SignedCache cache;
    const json folder = json::parse(run_well({"cache", "verify", "--json", cache.folder}))["folders"][0];
    CHECK(folder["signed"][cache.key.hex] == 2);
    CHECK(run_well({"cache", "verify", cache.folder}).find("2 records by " + cache.key.hex) != std::string::npos);

    for (const fs::path& file : paths_below(cache.folder + "/records")) {
        CacheRecord record = record_in(file);
        record.notes += "x";
        fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
        write_file(file, value_of(encode_cache_record(record)));
        break;
    }
    const Outcome outcome = run({"cache", "verify", "--json", cache.folder});
    CHECK(outcome.exit_code == 1);
    CHECK(json::parse(outcome.out)["folders"][0]["broken"].size() == 1);
}

TEST_CASE("signed cache: 'signed_by' is a list of public keys") {
    const std::string good(64, 'a');
    for (const std::string& line :
         {std::string("signed_by = []"), std::string("signed_by = \"") + good + "\"",
          std::string("signed_by = [\"ci.pub\"]"), "signed_by = [\"" + good + "\", \"" + good + "\"]"}) {
        CAPTURE(line);
        const Game game(cache_table("folder = \"cache\"", line + "\n"));
        const Outcome outcome = game.run_build();
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.err.find("[malformed]") != std::string::npos);
        CHECK(outcome.err.find("signed_by") != std::string::npos);
    }
}

}  // namespace fardel::tests::foreign_cache_test
