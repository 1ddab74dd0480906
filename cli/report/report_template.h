// The parts of the report's page, as they stand in cli/report/; the build puts them into the program.
#pragma once

#include <span>
#include <string_view>

namespace fardel {

std::string_view report_html() noexcept;
std::string_view report_style() noexcept;
std::span<const std::string_view> report_scripts() noexcept;  // in the order in which they run

}  // namespace fardel
