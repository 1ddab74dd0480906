#include <fardel/delivery/tables_file.h>

#include "transfer/request_server.h"
#include "transfer/single_range.h"

#include <fardel/base/clock.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/frame_codec.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// Cuts a stream of bytes into the sections of a file, and writes these in units.
class SectionWriter {
public:
    SectionWriter(const TableSections& sections, IncomingBundle& incoming) : sections_(sections), incoming_(incoming) {}

    Status write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            while (at_ == sections_[section_].length_bytes) {
                ++section_;
                at_ = 0;
            }
            const FileSection& section = sections_[section_];
            const std::uint64_t missing = std::min(kTableUnitBytes, section.length_bytes - at_) - unit_.size();
            const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(missing, bytes.size())));
            unit_.insert(unit_.end(), part.begin(), part.end());
            bytes = bytes.subspan(part.size());
            if (part.size() < missing)
                continue;
            FARDEL_TRY(incoming_.write(section.offset + at_, unit_));
            at_ += unit_.size();
            unit_.clear();
        }
        return ok();
    }

private:
    const TableSections& sections_;
    IncomingBundle& incoming_;
    std::size_t section_ = 0;
    std::uint64_t at_ = 0;  // in the section; where the unit begins
    std::vector<std::byte> unit_;
};

// The key under which it is kept that the file is wrong, and those of its parts.
std::string wrong_key(const LayoutId& layout) { return "tables " + layout.hex() + " wrong"; }
std::string part_key(const LayoutId& layout, std::size_t part) {
    return "tables " + layout.hex() + " " + std::to_string(part);
}
constexpr std::size_t kPartBytes = 256u << 10;
constexpr std::size_t kSizeBytes = 8;  // before each part: the size of the file

// A file on its way: what it decodes to is written at once, and its own bytes are kept in parts.
class IncomingTables {
public:
    IncomingTables(const LayoutId& layout, const TableSections& sections, IncomingBundle& incoming)
        : layout_(layout),
          raw_bytes_(bytes_of(sections)),
          writer_(sections, incoming),
          decoder_(raw_bytes_),
          incoming_(incoming) {}

    // Takes what an earlier attempt has kept.
    Status take_kept() {
        for (;;) {
            FARDEL_TRY_ASSIGN(const auto kept, incoming_.read_extra(part_key(layout_, parts_)));
            if (!kept || kept->size() <= kSizeBytes)
                return ok();
            const std::span<const std::byte> bytes(*kept);
            file_bytes_ = load_le<std::uint64_t>(bytes.data());
            ++parts_;
            received_bytes_ += kept->size() - kSizeBytes;
            if (!decode(bytes.subspan(kSizeBytes)))
                return ok();
        }
    }

    Status begin(std::uint64_t file_bytes) {
        file_bytes_ = file_bytes;
        return file_bytes < raw_bytes_ ? ok() : Error(ErrorCode::missing, "larger than the tables themselves");
    }

    Status receive(std::span<const std::byte> bytes) {
        received_bytes_ += bytes.size();
        part_.insert(part_.end(), bytes.begin(), bytes.end());
        if (part_.size() >= kPartBytes)
            FARDEL_TRY(keep_part());
        return decode(bytes);
    }

    // What came last, if the transfer has broken off.
    Status keep_part() {
        if (part_.empty() || is_wrong_)
            return ok();
        std::vector<std::byte> kept;
        append_le<std::uint64_t>(kept, *file_bytes_);
        kept.insert(kept.end(), part_.begin(), part_.end());
        part_.clear();
        Status written = incoming_.keep_extra(part_key(layout_, parts_++), kept);
        if (!written)
            failure_ = written.error();
        return written;
    }

    const std::optional<std::uint64_t>& file_bytes() const noexcept { return file_bytes_; }
    std::uint64_t received_bytes() const noexcept { return received_bytes_; }
    bool is_whole() const noexcept { return file_bytes_ && received_bytes_ == *file_bytes_; }
    bool is_wrong() const noexcept { return is_wrong_; }
    const std::optional<Error>& failure() const noexcept { return failure_; }  // of this machine

private:
    Status decode(std::span<const std::byte> bytes) {
        Status decoded = decoder_.decode(bytes, [this](std::span<const std::byte> raw) {
            Status written = writer_.write(raw);
            if (!written)
                failure_ = written.error();
            return written;
        });
        is_wrong_ = !decoded;
        return decoded;
    }

    const LayoutId layout_;
    const std::uint64_t raw_bytes_;
    SectionWriter writer_;
    FrameDecoder decoder_;
    IncomingBundle& incoming_;
    std::optional<std::uint64_t> file_bytes_;
    std::uint64_t received_bytes_ = 0;
    std::size_t parts_ = 0;  // that are kept
    std::vector<std::byte> part_;
    bool is_wrong_ = false;
    std::optional<Error> failure_;
};

// What became of one transfer. It outlives the receiver.
struct TablesAttempt {
    std::optional<Error> failure{};
    std::chrono::seconds asked_wait{0};     // RangeReceiver::retry_after()
    std::optional<std::size_t> left_for{};  // RangeReceiver::leave_for()
};

class TablesReceiver final : public RangeReceiver {
public:
    TablesReceiver(IncomingTables& tables, TablesAttempt& attempt) : tables_(tables), attempt_(attempt) {}
    Status begin(std::uint64_t file_bytes) override { return tables_.begin(file_bytes); }
    Status receive(std::span<const std::byte> bytes) override { return tables_.receive(bytes); }
    void retry_after(std::chrono::seconds wait) override { attempt_.asked_wait = wait; }
    void leave_for(std::size_t other) override { attempt_.left_for = other; }
    // How large the file is was not known, so the transfer may end as one of too few bytes.
    void end(Status result) override {
        if (!result && !tables_.is_whole())
            attempt_.failure = std::move(result).error();
    }

private:
    IncomingTables& tables_;
    TablesAttempt& attempt_;
};

}  // namespace

TableSections table_sections(const BundleHead& head, const LayoutHead& layout, std::uint64_t file_bytes) noexcept {
    return {{{layout.manifest_offset, head.manifest_bytes},
             {layout.layout_offset, layout.layout_bytes},
             {layout.trailer_offset, file_bytes - layout.trailer_offset}}};
}

std::uint64_t bytes_of(const TableSections& sections) noexcept {
    std::uint64_t bytes = 0;
    for (const FileSection& section : sections)
        bytes += section.length_bytes;
    return bytes;
}

void add_missing_units(std::vector<FetchUnit>& units, const IncomingBundle& incoming, std::uint64_t offset,
                       std::uint64_t length_bytes) {
    for (std::uint64_t at = 0; at < length_bytes; at += kTableUnitBytes) {
        const std::uint64_t size = std::min(kTableUnitBytes, length_bytes - at);
        if (!incoming.holds(offset + at, size))
            units.push_back({.offset = offset + at, .length_bytes = static_cast<std::uint32_t>(size)});
    }
}

Status encode_tables(const ByteSource& file, const TableSections& sections,
                     const std::function<Status(std::span<const std::byte>)>& receive) {
    FrameEncoder encoder(bytes_of(sections));
    std::vector<std::byte> raw;
    std::vector<std::byte> frame;
    for (const FileSection& section : sections)
        for (std::uint64_t at = 0; at < section.length_bytes; at += raw.size()) {
            raw.resize(static_cast<std::size_t>(std::min(kTableUnitBytes, section.length_bytes - at)));
            FARDEL_TRY(file.read_at(section.offset + at, raw));
            frame.clear();
            encoder.encode(raw, frame);
            if (!frame.empty())
                FARDEL_TRY(receive(frame));
        }
    return ok();
}

Status decode_tables(std::span<const std::byte> frame, const TableSections& sections, IncomingBundle& incoming) {
    SectionWriter writer(sections, incoming);
    FrameDecoder decoder(bytes_of(sections));
    Status written = ok();
    static_cast<void>(decoder.decode(frame, [&](std::span<const std::byte> raw) {
        written = writer.write(raw);
        return written;
    }));
    return written;
}

Result<bool> fetch_tables_file(RangeClient& client, const std::vector<std::string>& urls, const LayoutId& layout,
                               const TableSections& sections, IncomingBundle& incoming, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const bool was_wrong, incoming.has_extra(wrong_key(layout)));
    if (was_wrong)
        return false;
    const SteadyTime patient_until = SteadyClock::now() + kOptionalPatience;
    IncomingTables tables(layout, sections, incoming);
    FARDEL_TRY(tables.take_kept());
    for (RequestServer server(kOptionalAttempts); !tables.is_whole() && !tables.is_wrong();) {
        TablesAttempt attempt;
        // Another server may have compressed them otherwise; then the sizes differ, or what comes does not decode.
        const std::uint64_t before = tables.received_bytes();
        HttpRange range{.url = {},
                        .offset = before,
                        .length_bytes = (before == 0 ? bytes_of(sections) : *tables.file_bytes()) - before,
                        .file_bytes = before == 0 ? std::nullopt : tables.file_bytes()};
        server.choose(client, urls, 0, range);
        SingleRange job({range, std::make_unique<TablesReceiver>(tables, attempt)});
        Status ran = client.run(job, stop);
        if (!tables.is_whole())
            FARDEL_TRY(tables.keep_part());
        FARDEL_TRY(std::move(ran));
        if (tables.failure())
            return *tables.failure();
        if (attempt.left_for) {
            server.leave_for(*attempt.left_for);
            continue;
        }
        if (!attempt.failure)
            continue;
        server.note_progress(tables.received_bytes() - before, client.sends_whole_files(range.url) ? before : 0);
        const SteadyTime now = SteadyClock::now();
        const auto wait = server.fail(std::move(*attempt.failure), attempt.asked_wait, now);
        if (!wait || (wait->count() != 0 && server.attempt() > 1 && now + *wait > patient_until))
            break;
        FARDEL_TRY(wait_until(now + *wait, stop));
    }
    return tables.received_bytes() != 0;
}

Result<bool> keeps_tables_file(const LayoutId& layout, IncomingBundle& incoming) {
    FARDEL_TRY_ASSIGN(const bool was_wrong, incoming.has_extra(wrong_key(layout)));
    return was_wrong ? Result<bool>(false) : incoming.has_extra(part_key(layout, 0));
}

Status discard_tables_file(const LayoutId& layout, IncomingBundle& incoming) {
    return incoming.keep_extra(wrong_key(layout), {});
}

}  // namespace fardel
