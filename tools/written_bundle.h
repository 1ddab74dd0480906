// What is written for, what was written, and how far the work is: the caller's values and functions.
#pragma once

#include <fardel/format/bundle_writer.h>
#include <fardel/format/c_interface.h>
#include <fardel/format/name.h>
#include <fardel/tools/fardel_tools.h>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace fardel::c {

inline constexpr const char* kUnknownPurpose = "a purpose that this version of the library does not know";

// Sets `out` to what the options say: nothing if they leave it open. Returns false if the purpose is unknown.
inline bool find_purpose(fardel_purpose given, std::int32_t level, std::optional<BundlePurpose>& out) noexcept {
    switch (given) {
        case FARDEL_FOR_BALANCED: out = level != 0 ? std::optional(BundlePurpose::balanced) : std::nullopt; return true;
        case FARDEL_FOR_LOAD: out = BundlePurpose::load; return true;
        case FARDEL_FOR_SIZE: out = BundlePurpose::size; return true;
        default: return false;
    }
}

inline void report_written(const BundleWriteSummary& summary, const std::string& path, bool is_signed,
                           fardel_bundle_written written, void* context) {
    if (written == nullptr)
        return;
    const std::string name = printable(summary.name);
    const std::string version = printable(summary.version);
    fardel_written_bundle out{};
    out.struct_size = sizeof out;
    out.bundle = plain_id(summary.bundle);
    out.layout = plain_id(summary.layout);
    out.path = path.c_str();
    out.name = name.c_str();
    out.version = version.c_str();
    out.assets = summary.assets;
    out.names = summary.names;
    out.raw_bytes = summary.raw_bytes;
    out.stored_bytes = summary.stored_bytes;
    out.file_bytes = summary.file_bytes;
    out.is_signed = is_signed ? 1 : 0;
    written(context, &out);
}

// Calls the caller's function, which may ask to stop. Any thread, one at a time.
class ToolProgress {
public:
    ToolProgress(fardel_tool_progress progress, void* context) noexcept : progress_(progress), context_(context) {}

    std::stop_token token() const { return stop_.get_token(); }
    void show(const std::string& stage, std::uint64_t done, std::uint64_t total) {
        if (progress_ == nullptr || stop_.stop_requested())
            return;
        if (progress_(context_, stage.c_str(), done, total) != 0)
            stop_.request_stop();
    }

private:
    fardel_tool_progress progress_;
    void* context_;
    std::stop_source stop_;
};

}  // namespace fardel::c
