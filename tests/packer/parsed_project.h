// Projects from text, and the position and words of each mistake in one.
#pragma once

#include "kit/test.h"

#include <fardel/packer/project.h>

namespace fardel::tests {

inline Result<Project> parse(std::string_view text) { return parse_project(text, "fardel.toml"); }
inline Project parse_well(std::string_view text) { return value_of(parse(text)); }

// `text` is an error whose message is one line, starts with "fardel.toml:<position>" and contains `words`.
inline void check_mistake(const std::string& text, std::string_view position, std::string_view words) {
    CAPTURE(text);
    const auto project = parse(text);
    REQUIRE_FALSE(project);
    const std::string message = project.error().message();
    CAPTURE(message);
    CHECK(message.starts_with("fardel.toml:" + std::string(position)));
    CHECK(message.find(words) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
}

}  // namespace fardel::tests
