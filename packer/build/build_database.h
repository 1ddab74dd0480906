// BuildDatabase: what a project's builds remember, in one SQLite file that may be deleted at any time.
//
// Which bytes a source had when it was read last, what assets reference, and what the last build wrote. It is only a
// cache: stamps and hashes decide whether an entry is still valid. One build at a time has it open; changes are kept
// from keep() on.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/packer/project_build.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct sqlite3;

namespace fardel {

struct KnownSource {
    Hash version;  // SourceEntry::version, when it was read
    AssetId asset;
    std::uint64_t size_bytes = 0;
    std::string content_type;

    friend bool operator==(const KnownSource&, const KnownSource&) = default;
};

inline constexpr std::uint64_t kScansIdleMax = 8;
inline constexpr std::uint64_t kIdleScanBytesMax = std::uint64_t(64) << 20;

class BuildDatabase {
public:
    // Creates the file if it is absent, and replaces one that is damaged or of another version. Errors: busy (another
    // build has it open), denied, no_space, io.
    static Result<BuildDatabase> open(const std::string& path);
    BuildDatabase(BuildDatabase&&) noexcept;
    BuildDatabase& operator=(BuildDatabase&&) noexcept;
    ~BuildDatabase();  // drops changes since the last keep()

    // Reads all of it, and replaces it if it is damaged, which open() need not notice.
    Status mend();

    // By origin.
    Result<std::unordered_map<std::string, KnownSource>> read_sources() const;
    Status write_source(std::string_view origin, const KnownSource& source);
    Status remove_source(std::string_view origin);

    // A small record by its name: the paths that a job looked for.
    Result<std::optional<std::string>> find_note(std::string_view name) const;
    Status write_note(std::string_view name, std::string_view text);

    // The findings of scanners, by their keys (scan_memory.h).
    Result<std::unordered_map<Hash, std::string>> read_scans() const;
    Status write_scans(const std::map<Hash, std::string>& added);
    // Call it after a scan of all assets that used the keys `used`, ascending. Forgets findings that kScansIdleMax
    // scans in a row did not use, and earlier those that were idle longest, if idle ones exceed kIdleScanBytesMax
    // together.
    Status forget_idle_scans(const std::vector<Hash>& used);

    // `target`: which of the project's builds; usually the bundle's path.
    Result<std::optional<FinishedBuild>> find_finished(std::string_view target) const;
    Status write_finished(std::string_view target, const FinishedBuild& build);
    Status remove_finished(std::string_view target);

    // Errors: no_space, io.
    Status keep();

private:
    struct Close {
        void operator()(sqlite3* database) const noexcept;
    };
    BuildDatabase(std::string path, std::unique_ptr<sqlite3, Close> database);
    Status start_over();
    std::string path_;
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace fardel
