#include "plain_name.h"

#include "name_characters.h"
#include "vectors/byte_vector.h"

#include <fardel/format/limits.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace fardel {
namespace {

// Searches for several short patterns that no plain name contains, with one table look-up per byte ("shift-and"
// matching). Bit k of the state says that the bytes just read match the first steps of a pattern, up to the step of bit
// k; kSteps[byte] has the bits of the steps that the byte can take.
constexpr unsigned kBegins = 1u << 0 | 1u << 2 | 1u << 4 | 1u << 9;
constexpr unsigned kEnds = 1u << 1 | 1u << 3 | 1u << 8 | 1u << 9;
constexpr unsigned kDeviceLetter = 5;  // the step of the first of three letters; what follows them is the fourth

constexpr std::array<std::uint16_t, 256> kSteps = [] {
    std::array<std::uint16_t, 256> steps{};
    const auto set = [&steps](unsigned bit, std::string_view bytes) {
        for (const char byte : bytes)
            steps[static_cast<unsigned char>(byte)] |= static_cast<std::uint16_t>(1u << bit);
    };
    // A part that is empty or starts with a space.
    set(0, "/");
    set(1, "/ ");
    // A part that ends in a dot or space.
    set(2, ". ");
    set(3, "/");
    // A possible reserved part: three letters of AUX, COM, CON, LPT, NUL, PRN, and a character that can follow them.
    set(4, "/");
    set(5, "ACLNPaclnp");
    set(6, "ORUPorup");
    set(7, "NXLMTnxlmt");
    set(8, "/. 0123456789");
    // A byte that is refused, or that needs the full check: CONIN$, CONOUT$, everything outside ASCII.
    set(9, kForbiddenCharacters);
    set(9, "$\x7f");
    for (std::size_t byte = 0; byte < 256; ++byte)
        if (byte < 0x20 || byte >= 0x80)
            steps[byte] |= 1u << 9;
    return steps;
}();

// A shorter name cannot have too many parts (a byte and a '/' each) or too long a one.
constexpr std::size_t kBytesMax = 2 * limits::kNameDepthMax - 1;
static_assert(kBytesMax <= limits::kNamePartBytesMax);

#ifdef FARDEL_BYTE_VECTOR

constexpr std::size_t kMaskBits = 64;

// The positions of the decisive characters in a name of up to 64 bytes, as bits.
struct CharacterMasks {
    std::uint64_t slashes = 0;
    std::uint64_t dots = 0;
    std::uint64_t spaces = 0;
    bool odd = false;  // a character that is refused, or that needs the full check

    explicit CharacterMasks(std::string_view text) noexcept {
        ByteVector seen = ByteVector::zero();
        const auto add = [&](const char* from, std::size_t at) {
            const ByteVector bytes = ByteVector::load(from);
            const auto set = [bytes](int bits) { return bytes | ByteVector::of(bits); };
            const auto is = [](ByteVector values, char value) { return equal(values, ByteVector::of(value)); };
            const auto mask = [at](ByteVector values) { return std::uint64_t{values.high_bits()} << at; };
            slashes |= mask(is(bytes, '/'));
            dots |= mask(is(bytes, '.'));
            spaces |= mask(is(bytes, ' '));
            // Control characters and everything outside ASCII, which is negative; DEL.
            const ByteVector outside = less(bytes, ByteVector::of(' ')) | less(ByteVector::of('~'), bytes);
            // \\ | and < = > ? and : * differ in bits; '=' is none of them, but rare.
            const ByteVector pairs = is(set(0x20), '|') | is(set(0x03), '?') | is(set(0x10), ':');
            seen = seen | outside | pairs | is(bytes, '"') | is(bytes, '$');
        };
        if (text.size() < 16) {
            std::array<char, 16> padded;
            padded.fill('a');
            std::memcpy(padded.data(), text.data(), text.size());
            add(padded.data(), 0);
        } else {
            std::size_t at = 0;
            for (; at + 16 < text.size(); at += 16)
                add(text.data() + at, at);
            add(text.data() + text.size() - 16, text.size() - 16);  // reads some bytes a second time
        }
        odd = seen.has_high_bit();
    }
};

// Whether the part that begins here may be a device name.
bool may_be_device(std::string_view rest) noexcept {
    const auto steps = [rest](std::size_t at) {
        return (kSteps[static_cast<unsigned char>(rest[at])] & 1u << (kDeviceLetter + at)) != 0;
    };
    return rest.size() >= 3 && steps(0) && steps(1) && steps(2) && (rest.size() == 3 || steps(3));
}

bool is_short_plain_name(std::string_view text) noexcept {
    const CharacterMasks masks(text);
    const std::uint64_t begins = masks.slashes << 1 | 1;
    const std::uint64_t ends = masks.slashes >> 1 | std::uint64_t{1} << (text.size() - 1);
    if (masks.odd || (begins & (masks.slashes | masks.spaces)) != 0 ||
        (ends & (masks.slashes | masks.dots | masks.spaces)) != 0)
        return false;
    for (std::uint64_t parts = begins; parts != 0; parts &= parts - 1)
        if (may_be_device(text.substr(static_cast<std::size_t>(std::countr_zero(parts)))))
            return false;
    return true;
}

#endif

}  // namespace

bool is_plain_name_portable(std::string_view text) noexcept {
    if (text.empty() || text.size() > kBytesMax)
        return false;
    unsigned state = kSteps['/'] & kBegins, seen = 0;  // as if a '/' stood before the name, and one after it
    const auto step = [&state, &seen](char byte) {
        state = (state << 1 | kBegins) & kSteps[static_cast<unsigned char>(byte)];
        seen |= state;
    };
    for (const char byte : text)
        step(byte);
    step('/');
    return (seen & kEnds) == 0;
}

bool is_plain_name(std::string_view text) noexcept {
#ifdef FARDEL_BYTE_VECTOR
    if (!text.empty() && text.size() <= kMaskBits)
        return is_short_plain_name(text);
#endif
    return is_plain_name_portable(text);
}

}  // namespace fardel
