// The schema of SARIF 2.1.0, which setup/install-sarif-schema brings, and Debian's validator for JSON schemas.
#pragma once

#include "files.h"
#include "program.h"

#include <filesystem>

namespace fardel::tests {

// What is wrong with a SARIF file; empty: nothing. Where there is no schema, nothing is compared.
inline std::string sarif_mistakes(const ScratchFolder& scratch, const std::string& path) {
    const std::string schema = FARDEL_SOURCE_DIR "/build/sarif/sarif-2.1.0.json";
    if (!std::filesystem::exists(schema)) {
        MESSAGE("SKIPPED: no schema of SARIF; setup/install-sarif-schema brings it, with npm");
        return "";
    }
    scratch.write("sarif_mistakes.py",
                  "import json, jsonschema, sys\n"
                  "schema, log = (json.load(open(path)) for path in sys.argv[1:])\n"
                  "formats = jsonschema.FormatChecker()\n"
                  "assert 'uri-reference' in formats.checkers, 'python3-rfc3987 is missing'\n"
                  "for one in jsonschema.Draft4Validator(schema, format_checker=formats).iter_errors(log):\n"
                  "    print('/'.join(map(str, one.absolute_path)) + ': ' + one.message[:200])\n");
    const Outcome outcome = run_program({"/usr/bin/python3", scratch.path("sarif_mistakes.py"), schema, path});
    REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.err, "setup/install-dependencies installs python3-jsonschema");
    return outcome.out;
}

}  // namespace fardel::tests
