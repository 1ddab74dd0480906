#include "builtin.h"

#include <fardel/base/ascii.h>

#include <algorithm>
#include <map>

namespace fardel {
namespace {

constexpr std::size_t kTextBytesMax = std::size_t{64} << 20;

// Whether `c` can be part of a spelling; next to such a character, a match is part of a longer spelling.
bool is_spelling_character(char c) {
    return is_ascii_letter_or_digit(c) || std::string_view("_-./\\@+~").find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
}

using Replacements = std::map<std::string_view, std::string_view,
                              std::greater<>>;  // of spellings with a common beginning, the longest is first

bool stands_alone(std::string_view text, std::size_t at, std::size_t bytes) {
    return (at == 0 || !is_spelling_character(text[at - 1])) &&
           (at + bytes == text.size() || !is_spelling_character(text[at + bytes]));
}

// Each position is examined once: inserted text is not replaced again.
std::string rewrite_text(std::string_view text, const Replacements& replacements) {
    std::string written;
    for (std::size_t at = 0; at < text.size();) {
        const auto found = std::ranges::find_if(replacements, [&](const auto& replacement) {
            return text.substr(at).starts_with(replacement.first) && stands_alone(text, at, replacement.first.size());
        });
        if (found == replacements.end()) {
            written += text[at++];
            continue;
        }
        written += found->second;
        at += found->first.size();
    }
    return written;
}

Status verify_text(std::string_view, const ParameterValue& value) {
    if (std::holds_alternative<std::string>(value))
        return ok();
    return Error(
        ErrorCode::malformed,
        "what is to stand there instead is a text; write parameters = { \"textures/old.tga\" = \"textures/new.png\" }");
}

Status rewrite(const ProcessorJob& job, const JobFolder& folder, const JobEnvironment&) {
    FARDEL_TRY_ASSIGN(const JobInput* const source, only_source(job));
    FARDEL_TRY_ASSIGN(const std::string name, only_output(job, source->name.view()));
    FARDEL_TRY_ASSIGN(const auto text, folder.find_text("in/" + source->name.text(), kTextBytesMax));
    if (text->find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "this is no text: it has a NUL character in it");
    Replacements replacements;
    for (const auto& parameter : job.processor.parameters) {
        FARDEL_TRY(verify_text(parameter.first, parameter.second));
        replacements.emplace(parameter.first, std::get<std::string>(parameter.second));
    }
    const std::string written = rewrite_text(*text, replacements);
    return folder.write_output(name, std::as_bytes(std::span(written)));
}

}  // namespace

const Builtin kRewriteBuiltin = {
    .name = "rewrite", .version = "1", .any_parameter = true, .verify_parameter = verify_text, .run = rewrite};

}  // namespace fardel
