// The template of the report's page: the files of cli/report/page/, which the build embeds in the program.
#pragma once

#include <span>
#include <string_view>

namespace fardel {

std::string_view report_html() noexcept;
std::string_view report_style() noexcept;
std::span<const std::string_view> report_scripts() noexcept;  // in the order in which they run

}  // namespace fardel
