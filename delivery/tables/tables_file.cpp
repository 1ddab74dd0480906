#include <fardel/delivery/tables_file.h>

#include "transfer/request_server.h"
#include "transfer/single_range.h"

#include <fardel/format/frame_codec.h>

#include <algorithm>
#include <memory>
#include <optional>
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

// What became of one attempt. It outlives the receiver.
struct TablesAttempt {
    std::uint64_t received_bytes = 0;
    std::optional<Error> failure{};         // of this machine
    std::optional<std::size_t> left_for{};  // RangeReceiver::leave_for()
};

class TablesReceiver final : public RangeReceiver {
public:
    TablesReceiver(const TableSections& sections, IncomingBundle& incoming, TablesAttempt& attempt)
        : raw_bytes_(bytes_of(sections)), writer_(sections, incoming), decoder_(raw_bytes_), attempt_(attempt) {}

    Status begin(std::uint64_t file_bytes) override {
        return file_bytes < raw_bytes_ ? ok() : Error(ErrorCode::malformed, "larger than the tables themselves");
    }

    Status receive(std::span<const std::byte> bytes) override {
        attempt_.received_bytes += bytes.size();
        return decoder_.decode(bytes, [this](std::span<const std::byte> raw) {
            Status written = writer_.write(raw);
            if (!written)
                attempt_.failure = written.error();
            return written;
        });
    }

    void leave_for(std::size_t other) override { attempt_.left_for = other; }

    // How large the file is was not known, so the transfer ends as one of too few bytes; what counts is what was
    // decoded.
    void end(Status result) override {
        if (!result && result.error().code() == ErrorCode::cancelled)
            attempt_.failure = std::move(result).error();
    }

private:
    const std::uint64_t raw_bytes_;
    SectionWriter writer_;
    FrameDecoder decoder_;
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

Status fetch_tables_file(RangeClient& client, const std::vector<std::string>& urls, const TableSections& sections,
                         IncomingBundle& incoming, const std::stop_token& stop, TransferCounts& counts) {
    for (std::size_t first = 0; first < urls.size(); ++first) {
        TablesAttempt attempt;
        RequestServer server;
        do {
            attempt = {};
            HttpRange range{.url = {}, .offset = 0, .length_bytes = bytes_of(sections), .restarts = true};
            server.choose(client, urls, first, range);
            SingleRange job({std::move(range), std::make_unique<TablesReceiver>(sections, incoming, attempt)});
            ++counts.requests;
            FARDEL_TRY(client.run(job, stop));
            counts.received_bytes += attempt.received_bytes;
            if (attempt.left_for)
                server.leave_for(*attempt.left_for);
        } while (attempt.left_for && !attempt.failure);
        if (attempt.failure)
            return std::move(*attempt.failure);
        if (attempt.received_bytes != 0)
            break;
    }
    return ok();
}

}  // namespace fardel
