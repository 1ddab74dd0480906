// AuthorConsent: asks the person at the terminal before a name comes from another author than before. --yes is consent
// to bytes, and not to whose they are: where nobody is asked, other authors are refused unless they are named.
#pragma once

#include "bundles/fetch_consent.h"
#include "console/command_line.h"
#include "console/console.h"
#include "console/exit.h"
#include "console/json.h"

#include <fardel/base/result.h>
#include <fardel/delivery/install.h>

#include <string>
#include <utility>
#include <vector>

namespace fardel {

// --accept-author
void add_author_option(CommandLine& line, std::vector<std::string>& authors);
Result<std::vector<AcceptedAuthor>> parse_accepted_authors(const std::vector<std::string>& texts);

std::string format_changes(const std::vector<AuthorChange>& changes);
Json json_of(const std::vector<AuthorChange>& changes);

class AuthorConsent {
public:
    // An Interrupt must exist.
    AuthorConsent(const ConsentOptions& options, std::vector<AcceptedAuthor> accepted, Console& console)
        : options_(options), accepted_(std::move(accepted)), console_(console) {}

    // With --plan, everything is accepted, because nothing is done. May be called again. Errors: cancelled (the person
    // refuses or presses Ctrl-C), conflict (nobody is asked).
    Status give(const std::vector<AuthorChange>& changes);
    // The outcome of a work that has ended with this error: with --json, what was refused because nobody was asked.
    Result<Exit> report(const Error& error) const;

private:
    const ConsentOptions& options_;
    std::vector<AcceptedAuthor> accepted_;
    std::vector<AuthorChange> agreed_;   // at the terminal
    std::vector<AuthorChange> refused_;  // because nobody was asked
    Console& console_;
};

}  // namespace fardel
