// JobFolder: the folder that one job runs in: copies of its inputs in `in`, its outputs in `out`, anything else in
// `tmp`.
//
// The folder is removed with its last owner; blobs of large outputs own it, so that their bytes stay available.
// Everything that a job leaves in it is hostile: links are never followed. One thread at a time.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/processor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class JobFolder : public std::enable_shared_from_this<JobFolder> {
public:
    // Creates a new folder below `scratch`, which exists. Errors: missing, denied, no_space, io.
    static Result<std::shared_ptr<JobFolder>> make(const std::string& scratch);
    ~JobFolder();
    JobFolder(const JobFolder&) = delete;
    JobFolder& operator=(const JobFolder&) = delete;

    const std::string& path() const noexcept { return path_; }  // absolute
    std::string path_of(std::string_view name) const { return path_ + "/" + std::string(name); }
    std::string input_path(const JobInput& input) const { return path_of("in/" + input.name.text()); }

    // Copies an input into the folder. Errors: conflict (its bytes do not match input.asset: the file is being edited),
    // cancelled, those of reading and writing.
    Status add_input(const JobInput& input, const std::stop_token& stop) const;
    // Returns the path for an output that the caller or a program will write, and creates its folders. Errors:
    // malformed and limit (the name breaks the rules), those of creating folders.
    Result<std::string> new_output_path(std::string_view name) const;
    // Writes one output.
    Status write_output(std::string_view name, std::span<const std::byte> bytes) const;
    // Writes one output with the bytes of an input. Errors: cancelled, those of reading and writing.
    Status copy_output(const JobInput& input, std::string_view name, const std::stop_token& stop) const;
    Status write_file(std::string_view name, std::span<const std::byte> bytes) const;

    // Returns the outputs, sorted by name. Errors: denied (a link), malformed (not a regular file, or an invalid name),
    // limit, cancelled, io.
    Result<std::vector<JobOutput>> collect_outputs(const std::stop_token& stop) const;
    // Returns the text of a whole file without following links; nothing if it is absent. Errors: limit, malformed, io.
    Result<std::optional<std::string>> find_text(std::string_view name, std::size_t bytes_max) const;

private:
    explicit JobFolder(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

}  // namespace fardel
