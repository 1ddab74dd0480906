// ContentClass: whether content is data, a script or machine code, judged from its first bytes and its name.
//
// A rule of a trust policy may say that its signers bring data only (docs/trust-policy.md, "Classes of content", with
// the table of what is recognised and what cannot be seen). Pure functions; any thread; bytes and names may be hostile.
// Of the answers for the bytes and for the names, the most dangerous one counts. Data is what a list names as data;
// everything else is a script at least, because nobody can list all that engines execute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

// In rising order of danger: whoever may bring one class may bring those before it.
enum class ContentClass : std::uint8_t {
    data,    // what a program shows, plays or computes with
    script,  // text that an interpreter executes, and everything that no list names as data or code
    code,    // machine code, byte code, and archives, whose content cannot be seen
};

// "data", "script" or "code".
std::string_view content_class_name(ContentClass content) noexcept;
// "data,script" for script: the class and those before it, as trust policies write them.
std::string format_classes(ContentClass brings);
// Returns nothing for any other text.
std::optional<ContentClass> parse_classes(std::string_view text);

struct ContentFinding {
    ContentClass content = ContentClass::data;
    std::string_view what;  // of script and code: "an ELF program"; static storage
};

// How many of the first bytes are looked at.
inline constexpr std::size_t kContentClassBytes = 4096;

// What names of content claim that its bytes are; bits.
enum class ContentClaim : std::uint8_t {
    nothing = 0,
    media = 1,  // a picture, sound, video, model, map or font with a signature of its own
    text = 2,   // readable text that nothing executes
    json = 4,   // of that, an object or an array
    xml = 8,    // of that, elements
};
constexpr ContentClaim operator|(ContentClaim one, ContentClaim other) noexcept {
    return static_cast<ContentClaim>(static_cast<std::uint8_t>(one) | static_cast<std::uint8_t>(other));
}

// `name` is a logical name or a path.
ContentFinding classify_name(std::string_view name);
// By its extension, or by the whole of its last part ("README"). Names that are no data claim nothing.
ContentClaim claim_of(std::string_view name);
// `head` is the first kContentClassBytes of the content, or all of it if it is shorter. `claimed`: of all names of the
// content. Bytes that are not all that is claimed are script; so are, if nothing is claimed, those of neither kind.
ContentFinding classify_bytes(std::span<const std::byte> head, ContentClaim claimed);

}  // namespace fardel
