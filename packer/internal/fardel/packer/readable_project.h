// ReadableProject: the files of a project that a job may read if it may read the project: all except secret keys and
// the folder of builds.
//
// Secret are the named files, whatever name leads to them, and those that secret_files.h recognises. The folder is read
// once, by the first job that asks; a key that appears later in a folder that had none is not noticed. Any thread.
#pragma once

#include <fardel/base/result.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// Error: denied (the file is secret by its name, or looks like a secret key; secret_files.h). A file that cannot be
// read is none.
Status verify_no_secret_key(const std::string& path);

class ReadableProject {
public:
    // All paths are absolute. `scratch`: the folder of the jobs' folders.
    ReadableProject(std::string folder, std::string scratch, std::vector<std::string> secret_files);

    struct Found {
        std::vector<std::string> readable;  // files, and folders with all that is in them
        std::vector<std::string> listable;  // folders with something secret in or below them
    };
    // Error: limit (very many files lie beside keys).
    Result<const Found*> find();
    // Error: denied (the file is secret, by whatever name).
    Status verify_not_secret(const std::string& path) const;

private:
    std::string folder_;
    std::string scratch_;
    std::vector<std::string> secret_files_;
    std::mutex lock_;
    std::optional<Result<Found>> found_;
};

}  // namespace fardel
