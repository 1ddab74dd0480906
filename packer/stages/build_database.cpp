#include "build_database.h"

#include "build_summary_record.h"

#include "text/record_fields.h"

#include <fardel/base/file.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kSchema = 9;
constexpr std::uint64_t kApplication = 0x46724462;  // "FrDb"

// Each row has a seal, a hash of its other columns: SQLite itself notices damage only in the structure of a page.
constexpr const char* kDatabaseTables = R"(
    CREATE TABLE IF NOT EXISTS source(
        origin TEXT PRIMARY KEY, version BLOB, asset BLOB, size INTEGER, type TEXT, seal BLOB) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS note(name TEXT PRIMARY KEY, text BLOB, seal BLOB) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS scan(key BLOB PRIMARY KEY, record BLOB, idle INTEGER, seal BLOB) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS finished(target TEXT PRIMARY KEY, build BLOB, seal BLOB);
    PRAGMA application_id=0x46724462;
    PRAGMA user_version=9;
)";

// ---- SQLite ---------------------------------------------------------------------------------------------------------

Error error_of(sqlite3* database, std::string_view what) {
    const int code = sqlite3_errcode(database) & 0xff;
    const ErrorCode kind = code == SQLITE_FULL                                                     ? ErrorCode::no_space
                           : code == SQLITE_BUSY || code == SQLITE_LOCKED                          ? ErrorCode::busy
                           : code == SQLITE_PERM || code == SQLITE_READONLY || code == SQLITE_AUTH ? ErrorCode::denied
                                                                                                   : ErrorCode::io;
    return Error(kind, "build database: " + std::string(what) + ": " + sqlite3_errmsg(database));
}

class Query {
public:
    Query(sqlite3* database, const char* sql) : database_(database) {
        sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
    }
    ~Query() { sqlite3_finalize(statement_); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    Query& text(std::string_view text) {
        sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
        return *this;
    }
    Query& blob(std::string_view bytes) {
        sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_STATIC);
        return *this;
    }
    template <class Tag>
    Query& id(const Id32<Tag>& id) {
        return blob({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()});
    }
    Query& number(std::uint64_t number) {
        sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(number));
        return *this;
    }

    // Returns whether there is a row.
    Result<bool> step() {
        const int result = sqlite3_step(statement_);
        if (result != SQLITE_ROW && result != SQLITE_DONE)
            return error_of(database_, "a query");
        return result == SQLITE_ROW;
    }
    Status run() {
        FARDEL_TRY(step());
        return ok();
    }

    std::string_view bytes(int column) const {
        const auto* const first = static_cast<const char*>(sqlite3_column_blob(statement_, column));
        return first ? std::string_view(first, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
                     : std::string_view();
    }
    std::uint64_t number_at(int column) const {
        return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, column));
    }

private:
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

Status execute(sqlite3* database, const char* sql, std::string_view what) {
    return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? ok()
                                                                               : Status(error_of(database, what));
}

bool is_damaged(sqlite3* database) {
    const int code = sqlite3_errcode(database) & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
           code == SQLITE_ERROR;  // the queries are correct, so SQLITE_ERROR means that the tables are damaged
}

// Whether the file's header asks for a later version of the write format; SQLite then opens the file read-only
// (SQLite's file format, 1.3.3). Only damage can have written such a header here.
bool says_read_only(sqlite3* database, const std::string& path) {
    if ((sqlite3_errcode(database) & 0xff) != SQLITE_READONLY)
        return false;
    std::array<std::byte, 20> header{};
    const auto file = open_file(path, path);
    const auto count = file ? read_whole_at(*file, 0, header, path) : Result<std::size_t>(file.error());
    return count && *count == header.size() && static_cast<unsigned char>(header[18]) > 2;
}

Result<std::uint64_t> number_of(sqlite3* database, const char* sql) {
    Query query(database, sql);
    FARDEL_TRY_ASSIGN(const bool row, query.step());
    return row ? query.number_at(0) : 0;
}

// Whether a later version of Fardel has created the open database.
Result<bool> is_later(sqlite3* database) {
    FARDEL_TRY_ASSIGN(const std::uint64_t application, number_of(database, "PRAGMA application_id"));
    FARDEL_TRY_ASSIGN(const std::uint64_t version, number_of(database, "PRAGMA user_version"));
    return application == kApplication && version > kSchema;
}

// Whether the open database has this schema version; false also for a database of another application.
Result<bool> has_schema(sqlite3* database) {
    FARDEL_TRY_ASSIGN(const std::uint64_t things, number_of(database, "SELECT count(*) FROM sqlite_schema"));
    if (things == 0)
        return true;  // just created
    FARDEL_TRY_ASSIGN(const std::uint64_t application, number_of(database, "PRAGMA application_id"));
    FARDEL_TRY_ASSIGN(const std::uint64_t version, number_of(database, "PRAGMA user_version"));
    return application == kApplication && version == kSchema;
}

// SQLite's name for a database that no file holds.
constexpr std::string_view kInMemory = ":memory:";

void remove_database(const std::string& path) {
    if (path == kInMemory)  // a file of that name is somebody's
        return;
    for (const char* ending : {"", "-journal", "-wal", "-shm"})
        static_cast<void>(remove_file(path + ending, path));
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

Hash seal_of(std::string_view key, std::string_view value) {
    RecordWriter record;
    record.text(key);
    record.text(value);
    return record.digest();
}

Hash seal_of(std::string_view origin, const KnownSource& source) {
    RecordWriter record;
    record.id(source.version);
    record.id(source.asset);
    record.number(source.size_bytes);
    record.text(source.content_type);
    return seal_of(origin, record.view());
}

constexpr const char* kReadSources = "SELECT origin, version, asset, size, type, seal FROM source";
constexpr const char* kWriteSource = "INSERT OR REPLACE INTO source VALUES(?,?,?,?,?,?)";
constexpr const char* kRemoveSource = "DELETE FROM source WHERE origin=?";
constexpr const char* kFindNote = "SELECT text, seal FROM note WHERE name=?";
constexpr const char* kWriteNote = "INSERT OR REPLACE INTO note VALUES(?,?,?)";
constexpr const char* kReadScans = "SELECT key, record, seal FROM scan";
constexpr const char* kWriteScan = "INSERT OR REPLACE INTO scan VALUES(?,?,0,?)";
constexpr const char* kReadIdleScans = "SELECT key, idle, length(record) FROM scan ORDER BY idle, key";
constexpr const char* kMarkScan = "UPDATE scan SET idle=? WHERE key=?";
constexpr const char* kRemoveScan = "DELETE FROM scan WHERE key=?";
constexpr const char* kFindFinished = "SELECT build, seal FROM finished WHERE target=?";
constexpr const char* kWriteFinished = "INSERT OR REPLACE INTO finished VALUES(?,?,?)";

// Whether the tables fit the queries: the schema itself may be damaged, too.
bool has_tables(sqlite3* database) {
    for (const char* sql : {kReadSources, kWriteSource, kRemoveSource, kFindNote, kWriteNote, kReadScans, kWriteScan,
                            kReadIdleScans, kMarkScan, kRemoveScan, kFindFinished, kWriteFinished}) {
        sqlite3_stmt* statement = nullptr;
        const bool good = sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) == SQLITE_OK;
        sqlite3_finalize(statement);
        if (!good)
            return false;
    }
    return true;
}

// ---- Encoding of a finished build -----------------------------------------------------------------------------------

constexpr std::size_t kStampBytes = 48;

void stamp_fields(auto& record, auto& stamp) {
    record.number(stamp.kind, StampKind::other);
    record.number(stamp.young);
    record.number(stamp.inode);
    record.number(stamp.size_bytes);
    record.number(stamp.modified_ns);
    record.number(stamp.changed_ns);
}

void build_fields(auto& record, auto& build) {
    record.id(build.options);
    record.id(build.plan);
    record.id(build.encoder);
    summary_fields(record, build.summary);
    const auto bundle_fields = [&](auto& bundle) {
        record.text(bundle.path);
        stamp_fields(record, bundle.stamp);
        record.id(bundle.bundle);
        record.id(bundle.layout);
    };
    record.list(build.bundles, bundle_fields, 8 + kStampBytes + 64);
    const auto file_fields = [&](auto& file) {
        record.text(file.name);
        stamp_fields(record, file.stamp);
    };
    const auto seen_fields = [&](auto& seen) {
        record.text(seen.path);
        stamp_fields(record, seen.stamp);
        record.list(seen.files, file_fields, 8 + kStampBytes);
    };
    record.list(build.seen, seen_fields, 16 + kStampBytes);
}

std::optional<FinishedBuild> decode(std::string_view bytes) {
    RecordReader record(bytes);
    FinishedBuild build;
    build_fields(record, build);
    return record.is_complete() ? std::optional(std::move(build)) : std::nullopt;
}

template <class Id>
Id id_at(const Query& query, int column) {
    Id id;
    const std::string_view bytes = query.bytes(column);
    if (bytes.size() == id.bytes.size())
        std::ranges::copy(bytes, id.bytes.begin());
    return id;
}

// Returns the first column of the row with that key; nothing if the row is absent or damaged.
Result<std::optional<std::string>> find_sealed(sqlite3* database, const char* sql, std::string_view key) {
    Query query(database, sql);
    const auto row = query.text(key).step();
    if (!row && !is_damaged(database))
        return row.error();
    const bool found = row && *row && id_at<Hash>(query, 1) == seal_of(key, query.bytes(0));
    return found ? std::optional(std::string(query.bytes(0))) : std::nullopt;
}

}  // namespace

// ---- The database ---------------------------------------------------------------------------------------------------

void BuildDatabase::Close::operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
BuildDatabase::BuildDatabase(std::string path, std::unique_ptr<sqlite3, Close> database)
    : path_(std::move(path)), database_(std::move(database)) {}

Result<BuildDatabase> BuildDatabase::open(const std::string& path) {
    // The database may be deleted at any time, so what is damaged or of an earlier schema is created again, once.
    for (const bool last : {false, true}) {
        sqlite3* raw = nullptr;
        const int opened = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
        std::unique_ptr<sqlite3, Close> database(raw);
        if (opened != SQLITE_OK)
            return error_of(raw, printable(path));
        // The transaction excludes other builds.
        Status good =
            execute(raw, "PRAGMA synchronous=NORMAL; PRAGMA locking_mode=EXCLUSIVE; BEGIN IMMEDIATE", printable(path));
        if (!good && good.error().code() == ErrorCode::busy)
            return Error(ErrorCode::busy, printable(path) + ": another build of this project is at work; wait for it");
        Result<bool> fits = good ? has_schema(raw) : Result<bool>(good.error());
        if (fits && *fits) {
            good = execute(raw, kDatabaseTables, printable(path));
            if (good && has_tables(raw))
                return BuildDatabase(path, std::move(database));
        }
        if (const auto later = fits && !*fits ? is_later(raw) : Result<bool>(false); later && *later) {
            database.reset();
            return open(
                std::string(kInMemory));  // this build goes on without; the later version finds its database as it was
        }
        const bool is_unusable = (fits && !*fits) || is_damaged(raw) || says_read_only(raw, path);
        if (last || !is_unusable)
            return good ? Error(ErrorCode::io, printable(path) + ": the build database cannot be created again")
                        : std::move(good).error();
        database.reset();
        remove_database(path);
    }
    return Error(ErrorCode::io, printable(path));
}

Status BuildDatabase::mend() {
    {
        Query query(database_.get(), "PRAGMA quick_check(1)");
        const auto row = query.step();
        if (row && *row && query.bytes(0) == "ok")
            return ok();
        if (!row && !is_damaged(database_.get()))
            return row.error();
    }  // SQLite does not close a database that has an open query
    return replace();
}

Status BuildDatabase::replace() {
    const std::string path = path_;
    database_.reset();
    remove_database(path);
    FARDEL_TRY_ASSIGN(*this, open(path));
    return ok();
}

Status BuildDatabase::forgive(Status written) {
    // What the database would have saved is work; a damaged one must not fail the build.
    return written || !is_damaged(database_.get()) ? std::move(written) : replace();
}

Result<std::unordered_map<std::string, KnownSource>> BuildDatabase::read_sources() const {
    std::unordered_map<std::string, KnownSource> sources;
    Query query(database_.get(), kReadSources);
    for (;;) {
        const auto row = query.step();
        if (!row && !is_damaged(database_.get()))
            return row.error();
        if (!row || !*row)
            return sources;
        KnownSource source{.version = id_at<Hash>(query, 1),
                           .asset = id_at<AssetId>(query, 2),
                           .size_bytes = query.number_at(3),
                           .content_type = std::string(query.bytes(4))};
        if (id_at<Hash>(query, 5) == seal_of(query.bytes(0), source))
            sources.emplace(query.bytes(0), std::move(source));
    }
}

Status BuildDatabase::write_source(std::string_view origin, const KnownSource& source) {
    Status written = Query(database_.get(), kWriteSource)
                         .text(origin)
                         .id(source.version)
                         .id(source.asset)
                         .number(source.size_bytes)
                         .text(source.content_type)
                         .id(seal_of(origin, source))
                         .run();
    return forgive(std::move(written));
}

Status BuildDatabase::remove_source(std::string_view origin) {
    Status removed = Query(database_.get(), kRemoveSource).text(origin).run();
    return forgive(std::move(removed));
}

Result<std::optional<std::string>> BuildDatabase::find_note(std::string_view name) const {
    return find_sealed(database_.get(), kFindNote, name);
}

Status BuildDatabase::write_note(std::string_view name, std::string_view text) {
    Status written = Query(database_.get(), kWriteNote).text(name).blob(text).id(seal_of(name, text)).run();
    return forgive(std::move(written));
}

Result<std::unordered_map<Hash, std::string>> BuildDatabase::read_scans() const {
    std::unordered_map<Hash, std::string> scans;
    Query query(database_.get(), kReadScans);
    for (;;) {
        const auto row = query.step();
        if (!row && is_damaged(database_.get()))
            return scans;
        if (!row)
            return row.error();
        if (!*row)
            return scans;
        if (query.bytes(0).size() == sizeof(Hash) && id_at<Hash>(query, 2) == seal_of(query.bytes(0), query.bytes(1)))
            scans.emplace(id_at<Hash>(query, 0), query.bytes(1));
    }
}

Status BuildDatabase::write_scans(const std::map<Hash, std::string>& added) {
    for (const auto& [key, record] : added) {
        const std::string_view name(reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size());
        Status written = Query(database_.get(), kWriteScan).id(key).blob(record).id(seal_of(name, record)).run();
        FARDEL_TRY(forgive(std::move(written)));
    }
    return ok();
}

Status BuildDatabase::forget_idle_scans(const std::vector<Hash>& used, std::size_t targets) {
    Status forgotten = forget_scans(used, kScansIdleMax * targets);
    return forgive(std::move(forgotten));
}

Status BuildDatabase::forget_scans(const std::vector<Hash>& used, std::uint64_t idle_max) {
    std::vector<std::pair<std::string, std::uint64_t>> marks;  // key, new idle
    std::vector<std::string> forgotten;
    {
        std::uint64_t idle_bytes = 0;
        Query query(database_.get(), kReadIdleScans);
        for (;;) {
            FARDEL_TRY_ASSIGN(const bool row, query.step());
            if (!row)
                break;
            const std::string_view key = query.bytes(0);
            const std::uint64_t idle = query.number_at(1);
            if (key.size() == sizeof(Hash) && std::ranges::binary_search(used, id_at<Hash>(query, 0))) {
                if (idle != 0)
                    marks.emplace_back(key, 0);
                continue;
            }
            idle_bytes += query.number_at(2);
            // Kept for some builds, because switching between branches brings old bytes back.
            if (idle >= idle_max || idle_bytes > kIdleScanBytesMax)
                forgotten.emplace_back(key);
            else
                marks.emplace_back(key, idle + 1);
        }
    }
    for (const auto& [key, idle] : marks)
        FARDEL_TRY(Query(database_.get(), kMarkScan).number(idle).blob(key).run());
    for (const std::string& key : forgotten)
        FARDEL_TRY(Query(database_.get(), kRemoveScan).blob(key).run());
    return ok();
}

Result<std::optional<FinishedBuild>> BuildDatabase::find_finished(std::string_view target) const {
    FARDEL_TRY_ASSIGN(const auto bytes, find_sealed(database_.get(), kFindFinished, target));
    return bytes ? decode(*bytes) : std::nullopt;
}

Status BuildDatabase::write_finished(std::string_view target, const FinishedBuild& build) {
    RecordWriter record;
    build_fields(record, build);
    const std::string_view bytes = record.view();
    Status written = Query(database_.get(), kWriteFinished).text(target).blob(bytes).id(seal_of(target, bytes)).run();
    return forgive(std::move(written));
}

Status BuildDatabase::commit() {
    Status kept = execute(database_.get(), "COMMIT", "what this build learnt");
    if (!kept)
        return forgive(std::move(kept));
    // The next transaction at once: without one, another build could begin while this one writes its bundle.
    return forgive(execute(database_.get(), "BEGIN IMMEDIATE", "what this build learnt"));
}

}  // namespace fardel
