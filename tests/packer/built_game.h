// A project in its own scratch folder, built by the program.
#pragma once

#include "kit/files.h"
#include "kit/program.h"

#include <nlohmann/json.hpp>

namespace fardel::tests {

class BuiltGame {
public:
    explicit BuiltGame(std::string_view project) { write("fardel.toml", project); }

    std::string path(std::string_view name = "") const { return scratch_->path("game/" + std::string(name)); }
    void write(const std::string& name, std::string_view text) const { scratch_->write("game/" + name, text); }
    void write_program(const std::string& name, std::string_view text) const {
        scratch_->write_program("game/" + name, text);
    }
    std::string read(const std::string& name) const { return read_file(path(name)); }
    void replace(const std::string& name, std::string_view from, std::string_view to) const {
        std::string text = read(name);
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        write(name, text.replace(at, from.size(), to));
    }
    Outcome run_build(const Arguments& more = {}) const {
        Arguments words{"build", path(), "--level", "1", "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    nlohmann::json build(const Arguments& more = {}) const {
        const Outcome outcome = run_build(more);
        CAPTURE(outcome.err);
        REQUIRE(outcome.exit_code == 0);
        return nlohmann::json::parse(outcome.out);
    }
    std::string bundle() const { return read("game.fardel"); }
    // Returns the bundle that a build of the sources alone gives.
    std::string clean_bundle() const {
        const ScratchFolder other;
        std::filesystem::copy(path(), other.path("game"),
                              std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
        std::filesystem::remove_all(other.path("game/.fardel"));
        std::filesystem::remove(other.path("game/game.fardel"));
        run_well({"build", other.path("game"), "--level", "1"});
        return other.read("game/game.fardel");
    }
    std::string cat(const std::string& name) const { return run_well({"cat", path("game.fardel"), name}); }

private:
    std::unique_ptr<ScratchFolder> scratch_ =
        std::make_unique<ScratchFolder>();  // so that a function can return a game
};

}  // namespace fardel::tests
