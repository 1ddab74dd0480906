#include "format_scanners.h"

#include "byte_record.h"
#include "found_references.h"
#include "script_text.h"

#include "scan/reference_scanners.h"

#include <fardel/base/text_fields.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kJsonDepthMax = 256;
constexpr std::uint32_t kGlbHeaderBytes = 12;
constexpr std::uint32_t kChunkHeadBytes = 8;
constexpr std::uint32_t kJsonChunk = 0x4e4f534a;  // "JSON"

Error bad_gltf(std::string what) { return Error(ErrorCode::malformed, std::move(what)); }

std::optional<ReferenceUse> find_use(std::string_view array) {
    if (array == "buffers")
        return ReferenceUse::file;
    if (array == "images")
        return ReferenceUse::texture;
    return std::nullopt;
}

// Extensions of the whole file that name further files. A game that does not know another one does not ask for its
// files.
struct FileExtension {
    std::string_view name;
    ReferenceUse use;
};

constexpr FileExtension kFileExtensions[] = {
    {"EXT_lights_ies", ReferenceUse::file}, {"EXT_structural_metadata", ReferenceUse::file},
    {"KHR_audio", ReferenceUse::sound},     {"KHR_audio_emitter", ReferenceUse::sound},
    {"MPEG_media", ReferenceUse::file},
};

// RFC 3986: a scheme ignores case.
bool is_data(std::string_view uri) { return words_equal(uri.substr(0, 5), "data:"); }

// What is not JSON in texts that people have edited. `position`: behind the byte at which a parser stopped.
std::string mistake_at(std::string_view json, std::size_t position) {
    const std::size_t at = std::min(position > 0 ? position - 1 : 0, json.size());
    const auto line = 1 + std::ranges::count(json.substr(0, at), '\n');
    const std::string_view before = trimmed(json.substr(0, at), " \t\r\n");
    std::string text = "not JSON at byte " + std::to_string(position) + ", line " + std::to_string(line);
    if (at < json.size() && (json[at] == ']' || json[at] == '}') && before.ends_with(','))
        text += ": a comma before " + std::string(1, json[at]);
    else if (json.substr(at).starts_with('/') || before.ends_with('/'))
        text += ": JSON has no comments";
    return text;
}

// Iterates over the strings of a JSON text without their quotes. It runs beside a parser, which refuses bad text.
class JsonStrings {
public:
    explicit JsonStrings(std::string_view json) : json_(json) {}

    std::string_view next() {
        const std::size_t begin = std::min(json_.find('"', at_), json_.size());
        std::size_t end = std::min(begin + 1, json_.size());
        while (end < json_.size() && json_[end] != '"')
            end = std::min(end + (json_[end] == '\\' ? 2u : 1u), json_.size());
        at_ = std::min(end + 1, json_.size());
        return json_.substr(std::min(begin + 1, json_.size()), end - std::min(begin + 1, end));
    }

private:
    std::string_view json_;
    std::size_t at_ = 0;
};

// Receives the events of the parser, in the order of the text; finds buffers[i].uri and images[i].uri. A handler that
// returns false ends the parse.
class UriEvents final : public nlohmann::json_sax<Json> {
public:
    UriEvents(std::string_view json, const char* asset) : json_(json), strings_(json), found_(asset) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return deeper(); }
    bool start_array(std::size_t) override { return deeper(); }
    bool end_object() override { return --depth_, true; }
    bool end_array() override { return --depth_, true; }

    bool key(string_t& name) override {
        strings_.next();
        if (depth_ == 1) {
            use_ = find_use(name);
            in_extensions_ = name == "extensions";
        }
        if (in_extensions_ && depth_ == 2) {
            const auto* const known = std::ranges::find(kFileExtensions, name, &FileExtension::name);
            is_optional_ = known == std::end(kFileExtensions);
            use_ = is_optional_ ? ReferenceUse::file : known->use;
        }
        const bool is_uri = name == "uri" || (in_extensions_ && name == "schemaUri");
        uri_depth_ = use_ && is_uri && (in_extensions_ ? depth_ >= 3 : depth_ == 3) ? depth_ : 0;
        return true;
    }

    bool string(string_t& text) override {
        // The parser resolves escapes, and a rewriting replaces the bytes that stand in the file.
        const std::string_view raw = strings_.next();
        if (const std::size_t at = std::exchange(uri_depth_, 0); at == 0 || depth_ != at || is_data(text))
            return true;
        if (text.find('\0') != text.npos)
            return fail(bad_gltf("a uri contains NUL"));
        Status added = found_.add({.spelling = std::move(text),
                                   .use = *use_,
                                   .form = ReferenceForm::relative_uri,
                                   .optional = in_extensions_ && is_optional_},
                                  raw);
        return added ? true : fail(std::move(added).error());
    }

    bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
        return fail(bad_gltf(mistake_at(json_, position)));
    }

    Result<ScanFindings> take() && {
        if (failure_)
            return *std::move(failure_);
        return std::move(found_).take();
    }

private:
    bool deeper() {
        if (++depth_ > kJsonDepthMax)
            return fail(Error(ErrorCode::limit, "JSON is nested deeper than " + std::to_string(kJsonDepthMax)));
        return true;
    }

    bool fail(Error error) {
        if (!failure_)
            failure_ = std::move(error);
        return false;
    }

    std::string_view json_;
    JsonStrings strings_;
    FoundReferences found_;
    std::optional<Error> failure_;
    std::optional<ReferenceUse> use_;  // of the array or extension that the parser is inside
    std::size_t depth_ = 0;
    std::size_t uri_depth_ = 0;  // of the key whose value comes next, if it is a URI
    bool in_extensions_ = false;
    bool is_optional_ = false;  // the extension that the parser is inside is not a known one
};

}  // namespace

Result<ScanFindings> scan_gltf(std::string_view json, const char* asset) {
    const std::size_t first = json.find_first_not_of(" \t\r\n");
    if (first == json.npos || json[first] != '{')
        return bad_gltf(json.substr(std::min(first, json.size())).starts_with('/') ? mistake_at(json, first + 1)
                                                                                   : "not a JSON object, as glTF is");
    UriEvents events(json, asset);
    const bool whole = Json::sax_parse(json.begin(), json.end(), &events);
    auto found = std::move(events).take();
    assert(whole || !found);
    static_cast<void>(whole);
    return found;
}

Result<ScanFindings> scan_glb(std::span<const std::byte> bytes) {
    const ByteRecord file(bytes);
    if (file.size() < kGlbHeaderBytes + kChunkHeadBytes || file.text().substr(0, 4) != "glTF")
        return bad_gltf("no header of a GLB");
    if (const std::uint32_t version = file.u32(4); version != 2)
        return Error(ErrorCode::unsupported, "version " + std::to_string(version) + " of GLB; only 2 is supported");
    // Some exporters pad the file, not its last chunk.
    const std::uint32_t length = file.u32(8);
    if (length > file.size() || file.text().find_first_not_of(std::string_view("\0 ", 2), length) != std::string::npos)
        return bad_gltf("the header states " + std::to_string(length) + " bytes, but the file has " +
                        std::to_string(file.size()));
    if (file.u32(16) != kJsonChunk)
        return bad_gltf("the first chunk is not JSON");
    const auto json = file.find_part(kGlbHeaderBytes + kChunkHeadBytes, file.u32(12));
    if (!json)
        return bad_gltf("the JSON chunk ends outside the file");
    if (json->size() > kScannedTextBytesMax)
        return Error(ErrorCode::limit, "JSON of " + std::to_string(json->size()) + " bytes");
    return scan_gltf(json->text(), nullptr);
}

}  // namespace fardel
