// Handles files that a job looks for besides its inputs: they are hashed after the job, and again when a record of the
// derived-data cache names them.
#pragma once

#include "job_folder.h"

#include <fardel/base/result.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/processor.h>
#include <fardel/sources/observed_path.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// Time as the file system measures it, which is coarser than a clock: nanoseconds since 1970.
using FileTime = std::int64_t;

// Waits for the next tick of the file system: anything written before the call has an earlier time; anything written
// after it has this time or a later one.
Result<FileTime> next_file_time(const JobFolder& folder);

// Returns the found inputs by path, each once. `read` and `missing`: the paths that a job in `folder` reports, relative
// to its starting folder or absolute; its own files are left out. `begin`: when the job began. `project_folder`:
// absolute. Errors: conflict (edited since `begin`, or reported missing and present now), malformed (neither a file nor
// missing; a file of the kernel), denied, io.
Result<std::vector<FoundInput>> look_at_inputs(const std::vector<std::string>& read,
                                               const std::vector<std::string>& missing, const JobFolder& folder,
                                               FileTime begin, const std::string& project_folder);

inline constexpr std::size_t kForeignPathsMax = 16'384;                    // that a note of a foreign layer may name
inline constexpr std::uint64_t kForeignBytesMax = std::uint64_t(1) << 30;  // of the files that are hashed for it

struct RecordedFile {
    FoundInput input;   // as it is now
    ObservedPath seen;  // its stamp is older
};

// The files that a note of the cache names for one job; each is hashed at most once. Whether a record may name a file
// is decided before the file is touched.
class RecordedFiles {
public:
    // `project_folder` as in JobEnvironment. For the project's own layer: any regular file that is not of the kernel.
    static Result<RecordedFiles> of_own_layer(const std::string& project_folder);
    // For other layers: files in the project's folder that are not secret, and those of readable_files(), links
    // resolved, within the limits above.
    static Result<RecordedFiles> of_foreign_layer(const Processor& processor, const JobEnvironment& environment);

    // `path`: as FoundInput has it. Errors: denied (a record may not name it, or the system refuses), malformed (not a
    // regular file, or not a path that a job's record has), conflict (it is being written), limit, io.
    Result<RecordedFile> look(const std::string& path);

private:
    RecordedFiles(const std::string& given_folder, std::string project_folder)
        : given_folder_(given_folder), project_folder_(std::move(project_folder)) {}
    Status judge_text(const std::string& path) const;
    Status judge_missing(const std::string& path) const;
    Result<std::optional<AssetId>> hash(const std::string& path);
    Result<RecordedFile> look_again(const std::string& path);

    std::string given_folder_;
    std::string project_folder_;                      // absolute, without links
    std::optional<std::vector<std::string>> roots_;   // absolute, as they are written; nothing: any file
    std::vector<std::string> real_roots_;             // the same without links
    std::shared_ptr<const ReadableProject> project_;  // knows the secret files; may be nullptr
    std::map<std::string, Result<RecordedFile>> known_;
    std::uint64_t bytes_left_ = kForeignBytesMax;
};

}  // namespace fardel
