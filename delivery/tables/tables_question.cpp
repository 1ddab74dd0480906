#include <fardel/delivery/tables_question.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/format/limits.h>

#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kQuestionMagic = "FARDELTQ";
constexpr std::string_view kAnswerMagic = "FARDELTA";
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kCountOffset = 12;  // in the answer
constexpr std::size_t kIdBytes = 32;
constexpr std::size_t kBothHeadsBytes = 2 * std::size_t{limits::kHeadBytes};
constexpr std::size_t kEntryBytesMin = kIdBytes + 1 + 4;
constexpr std::uint8_t kTablesEntry = 0;
constexpr std::uint8_t kFrontEntry = 1;

void read_start(ByteReader& reader, std::string_view magic) {
    if (reader.text(magic.size()) != magic)
        reader.fail(ErrorCode::malformed, "another magic");
    if (const auto version = reader.u32(); version != kVersion)
        reader.fail(ErrorCode::unsupported, "version " + std::to_string(version));
}

std::vector<BundleId> read_ids(ByteReader& reader, std::uint32_t count) {
    std::vector<BundleId> ids;
    if (reader.rest_bytes() / kIdBytes < count) {
        reader.fail(ErrorCode::malformed, "cut off");
        return ids;
    }
    ids.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        ids.push_back(reader.fixed<BundleId>());
        if (i > 0 && ids[i] <= ids[i - 1])
            reader.fail(ErrorCode::malformed, "the ids are not ascending");
    }
    return ids;
}

}  // namespace

std::vector<std::byte> encode_question(const TablesQuestion& question) {
    ByteWriter writer;
    writer.text(kQuestionMagic);
    writer.u32(kVersion);
    writer.u32(static_cast<std::uint32_t>(question.wanted.size()));
    writer.u32(static_cast<std::uint32_t>(question.held.size()));
    for (const BundleId& id : question.wanted)
        writer.fixed(id);
    for (const BundleId& id : question.held)
        writer.fixed(id);
    return writer.take();
}

Result<TablesQuestion> decode_question(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "question");
    read_start(reader, kQuestionMagic);
    const std::uint32_t wanted = reader.u32();
    const std::uint32_t held = reader.u32();
    if (wanted > kWantedMax || held > kHeldMax)
        reader.fail(ErrorCode::limit, "too many ids");
    if (wanted == 0)
        reader.fail(ErrorCode::malformed, "it asks for nothing");
    TablesQuestion question;
    if (!reader.failed())
        question.wanted = read_ids(reader, wanted);
    if (!reader.failed())
        question.held = read_ids(reader, held);
    FARDEL_TRY(reader.finish());
    return question;
}

TablesAnswer::TablesAnswer() {
    ByteWriter writer;
    writer.text(kAnswerMagic);
    writer.u32(kVersion);
    writer.u32(0);
    bytes_ = writer.take();
}

bool TablesAnswer::add(const AnsweredTables& tables) {
    const bool is_front = !tables.front.empty();
    const std::span<const std::byte> last = is_front ? tables.front : tables.tables;
    const std::size_t before = kEntryBytesMin + (is_front ? 0 : 8 + kBothHeadsBytes);
    if (count_ == kAnsweredBundlesMax || (!is_front && tables.heads.size() != kBothHeadsBytes) ||
        last.size() > kTablesAnswerBytesMax || bytes_.size() + before + last.size() > kTablesAnswerBytesMax)
        return false;
    ByteWriter writer;
    writer.fixed(tables.bundle);
    writer.u8(is_front ? kFrontEntry : kTablesEntry);
    if (!is_front) {
        writer.u64(tables.file_bytes);
        writer.raw(tables.heads);
    }
    writer.sized<std::uint32_t>(last);
    bytes_.insert(bytes_.end(), writer.bytes().begin(), writer.bytes().end());
    ++count_;
    return true;
}

std::vector<std::byte> TablesAnswer::take() {
    store_le(bytes_.data() + kCountOffset, count_);
    return std::move(bytes_);
}

Result<std::vector<AnsweredTables>> decode_answer(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "answer");
    read_start(reader, kAnswerMagic);
    const std::uint64_t count = reader.count<std::uint32_t>(kEntryBytesMin);
    if (count > kAnsweredBundlesMax)
        reader.fail(ErrorCode::limit, "too many bundles");
    std::vector<AnsweredTables> all;
    for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
        AnsweredTables tables;
        tables.bundle = reader.fixed<BundleId>();
        const std::uint8_t kind = reader.u8();
        if (kind == kTablesEntry) {
            tables.file_bytes = reader.u64();
            tables.heads = reader.raw(kBothHeadsBytes);
            tables.tables = reader.sized<std::uint32_t>(kTablesAnswerBytesMax, "tables");
        } else if (kind == kFrontEntry) {
            tables.front = reader.sized<std::uint32_t>(kTablesAnswerBytesMax, "front");
        }
        if (kind > kFrontEntry || (kind == kFrontEntry && tables.front.empty()))
            reader.fail(ErrorCode::malformed, "an entry of no kind, or an empty one");
        all.push_back(tables);
    }
    FARDEL_TRY(reader.finish());
    return all;
}

}  // namespace fardel
