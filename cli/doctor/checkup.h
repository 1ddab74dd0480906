// What `fardel doctor` finds out about this machine, each by the function that the verbs themselves use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class Health : unsigned char {
    ok,
    note,     // is missing or limited, and Fardel works without
    problem,  // what is there, or what was named, does not work
};

struct CheckedFact {
    std::string_view topic;
    Health health = Health::ok;
    std::string text;
    std::string advice;  // empty: none
};

struct CheckupRequest {
    std::string folder;               // of the project, if it has one; empty: the current one
    std::string store;                // as --store
    std::vector<std::string> keys;    // secret key files, besides that of the project
    std::vector<std::string> topics;  // empty: all
};

// In the order in which they are shown.
std::span<const std::string_view> checkup_topics() noexcept;

// Changes nothing. A server gets some seconds to answer.
std::vector<CheckedFact> check_up(const CheckupRequest& request);

}  // namespace fardel
