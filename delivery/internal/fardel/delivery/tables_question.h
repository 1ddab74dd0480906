// The question for the tables of many bundles at once, which a smart server answers in one round trip, and the answer.
// docs/serving.md has the bytes. Both sides are hostile: sizes are bounded, and the answer is only a hint, whose every
// byte is compared as if it came from a file.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kTablesQuestionPath = "tables";  // below the tree
inline constexpr std::size_t kWantedMax = 4096;
inline constexpr std::size_t kHeldMax = 16'384;
inline constexpr std::size_t kQuestionBytesMax = 20 + (kWantedMax + kHeldMax) * 32;
inline constexpr std::size_t kAnsweredBundlesMax = 4096;
inline constexpr std::size_t kTablesAnswerBytesMax = 64u << 20;

// Both lists are ascending and without duplicates.
struct TablesQuestion {
    std::vector<BundleId> wanted;  // at least one; with the bundles that they need
    std::vector<BundleId> held;    // neither they nor what only they need is sent
};

std::vector<std::byte> encode_question(const TablesQuestion& question);
// Errors: malformed (also if a list is not ascending), limit, unsupported (a later version).
Result<TablesQuestion> decode_question(std::span<const std::byte> bytes);

// Heads and compressed tables of one bundle, or what gives them. The views are into the answer.
struct AnsweredTables {
    BundleId bundle;
    std::uint64_t file_bytes = 0;
    std::span<const std::byte> heads;   // 8192 bytes
    std::span<const std::byte> tables;  // as in the file ".tables"; empty: left out
    // Head, directory and table frames of a delta from a bundle that is held; not empty: instead of all else.
    std::span<const std::byte> front = {};
};

// Collects an answer.
class TablesAnswer {
public:
    TablesAnswer();
    // Returns false, and adds nothing, if the answer would be too large.
    bool add(const AnsweredTables& tables);
    std::vector<std::byte> take();

private:
    std::vector<std::byte> bytes_;
    std::uint32_t count_ = 0;
};

// Errors: malformed, limit, unsupported (a later version).
Result<std::vector<AnsweredTables>> decode_answer(std::span<const std::byte> bytes);

}  // namespace fardel
