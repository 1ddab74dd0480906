// Console: where the program's words go. Results to standard output, buffered; everything else to standard error.
//
// Whoever reads standard output may go away (`fardel cat … | head -1`): the next write fails with cancelled and
// reader_gone() tells main to end quietly. One Console a process, made first thing in main; one thread.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

enum class Colour : unsigned char { red, yellow, green, faint };

class Console {
public:
    Console();
    ~Console();  // writes nothing: flush() is the caller's
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    // Errors: no_space, io, cancelled (nobody reads any more).
    Status write(std::span<const std::byte> bytes);
    Status write(std::string_view text);
    Status flush();
    bool reader_gone() const noexcept { return reader_gone_; }

    // One line on standard error, made safe to show; what comes after a line feed and two spaces stands on one of its
    // own.
    void say(std::string_view line);
    // "fardel: <message>; <advice> [<code>]"
    void say(const Error& error);

    // `text` in that colour when standard output is a terminal that may have colours (NO_COLOR); else as it is.
    std::string paint(Colour colour, std::string_view text) const;
    // Whether people watch standard error.
    bool watched() const noexcept { return watched_; }
    // Puts raw bytes on standard error at once; for a progress bar.
    void draw(std::string_view bytes) noexcept;

private:
    Status send(std::string_view text);

    std::string pending_;
    bool reader_gone_ = false;
    bool colours_ = false;
    bool watched_ = false;
};

}  // namespace fardel
