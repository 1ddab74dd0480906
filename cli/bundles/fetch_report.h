// What a fetch is going to bring, and how far it is: text, JSON and a bar.
#pragma once

#include "console/console.h"
#include "console/json.h"
#include "console/progress_bar.h"

#include <fardel/delivery/fetch.h>

#include <string>
#include <vector>

namespace fardel {

std::string format_plan(const FetchPlan& plan);
// "alice (03a107bff3ce10be)", or the digits alone.
std::string format_author(const BundleAuthor& author);
// A remark for each; none without servers.
void say_without_ranges(const std::vector<std::string>& servers, Console& console);
Json json_of(const BundleAuthor& author);
Json json_of(const FetchPlan& plan);

// Shows how much came, how fast, and for how long it will go on.
class FetchBar {
public:
    explicit FetchBar(Console& console) : bar_(console, "fetching") {}
    void show(const FetchProgress& progress);
    void hide() { bar_.hide(); }

private:
    ProgressBar bar_;
};

}  // namespace fardel
