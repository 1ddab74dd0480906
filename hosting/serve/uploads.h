// Uploads: takes bundle files from clients with a token, verifies them completely, and publishes them into the tree. Or
// takes them from authors for a registry, which decides (registry.h).
//
// Until then, nothing serves it. What breaks off, or is killed, stays for a day, so that its owner can go on, unless
// the room is needed (upload_room.h); what is refused leaves nothing behind. A registry that has not decided after
// kJudgementWait goes on without the request, which is answered with 202; the author asks for the decision at the
// target of the part. Any thread.
#pragma once

#include "registry/pending_judgements.h"
#include "serve/request_slots.h"
#include "serve/served_files.h"
#include "serve/server_answer.h"
#include "serve/upload_parts.h"
#include "serve/upload_room.h"
#include "serve/upload_tokens.h"

#include <fardel/base/result.h>
#include <fardel/format/trust_policy.h>
#include <fardel/hosting/registry.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

namespace fardel {

inline constexpr std::chrono::seconds kJudgementWait{5};

struct UploadRules {
    Registry* registry = nullptr;  // instead of tokens and a policy; it outlives the object
    UploadTokens tokens;
    const TrustPolicy* policy = nullptr;  // nullptr: any bundle
    std::uint64_t tree_bytes_max = 0;     // of all bundle files in the tree, with those under way; 0: no limit
    std::uint64_t file_bytes_max = 1ull << 40;
    unsigned uploads_max = 16;        // at a time
    unsigned sender_uploads_max = 4;  // of one client, and of one author of a registry
};

class Uploads {
public:
    // `tree`: the folder that is served.
    Uploads(std::string tree, UploadRules rules);
    ~Uploads();  // after all receivers

    // Parses "/uploads/<64 digits>", which stands for what was received of a bundle.
    static std::optional<BundleId> find_part(std::string_view target);
    // Says how much that is: the size of the answer to HEAD. To GET, what a registry decided.
    ServerAnswer answer_part(const BundleId& bundle, const ReceivedRequest& request);

    // Parses "/registry/questions/<64 digits>".
    static std::optional<BundleId> find_question(std::string_view target);
    // Says what a registry would make of an upload, by its facts and by the room that is left.
    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin_question(const BundleId& bundle,
                                                                             const ReceivedRequest& request);

    // Decides by the headers of a request to PUT a file.
    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin(const RequestedFile& file,
                                                                    const ReceivedRequest& request);
    // Ends verifications that are under way.
    void stop();

private:
    class Receiver;
    class Question;
    class Signatures;
    struct Staged;
    // Who uploads: the name of a token, or the digits of an author's key; or the refusal.
    std::variant<ServerAnswer, std::string> find_owner(const BundleId& bundle, const ReceivedRequest& request) const;
    // What a registry makes of the owner's newest upload of the bundle; nothing: it knows of none.
    std::optional<PendingJudgements::Found> find_judgement(const BundleId& bundle, const std::string& owner);
    // The file that is written to, from `offset` on. Errors: conflict (not so many bytes are there), those of the disk.
    Result<Staged> stage(const BundleId& bundle, const std::string& owner, std::uint64_t offset);
    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin_signatures(const BundleId& bundle,
                                                                               const ReceivedRequest& request);
    // Why a file of that size is not taken now; nothing if it is.
    std::optional<ServerAnswer> refuse_size(std::uint64_t file_bytes);
    // Whether there is room for more bytes of an upload, also if a slower one ends for it.
    bool make_room(UploadRoom::Share& share, const RequestSlots::Slot& slot, std::uint64_t bytes);

    const std::string tree_;
    const UploadRules rules_;
    UploadParts parts_;
    UploadRoom room_;
    std::stop_source stop_;
    RequestSlots slots_;
    RequestSlots questions_;
    std::mutex publishing_;
    std::optional<PendingJudgements> judgements_;  // of a registry
};

}  // namespace fardel
