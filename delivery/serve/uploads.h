// Uploads: takes bundle files from clients with a token, verifies them completely, and publishes them into the tree.
//
// Until then, a file has no name: what is cut off, refused or killed leaves nothing behind. Any thread.
#pragma once

#include "serve/served_files.h"
#include "serve/server_answer.h"
#include "serve/upload_tokens.h"

#include <fardel/base/result.h>
#include <fardel/format/trust_policy.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

namespace fardel {

struct UploadRules {
    UploadTokens tokens;
    const TrustPolicy* policy = nullptr;  // nullptr: any bundle
    std::uint64_t tree_bytes_max = 0;     // of all bundle files in the tree, with those under way; 0: no limit
    std::uint64_t file_bytes_max = 1ull << 40;
    unsigned uploads_max = 16;  // at a time
};

class Uploads {
public:
    // `tree`: the folder that is served.
    Uploads(std::string tree, UploadRules rules) : tree_(std::move(tree)), rules_(std::move(rules)) {}
    ~Uploads();  // after all receivers

    // Decides by the headers of a request to PUT a file.
    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin(const RequestedFile& file,
                                                                    const ReceivedRequest& request);
    // Ends verifications that are under way.
    void stop() { stop_.request_stop(); }

private:
    class Receiver;
    // Returns the refusal, if there is no room.
    std::optional<ServerAnswer> reserve(std::uint64_t bytes);
    void release(std::uint64_t bytes);

    const std::string tree_;
    const UploadRules rules_;
    std::stop_source stop_;
    std::mutex mutex_;
    std::uint64_t reserved_bytes_ = 0;
    unsigned under_way_ = 0;
    std::mutex publishing_;
};

}  // namespace fardel
