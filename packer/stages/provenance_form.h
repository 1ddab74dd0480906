// The fixed texts of provenance, for its writer and its reader.
#pragma once

#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::string_view kStatementType = "https://in-toto.io/Statement/v1";
inline constexpr std::string_view kPredicateType = "https://slsa.dev/provenance/v1";
// A name, which leads nowhere.
inline constexpr std::string_view kProvenanceBuildType = "urn:fardel:build:1";
inline constexpr std::string_view kDssePayloadType = "application/vnd.in-toto+json";

// What a signature of DSSE version 1 is over: the Statement with its type, each after its length. It begins as none of
// the records of Fardel that keys sign.
std::string dsse_message(std::string_view statement);

}  // namespace fardel
