// A real browser, which shows a page and says what it then contains.
#pragma once

#include "files.h"
#include "program.h"

namespace fardel::tests {

// Opens the page, without an own window; `options`: what to do with it.
inline Outcome run_browser(const ScratchFolder& scratch, const std::string& url, const Arguments& options) {
    Arguments words{"timeout",
                    "100",
                    "chromium",
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--no-first-run",
                    "--hide-scrollbars",
                    "--disable-background-networking",
                    "--user-data-dir=" + scratch.path("browser"),
                    "--window-size=1280,900",
                    "--virtual-time-budget=60000"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(url);
    Outcome outcome = run_program(words, {.variables = {{"HOME", scratch.root().string()}}});
    CAPTURE(outcome.err);
    REQUIRE_MESSAGE(outcome.exit_code == 0, "setup/install-dependencies installs chromium");
    return outcome;
}

// Returns the document after its scripts have run.
inline std::string browse(const ScratchFolder& scratch, const std::string& url) {
    return run_browser(scratch, url, {"--dump-dom"}).out;
}

// The row of a name in a list of a registry; empty: it is not shown.
inline std::string row_of(const std::string& page, const std::string& name) {
    const auto at = page.find(">" + name + "</a>");
    if (at == std::string::npos)
        return "";
    const auto begin = page.rfind("<tr", at);
    return page.substr(begin, page.find("</tr>", at) - begin);
}

inline std::size_t count_texts(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
        ++count;
    return count;
}

}  // namespace fardel::tests
