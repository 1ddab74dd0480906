# Writes the parts of the report's page into report_template.cpp. Run as a script each time one of them changes:
#   cmake -DOUT=<file.cpp> -DFOLDER=<cli/report/page> -P FardelReport.cmake
# Each part is one raw string literal, so none may contain the characters )page" or be larger than 64 KB.

set(report_scripts facts text parts lists since treemap overview findings asset bundles search pages selftest)

function(literal_of file out)
    file(READ "${FOLDER}/${file}" text)
    string(LENGTH "${text}" length)
    string(FIND "${text}" ")page\"" mark)
    if(length GREATER 65000 OR NOT mark EQUAL -1)
        message(FATAL_ERROR "${file}: too long for one string literal, or contains the characters that end it")
    endif()
    set(${out} "R\"page(${text})page\"" PARENT_SCOPE)
endfunction()

if(OUT)
    literal_of(page.html html)
    literal_of(style.css style)
    set(scripts "")
    foreach(script IN LISTS report_scripts)
        literal_of(${script}.js text)
        string(APPEND scripts "    ${text},\n")
    endforeach()
    file(WRITE "${OUT}" "// Made from cli/report/page by cmake/FardelReport.cmake.
#include \"report/report_template.h\"

namespace fardel {
namespace {
constexpr std::string_view kHtml = ${html};
constexpr std::string_view kStyle = ${style};
constexpr std::string_view kScripts[] = {
${scripts}};
}  // namespace

std::string_view report_html() noexcept { return kHtml; }
std::string_view report_style() noexcept { return kStyle; }
std::span<const std::string_view> report_scripts() noexcept { return kScripts; }

}  // namespace fardel
")
endif()
