// Opens the target that an address names.
#pragma once

#include <fardel/base/result.h>
#include <fardel/hosting/tree_target.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace fardel {

// Secrets for servers; empty: none. They are in no message.
struct TreeCredentials {
    std::string dav_user;
    std::string dav_password;
    std::string dav_token;  // instead of user and password
    std::string upload_token;
    std::string aws_key_id;
    std::string aws_secret_key;
    std::string aws_session_token;
    std::string aws_region;  // unless the address names one
};

struct TreeConnection {
    std::chrono::milliseconds connect_timeout{10'000};
    std::chrono::seconds stall_timeout{60};
    unsigned attempts_max = 5;
    std::chrono::milliseconds first_pause{200};
    std::stop_token stop;
};

// The address is "https://host" or "http://host" of a `fardel serve`, "dav+https://host/folder",
// "dav+http://host/folder", "s3://bucket/prefix?endpoint=https://host&region=eu-1&style=path" (or style=host: the
// bucket is part of the host's name), or the path of a folder. Errors: malformed, missing (no credentials, no such
// bucket), denied (also a password over http to another machine), those of the first request.
Result<std::unique_ptr<TreeTarget>> open_tree_target(const std::string& address, TreeCredentials credentials,
                                                     const TreeConnection& connection = {});

}  // namespace fardel
