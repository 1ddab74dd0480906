// FetchConsent: shows what is going to be fetched, and asks the person at the terminal before any content comes. Where
// nobody is at a terminal, with --json and with --yes, nothing is asked.
#pragma once

#include "bundles/fetch_report.h"
#include "console/command_line.h"
#include "console/console.h"

#include <fardel/base/result.h>
#include <fardel/delivery/fetch.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

struct ConsentOptions {
    std::optional<std::uint64_t> bytes_max;
    bool plan_only = false;
    bool yes = false;
    bool json = false;
};

// What servers may send; 0: anything. FetchOptions::received_bytes_max.
std::uint64_t received_bytes_max(const ConsentOptions& options);
// What is said of an error of a fetch, which may be that more would be received.
Error fetch_error(const ConsentOptions& options, const Error& error, bool is_interrupted);

// --plan, --max-bytes, --yes and --json.
void add_consent_options(CommandLine& line, ConsentOptions& options, std::string plan_help);

class FetchConsent {
public:
    // An Interrupt must exist. The bar is hidden while it asks.
    FetchConsent(const ConsentOptions& options, FetchBar& bar, Console& console)
        : options_(options), bar_(bar), console_(console) {}

    // `shown` describes the plan; with --json and --plan, it is not shown. May be called again if it becomes more.
    // Errors: cancelled (the person refuses or presses Ctrl-C, or only the plan is wanted), limit (--max-bytes).
    Status give(const FetchPlan& plan, std::string_view shown);

private:
    const ConsentOptions& options_;
    FetchBar& bar_;
    Console& console_;
    bool given_ = false;
};

}  // namespace fardel
