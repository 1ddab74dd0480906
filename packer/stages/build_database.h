// BuildDatabase: the state that a project's builds share, in one SQLite file that may be deleted at any time.
//
// It records the bytes that each source had when it was last read, the references of assets, and the outputs of the
// last build. It is only a cache: stamps and hashes decide whether an entry is still valid. One build at a time may
// open it; commit() makes changes permanent, and the destructor drops later ones.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
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
    Hash version;  // BlobSource::find_version(), when it was read
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

    // Reads the whole database and replaces it if it is damaged, which open() does not always notice. Reading and
    // writing do so, too, when they meet damage: reading then finds nothing, and what was written before is lost.
    Status mend();

    // Returns the sources by their origin.
    Result<std::unordered_map<std::string, KnownSource>> read_sources() const;
    Status write_source(std::string_view origin, const KnownSource& source);
    Status remove_source(std::string_view origin);

    // Returns a small named record, such as the paths that a job looked for.
    Result<std::optional<std::string>> find_note(std::string_view name) const;
    Status write_note(std::string_view name, std::string_view text);

    // Returns the findings of scanners by their keys (scan_memory.h).
    Result<std::unordered_map<Hash, std::string>> read_scans() const;
    Status write_scans(const std::map<Hash, std::string>& added);
    // Call it after a scan of all assets; `used`: the keys that the scan used, ascending. `targets`: how many builds of
    // the project alternate. Removes findings that kScansIdleMax scans of each in a row did not use, and if the idle
    // findings together exceed kIdleScanBytesMax, also those that were idle longest.
    Status forget_idle_scans(const std::vector<Hash>& used, std::size_t targets = 1);

    // `target` identifies one of the project's builds; usually it is the bundle's path.
    Result<std::optional<FinishedBuild>> find_finished(std::string_view target) const;
    Status write_finished(std::string_view target, const FinishedBuild& build);

    // Errors: no_space, io.
    Status commit();

private:
    struct Close {
        void operator()(sqlite3* database) const noexcept;
    };
    BuildDatabase(std::string path, std::unique_ptr<sqlite3, Close> database);
    Status replace();
    // Replaces the database if `written` failed because it is damaged.
    Status forgive(Status written);
    Status forget_scans(const std::vector<Hash>& used, std::uint64_t idle_max);
    std::string path_;
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace fardel
