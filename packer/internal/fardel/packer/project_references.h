// The tables [link], [split] and [[scanner]] of a project file, as plain values. docs/resolving.md is the manual.
#pragma once

#include <fardel/packer/game_profile.h>
#include <fardel/packer/processor.h>
#include <fardel/packer/references.h>
#include <fardel/packer/split.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fardel {

class Bundle;

// What replaces a spelling in a text.
enum class RewriteTo : std::uint8_t {
    ids,    // /assets/<asset id>
    names,  // the exact name of the file, spelled as the format requires
};

// [link]
struct ProjectReferences {
    // One that find_game_profile() knows, or a file of the project (is_profile_file); empty: no game's.
    std::string profile;
    std::shared_ptr<const GameProfile> chosen_profile;  // by a command line, in place of `profile`; nullptr: none
    std::vector<std::shared_ptr<const Bundle>> bases;   // likewise; these two as in ResolveOptions
    bool fold_case = false;
    std::vector<std::string> roots;  // these three are globs as in ResolveOptions
    std::vector<std::string> used;
    std::vector<std::string> consumed;
    bool link_tables = true;           // the bundle gets link tables
    std::vector<std::string> rewrite;  // globs over names of texts
    RewriteTo rewrite_to = RewriteTo::ids;
    ProjectPosition rewrite_at;
    bool missing_fails = false;  // a missing reference fails the build
};

// [[scanner]]: how to find references in the files that `match` matches, besides the built-in scanners.
struct ProjectScanner {
    std::string match;    // glob over names
    std::string pattern;  // as PatternScanner takes it; empty: `program`
    Processor program;    // its command, version, code, inputs and timeout; parse_scanner_answers reads its answers
    ReferenceUse use = ReferenceUse::file;  // these three apply where the answer of a program does not state them
    ReferenceForm form = ReferenceForm::from_root;
    bool optional = false;
    ProjectPosition at;
};

}  // namespace fardel
