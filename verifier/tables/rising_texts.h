// RisingTexts: checks that each text of a table is greater than the one before.
#pragma once

#include "bundle_strings.h"

#include <optional>
#include <string>
#include <string_view>

namespace fardel {

class RisingTexts {
public:
    // Adds the next text, or nothing if it is unknown. Returns what is wrong with the order: "'a' comes after 'b'";
    // empty if nothing is wrong or the text cannot be compared.
    std::string add(const std::optional<std::string_view>& text) {
        std::string defect;
        if (known_ && text.has_value() && *text <= before_)
            defect = quoted(*text) + (*text == before_ ? " appears twice" : " comes after " + quoted(before_));
        known_ = text.has_value();
        before_ = text.value_or(std::string_view());
        return defect;
    }

private:
    std::string_view before_;
    bool known_ = false;
};

}  // namespace fardel
