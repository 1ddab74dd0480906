// RisingTexts: the texts of a table in their order, and which of them does not come after the one before.
#pragma once

#include "bundle_strings.h"

#include <optional>
#include <string>
#include <string_view>

namespace fardel {

class RisingTexts {
public:
    // The next text, or nothing where it is not known. What is wrong with its place: "'a' stands after 'b'"; empty:
    // nothing is, or nobody can tell.
    std::string take(const std::optional<std::string_view>& text) {
        std::string defect;
        if (known_ && text.has_value() && *text <= before_)
            defect = quoted(*text) + (*text == before_ ? " stands twice" : " stands after " + quoted(before_));
        known_ = text.has_value();
        before_ = text.value_or(std::string_view());
        return defect;
    }

private:
    std::string_view before_;
    bool known_ = false;
};

}  // namespace fardel
