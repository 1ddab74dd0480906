// An object store on loopback, tests/kit/s3_server.py: it checks signatures independently of libcurl.
#pragma once

#include "files.h"

#include <sys/types.h>

namespace fardel::tests {

class S3Server {
public:
    // `options`: those of the program. Fails the test if it does not start.
    S3Server(const ScratchFolder& scratch, const std::vector<std::string>& options = {},
             const std::string& name = "store");
    ~S3Server();
    S3Server(const S3Server&) = delete;
    S3Server& operator=(const S3Server&) = delete;

    // "s3://bucket/game?endpoint=…": a prefix in its only bucket.
    std::string address() const;
    const std::string& tree() const { return tree_; }  // the folder of that prefix
    static std::string key_id() { return "AKIDEXAMPLE"; }
    static std::string secret() { return "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"; }

private:
    std::string tree_;
    int port_ = 0;
    pid_t id_ = -1;
    int input_ = -1;
};

}  // namespace fardel::tests
