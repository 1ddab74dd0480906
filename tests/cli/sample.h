// A small game to pack, and files that the program creates from it.
#pragma once

#include "kit/program.h"

#include "kit/bytes.h"
#include "kit/files.h"

namespace fardel::tests {

inline constexpr std::string_view kConfig = "set name \"player\"\nset volume 0.7\n";

// A fardel.toml: each text in assets/ becomes one in capitals, by a job.
inline constexpr std::string_view kCapitalsProject = R"(name = "game"
version = "1.0"
sources = ["assets"]

[processor.up]
command = ["sh", "-c", "tr a-z A-Z < $1 > $2", "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.up"]

[[rule]]
match = "*.txt"
process = "up"
)";

// default.cfg, docs/readme.txt, maps/dm01.bsp (300,000 bytes), textures/base/water.jpg, and the same bytes again as
// textures/base/wasser.jpg. Returns the folder's path.
std::string make_game(const ScratchFolder& scratch, std::string_view folder = "game");

// make_game, packed as <folder>.fardel, named "game", version 1.0. Returns the bundle's path.
std::string make_bundle(const ScratchFolder& scratch, std::string_view folder = "game");

// For TEST_CASE_FIXTURE.
struct PackedGame {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
};
struct GameFolder {
    const ScratchFolder scratch;
    const std::string game = make_game(scratch);
};

// A bundle with textures/wall in two variants, the tombstone old.cfg, and private.dat, which is not published.
std::string make_rich_bundle(const ScratchFolder& scratch);

// <name>.key without passphrase, and <name>.key.pub. Returns the secret key's path.
std::string make_key(const ScratchFolder& scratch, std::string_view name);

// A policy file that `fardel trust init` writes.
std::string make_policy(const ScratchFolder& scratch, const std::string& name, const Arguments& options);
void sign(const std::string& bundle, const std::string& key, const std::string& role);
// Returns the output of `fardel id --json`.
std::string facts_of(const std::string& bundle);

// The word after the first `label` in a text; empty if there is none.
std::string word_after(std::string_view text, std::string_view label);

// The names of everything below a folder, sorted; folders end in '/'.
std::string list_folder(const std::string& path);

}  // namespace fardel::tests
