// UploadRoom: how many bytes of uploads may be on the disk before they are verified. What is published keeps its room;
// the others share the rest: what the quota leaves, and at most half of what the disk has free without them, because a
// bundle that is published is written once more.
//
// Bytes count when they come, not when they are announced, so a silent upload takes no room. When the room is short,
// parts of uploads that broke off are removed first. Any thread.
#pragma once

#include "serve/upload_parts.h"

#include <fardel/base/clock.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace fardel {

class UploadRoom {
public:
    // `tree_bytes_max`: the quota, of bundle files in the tree with those uploads; 0: no limit but the disk. `parts`
    // outlives the object.
    UploadRoom(std::string tree, std::uint64_t tree_bytes_max, UploadParts& parts);

    // What one upload has on the disk. It gives its room back when it is destroyed, or when it leaves.
    class Share {
    public:
        explicit Share(UploadRoom& room) : room_(room) {}
        ~Share() { leave(); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        // Returns false if there is no room for so many more bytes, or if it has left.
        bool add(std::uint64_t bytes);
        void leave();

    private:
        UploadRoom& room_;
        std::uint64_t bytes_ = 0;  // the room's lock guards both
        bool has_left_ = false;
    };

    // Why a file of that size does not fit beside what is published, if nothing else is uploaded; nothing if it does.
    std::optional<std::string> describe_lack(std::uint64_t file_bytes);
    // Something was published: what the tree has is counted again.
    void note_publication();

private:
    std::uint64_t room_bytes();  // of all uploads
    void measure();

    const std::string tree_;
    const std::uint64_t tree_bytes_max_;
    UploadParts& parts_;
    std::mutex mutex_;
    std::uint64_t taken_bytes_ = 0;              // by all shares
    std::uint64_t left_bytes_ = 0;               // as measured, less what was taken since
    std::optional<std::uint64_t> tree_bytes_{};  // published
    SteadyTime tree_measured_;
};

}  // namespace fardel
