// BuildDatabase: real SQLite files that are damaged, foreign, shared or left by killed writers.
#include "stages/build_database.h"
#include "stages/build_summary_record.h"

#include "kit/files.h"
#include "kit/ids.h"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace fardel::tests::build_database_test {

const KnownSource kSource{.version = tests::filled_id<Hash>(1),
                          .asset = tests::filled_id<AssetId>(2),
                          .size_bytes = 0x123456789a,
                          .content_type = "image/png"};

BuildSummary summary() {
    BuildSummary summary;
    summary.bundles = {
        {.path = "x.fardel", .name = "x", .version = "1", .signed_by = tests::filled_id<PublicKey>(9), .seconds = 0.5},
        {.path = "y.fardel"}};
    summary.bundles[0].written = {
        .bundle = tests::filled_id<BundleId>(6), .layout = tests::filled_id<LayoutId>(7), .assets = 1, .file_bytes = 2};
    summary.scan.refused.push_back(
        {.printable_name = "a?", .origin = "assets/a?", .reason = Error(ErrorCode::malformed, "no good name")});
    summary.scan.overridden.push_back(
        {.name = *AssetName::parse("b"), .origin = "1/b", .by_name = *AssetName::parse("B"), .by_origin = "2/B"});
    summary.scan.excluded.push_back({.name = "c", .origin = "1/c", .pattern = "c*"});
    summary.idle_rules = {"fardel.toml:7: *.none"};
    ReferenceSummary& references = summary.references.emplace();
    references = {.references = 3, .resolved = 2, .rewritten = 1, .broken = {{.name = "d", .reason = "cut"}}};
    references.missing.push_back(
        {.from = "m.map",
         .reference = {.spelling = std::string("words\0more", 10), .use = ReferenceUse::sky_box, .line = 12},
         .tried = {"e", "f"}});
    references.idle_patterns = {"g*"};
    return summary;
}

std::string bytes_of(const BuildSummary& summary) {
    RecordWriter writer;
    summary_fields(writer, summary);
    return writer.take();
}

FinishedBuild finished() {
    const PathStamp stamp{.kind = StampKind::file,
                          .young = true,
                          .inode = 7,
                          .size_bytes = 8,
                          .modified_ns = -9,
                          .changed_ns = INT64_MAX};
    const PathStamp folder{
        .kind = StampKind::folder, .young = false, .inode = 1, .size_bytes = 2, .modified_ns = 3, .changed_ns = 4};
    return {.options = tests::filled_id<Hash>(3),
            .plan = tests::filled_id<Hash>(4),
            .encoder = tests::filled_id<Hash>(5),
            .seen = {{.path = "assets",
                      .stamp = folder,
                      .files = {{.name = "a", .stamp = stamp}, {.name = "b", .stamp = {}}}},
                     {.path = "none", .stamp = {}, .files = {}}},
            .bundles = {{.path = "x.fardel",
                         .stamp = stamp,
                         .bundle = tests::filled_id<BundleId>(6),
                         .layout = tests::filled_id<LayoutId>(7)}},
            .summary = summary()};
}

BuildDatabase open_well(const std::string& path) {
    auto database = BuildDatabase::open(path);
    const std::string message = database ? "" : database.error().message();
    REQUIRE_MESSAGE(database, message);
    return *std::move(database);
}

// Creates a database with one record in each table.
std::string make(const ScratchFolder& scratch) {
    const std::string path = scratch.path("build.sqlite");
    BuildDatabase database = open_well(path);
    REQUIRE(database.write_source("assets/a.png", kSource));
    REQUIRE(database.write_note("note", "text"));
    REQUIRE(database.write_scans({{tests::filled_id<Hash>(8), "record"}}));
    REQUIRE(database.write_finished("x.fardel", finished()));
    REQUIRE(database.commit());
    return path;
}

bool knows_all(const BuildDatabase& database) {
    const auto sources = database.read_sources();
    const auto note = database.find_note("note");
    const auto build = database.find_finished("x.fardel");
    const auto scans = database.read_scans();
    return scans && scans->size() == 1 && scans->contains(tests::filled_id<Hash>(8)) &&
           scans->at(tests::filled_id<Hash>(8)) == "record" && sources && sources->size() == 1 &&
           sources->at("assets/a.png") == kSource && note && *note == "text" && build && *build;
}

// The database that SQLite opened last in this process.
sqlite3* last_opened = nullptr;
int note_opened(sqlite3* database, char**, const sqlite3_api_routines*) {
    last_opened = database;
    return SQLITE_OK;
}

bool is_empty(const BuildDatabase& database) {
    const auto sources = database.read_sources();
    const auto note = database.find_note("note");
    const auto build = database.find_finished("x.fardel");
    const auto scans = database.read_scans();
    return scans && scans->empty() && sources && sources->empty() && note && !*note && build && !*build;
}

struct MadeDatabase {
    const ScratchFolder scratch;
    const std::string path = make(scratch);
};

TEST_CASE_FIXTURE(MadeDatabase, "build database: committed records are found again") {
    BuildDatabase database = open_well(path);
    CHECK(knows_all(database));
    const auto build = *database.find_finished("x.fardel");
    REQUIRE(build);
    const FinishedBuild wanted = finished();
    CHECK(build->options == wanted.options);
    CHECK(build->plan == wanted.plan);
    CHECK(build->encoder == wanted.encoder);
    CHECK(bytes_of(build->summary) == bytes_of(wanted.summary));
    REQUIRE(build->bundles.size() == 1);
    CHECK(build->bundles[0].path == "x.fardel");
    CHECK(build->bundles[0].stamp == wanted.bundles[0].stamp);
    CHECK(build->bundles[0].bundle == wanted.bundles[0].bundle);
    CHECK(build->bundles[0].layout == wanted.bundles[0].layout);
    REQUIRE(build->seen.size() == 2);
    CHECK(build->seen[0].stamp == wanted.seen[0].stamp);
    REQUIRE(build->seen[0].files.size() == 2);
    CHECK(build->seen[0].files[0].name == "a");
    CHECK(build->seen[0].files[0].stamp == wanted.seen[0].files[0].stamp);
    CHECK(build->seen[1].path == "none");

    REQUIRE(database.remove_source("assets/a.png"));
    CHECK(database.read_sources()->empty());
    CHECK_FALSE(*database.find_finished("y.fardel"));
}

TEST_CASE("build database: records that were not committed are not found") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("build.sqlite");
    {
        BuildDatabase database = open_well(path);
        REQUIRE(database.write_note("first", "1"));
        REQUIRE(database.commit());
        REQUIRE(database.write_note("second", "2"));
    }
    const BuildDatabase database = open_well(path);
    CHECK(*database.find_note("first") == "1");
    CHECK_FALSE(*database.find_note("second"));
}

TEST_CASE("build database: a second user gets busy, also between two commits of the first") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("build.sqlite");
    {
        BuildDatabase first = open_well(path);
        for (int round = 0; round < 3; ++round) {
            const auto second = BuildDatabase::open(path);
            REQUIRE_FALSE(second);
            CHECK(second.error().code() == ErrorCode::busy);
            CHECK(second.error().message().find("another build of this project is at work; wait for it") !=
                  std::string::npos);
            REQUIRE(first.write_note("round", std::to_string(round)));
            REQUIRE(first.commit());
        }
    }
    CHECK(*open_well(path).find_note("round") == "2");
}

TEST_CASE_FIXTURE(MadeDatabase, "build database: an empty, truncated or foreign file is created again") {  // A114
    const std::string whole = tests::read_file(path);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{50}, std::size_t{100}, std::size_t{1000},
                                   std::size_t{4096}, whole.size() / 2, whole.size() - 4096}) {
        CAPTURE(size);
        scratch.write("build.sqlite", std::string_view(whole).substr(0, size));
        BuildDatabase database = open_well(path);
        REQUIRE(database.mend());
        CHECK(is_empty(database));
        REQUIRE(database.write_note("note", "text"));
        REQUIRE(database.commit());
    }
    for (const std::string& foreign :
         {std::string("name = \"no database\"\n"), std::string(5000, 'x'), std::string(20'000, '\0')}) {
        scratch.write("build.sqlite", foreign);
        CHECK(is_empty(open_well(path)));
    }
    // A later schema version, which is stored at byte 60 in big-endian order.
    std::string later = whole;
    later[63] = 99;
    scratch.write("build.sqlite", later);
    CHECK(is_empty(open_well(path)));
    CHECK(tests::read_file(path) == later);  // left alone
    // A database of another program.
    std::string other = whole;
    other[68] = 99;
    scratch.write("build.sqlite", other);
    CHECK(is_empty(open_well(path)));
}

TEST_CASE("build database: its stand-in in memory is replaced without removing a file of that name") {
    const ScratchFolder scratch;
    std::string later = tests::read_file(make(scratch));
    later[63] = 99;
    scratch.write("build.sqlite", later);
    const std::string own = scratch.write(":memory:", "a file of the user");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(scratch.root());
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(note_opened));
    BuildDatabase database = open_well("build.sqlite");
    sqlite3_reset_auto_extension();
    CHECK(sqlite3_exec(last_opened, "DROP TABLE note", nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(database.write_note("a", "lost with the damaged database"));
    CHECK(is_empty(database));
    std::filesystem::current_path(before);
    CHECK(tests::read_file(own) == "a file of the user");
    CHECK(tests::read_file(scratch.path("build.sqlite")) == later);
}

TEST_CASE_FIXTURE(MadeDatabase,
                  "build database: with any byte damaged, it returns what was written, or nothing") {  // A114
    const std::string whole = tests::read_file(path);
    FARDEL_RANDOM(random);
    for (int round = 0; round < 150; ++round) {
        std::string damaged = whole;
        const std::size_t bytes = 1 + random() % 3;
        for (std::size_t i = 0; i < bytes; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        scratch.write("build.sqlite", damaged);
        BuildDatabase database = open_well(path);
        if (const auto early = database.find_finished("x.fardel"); early && *early)
            CHECK((*early)->plan == finished().plan);
        REQUIRE(database.mend());
        const auto sources = database.read_sources();
        REQUIRE(sources);
        for (const auto& source : *sources) {
            CHECK(source.first == "assets/a.png");
            CHECK(source.second == kSource);
        }
        const auto note = database.find_note("note");
        REQUIRE(note);
        CHECK((!*note || **note == "text"));
        const auto scans = database.read_scans();
        REQUIRE(scans);
        CHECK(
            (scans->empty() || *scans == std::unordered_map<Hash, std::string>{{tests::filled_id<Hash>(8), "record"}}));
        REQUIRE(database.forget_idle_scans({tests::filled_id<Hash>(8)}));
        const auto build = database.find_finished("x.fardel");
        REQUIRE(build);
        CHECK((!*build ||
               (bytes_of((*build)->summary) == bytes_of(finished().summary) && (*build)->plan == finished().plan)));
        // The database can be used again. Damage that nothing has read so far may replace it at any of these writes,
        // and what was written before is lost then; the next build finds a sound database.
        for (int attempt = 0; attempt < 2 && (attempt == 0 || !knows_all(database)); ++attempt) {
            REQUIRE(database.write_source("assets/a.png", kSource));
            REQUIRE(database.write_note("note", "text"));
            REQUIRE(database.write_scans({{tests::filled_id<Hash>(8), "record"}}));
            REQUIRE(database.write_finished("x.fardel", finished()));
            REQUIRE(database.commit());
        }
        CHECK(knows_all(database));
    }
}

TEST_CASE_FIXTURE(
    MadeDatabase,
    "build database: with any bytes of a page damaged, no call fails, and what is written then is kept") {  // A114
    const std::string whole = tests::read_file(path);
    FARDEL_RANDOM(random);
    for (int round = 0; round < 150; ++round) {
        std::string damaged = whole;
        const std::size_t first = random() % damaged.size();
        for (std::size_t i = first; i < std::min<std::size_t>(damaged.size(), first + 1 + random() % 512); ++i)
            damaged[i] = static_cast<char>(random());
        scratch.write("build.sqlite", damaged);
        BuildDatabase database = open_well(path);
        REQUIRE(database.find_finished("x.fardel"));
        REQUIRE(database.read_sources());
        REQUIRE(database.find_note("note"));
        REQUIRE(database.read_scans());
        for (int build = 0; build < 2; ++build) {  // the first may meet damage at its last call
            REQUIRE(database.forget_idle_scans({tests::filled_id<Hash>(8)}));
            REQUIRE(database.remove_source("assets/b.png"));
            REQUIRE(database.write_source("assets/a.png", kSource));
            REQUIRE(database.write_note("note", "text"));
            REQUIRE(database.write_scans({{tests::filled_id<Hash>(8), "record"}}));
            REQUIRE(database.write_finished("x.fardel", finished()));
            REQUIRE(database.commit());
        }
        REQUIRE(database.mend());
    }
}

TEST_CASE_FIXTURE(MadeDatabase,
                  "build database: with any byte of its header damaged, it opens and can be used") {  // A114
    const std::string whole = tests::read_file(path);
    for (std::size_t at = 0; at < 100; ++at)
        for (const char value : {'\0', '\2', '\x7f', '\xff'}) {
            CAPTURE(at);
            std::string damaged = whole;
            damaged[at] = value;
            scratch.write("build.sqlite", damaged);
            BuildDatabase database = open_well(path);
            REQUIRE(database.mend());
            REQUIRE(database.write_source("assets/a.png", kSource));
            REQUIRE(database.write_note("note", "text"));
            REQUIRE(database.write_scans({{tests::filled_id<Hash>(8), "record"}}));
            REQUIRE(database.write_finished("x.fardel", finished()));
            REQUIRE(database.commit());
            CHECK(knows_all(database));
        }
}

TEST_CASE_FIXTURE(MadeDatabase, "build database: a writer that is killed leaves the old state") {  // A100
    FARDEL_RANDOM(random);
    for (int round = 0; round < 20; ++round) {
        int ready[2];
        REQUIRE(::pipe(ready) == 0);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            auto database = BuildDatabase::open(path);
            bool good = static_cast<bool>(database);
            // This is more than SQLite caches in memory, so pages of the file change before the commit.
            for (int i = 0; good && i < 400; ++i)
                good = static_cast<bool>(database->write_note("big" + std::to_string(i), std::string(20'000, 'x')));
            good = good && database->write_note("note", "never kept");
            (void)!::write(ready[1], good ? "y" : "n", 1);
            ::pause();
            ::_exit(0);
        }
        ::close(ready[1]);
        char answer = 0;
        if (round % 2 == 0)
            CHECK(::read(ready[0], &answer, 1) == 1);
        else
            ::usleep(static_cast<useconds_t>(random() % 60'000));
        CHECK(answer != 'n');
        ::kill(child, SIGKILL);
        REQUIRE(::waitpid(child, nullptr, 0) == child);
        ::close(ready[0]);
        BuildDatabase database = open_well(path);
        REQUIRE(database.mend());
        CHECK(knows_all(database));
        CHECK_FALSE(*database.find_note("big0"));
    }
}

TEST_CASE("build database: a missing folder, or a folder at its path, is reported") {
    const ScratchFolder scratch;
    CHECK_FALSE(BuildDatabase::open(scratch.path("no/build.sqlite")));
    std::filesystem::create_directories(scratch.path("build.sqlite"));
    const auto database = BuildDatabase::open(scratch.path("build.sqlite"));
    REQUIRE_FALSE(database);
    CHECK(database.error().message().find("build.sqlite") != std::string::npos);
}

TEST_CASE("build summary: a whole record is read back, and no part of it is accepted") {
    const std::string bytes = bytes_of(summary());
    RecordReader reader(bytes);
    BuildSummary read;
    summary_fields(reader, read);
    CHECK(reader.is_complete());
    CHECK(bytes_of(read) == bytes);
    CHECK(read.bundles[0].signed_by == tests::filled_id<PublicKey>(9));
    CHECK_FALSE(read.bundles[1].signed_by);
    CHECK(read.bundles[0].seconds == 0.5);
    CHECK(read.references->missing[0].reference.spelling.size() == 10);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        RecordReader cut(std::string_view(bytes).substr(0, size));
        BuildSummary part;
        summary_fields(cut, part);
        CHECK_FALSE(cut.is_complete());
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {  // a changed byte gives another summary or none
        std::string spoilt = bytes;
        spoilt[at] ^= 1;
        RecordReader other(spoilt);
        BuildSummary different;
        summary_fields(other, different);
        CHECK((!other.is_complete() || bytes_of(different) != bytes));
    }
}

}  // namespace fardel::tests::build_database_test
