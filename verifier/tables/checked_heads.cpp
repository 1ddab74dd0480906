#include "checked_heads.h"

#include <fardel/base/text_fields.h>

#include <string>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kHeadMagic = "FARDEL\r\n";
constexpr std::string_view kLayoutMagic = "FARDELL\n";

// A file transfer in text mode changes or drops the CR or the LF of the magic, and nothing else of it.
bool looks_like_text_transfer(const HeadBytes& bytes) {
    return as_text(bytes).starts_with(kHeadMagic.substr(0, 6)) && !as_text(bytes).starts_with(kHeadMagic);
}

struct RawHead {
    HeadBytes bytes{};
    std::size_t present = 0;  // bytes of it that the file has
};

RawHead read_head(const ByteSource& source, std::uint64_t offset, std::string_view which, VerifyFindings& findings) {
    RawHead raw;
    if (offset >= source.size_bytes())
        return raw;
    const std::size_t here =
        static_cast<std::size_t>(std::min<std::uint64_t>(raw.bytes.size(), source.size_bytes() - offset));
    if (Status status = source.read_at(offset, std::span(raw.bytes).first(here)); !status) {
        findings.add(VerifierRule::file_unreadable, std::string(which), status.error());
        raw.bytes.fill(std::byte{0});
        return raw;
    }
    raw.present = here;
    return raw;
}

// Explains why a head that the file has completely is refused, with a probable cause if there is one.
std::string refusal(const Error& error, const RawHead& raw) {
    std::string text = error.message();
    if (error.code() == ErrorCode::unsupported)
        text += "; a newer version of this program may support it";
    if (looks_like_text_transfer(raw.bytes))
        text += "; line ends were changed: the file was transferred in text mode; fetch it again in binary mode";
    return text;
}

void check_versions(std::uint16_t minor, std::uint64_t optional_flags, const std::string& which,
                    VerifyFindings& findings) {
    if (minor > kFormatMinor)
        findings.add(VerifierRule::minor_version_newer, which,
                     "written by format version 1." + std::to_string(minor) + "; this program supports 1." +
                         std::to_string(kFormatMinor));
    for (int bit = 0; bit < 64; ++bit)
        if ((optional_flags >> bit & 1) != 0)
            findings.add(VerifierRule::optional_flags_unknown, which,
                         "optional feature " + std::to_string(bit) + " is unknown to this program and was not checked");
}

}  // namespace

CheckedHeads read_heads(const ByteSource& source, VerifyFindings& findings) {
    CheckedHeads heads;
    const RawHead head = read_head(source, 0, "head", findings);
    const RawHead layout = read_head(source, limits::kHeadBytes, "layout head", findings);
    if (findings.has(VerifierRule::file_unreadable) && head.present == 0)
        return heads;

    // Either head will do, so that a bundle whose first bytes are damaged is still reported as one.
    const bool is_bundle = as_text(head.bytes).starts_with(kHeadMagic) ||
                           as_text(layout.bytes).starts_with(kLayoutMagic) || looks_like_text_transfer(head.bytes);
    if (!is_bundle) {
        findings.add(
            VerifierRule::not_a_bundle, "",
            source.size_bytes() == 0 ? "the file is empty" : "the first bytes are not those of a Fardel bundle");
        return heads;
    }
    if (source.size_bytes() < 2 * limits::kHeadBytes)
        findings.add(VerifierRule::file_cut_off, "",
                     "the file has " + std::to_string(source.size_bytes()) +
                         " bytes, but its two heads alone have 8192; fetch it again");

    if (head.present == limits::kHeadBytes) {
        if (auto decoded = decode_head(head.bytes)) {
            heads.head = std::move(decoded).value();
            heads.bundle = bundle_id(head.bytes);
        } else {
            findings.add(VerifierRule::head_refused, "head",
                         Error(decoded.error().code(), refusal(decoded.error(), head)));
        }
    }
    if (layout.present == limits::kHeadBytes) {
        if (auto decoded = decode_layout_head(layout.bytes)) {
            heads.layout = std::move(decoded).value();
            heads.layout_id = layout_id(layout.bytes);
        } else {
            findings.add(VerifierRule::layout_head_refused, "layout head", decoded.error());
        }
    }
    return heads;
}

void check_heads(const CheckedHeads& heads, VerifyFindings& findings) {
    if (heads.head)
        check_versions(heads.head->minor, heads.head->optional_flags, "head", findings);
    if (heads.layout)
        check_versions(heads.layout->minor, heads.layout->optional_flags, "layout head", findings);
    if (!heads.layout)
        return;
    if (heads.head) {
        const std::uint64_t asset_count = heads.head->count(TableKind::assets);
        const std::uint64_t placement_count = heads.layout->count(TableKind::placements);
        if (asset_count != placement_count)
            findings.add(VerifierRule::placement_count, "layout head",
                         "it places " + std::to_string(placement_count) + " assets; the bundle has " +
                             std::to_string(asset_count));
    }
    if (heads.layout->bundle == heads.bundle)
        return;
    const std::string claimed = heads.layout->bundle.hex();
    if (heads.bundle)
        findings.add(VerifierRule::layout_of_another_bundle, "layout head",
                     "it belongs to bundle " + claimed + ", but the head is that of " + heads.bundle->hex() +
                         "; one of the two was changed, or they come from different files");
    else
        findings.add(VerifierRule::layout_of_another_bundle, "layout head",
                     "it belongs to bundle " + claimed + ", but the head that would prove this is not readable");
}

}  // namespace fardel
