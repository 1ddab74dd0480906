// Console: the program's output. Results go to standard output, buffered; everything else goes to standard error.
//
// The reader of standard output may go away (`fardel cat … | head -1`): the next write then fails with cancelled, and
// main, which asks reader_gone(), ends without a message. main creates the only Console before anything else. One
// thread.
#pragma once

#include "exit.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

enum class Colour : unsigned char { red, yellow, green, faint };

class Console {
public:
    Console();
    ~Console();  // does not flush
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    // Errors: no_space, io, cancelled (the reader is gone).
    Status write(std::span<const std::byte> bytes);
    Status write(std::string_view text);
    // Writes the last output of a verb, which ends with `exit`.
    Result<Exit> print(std::string_view text, Exit exit = Exit::fine);
    Status flush();
    bool reader_gone() const noexcept { return reader_gone_; }
    // Whether anything was written.
    bool has_output() const noexcept { return has_output_; }
    // Of a verb with --json: main writes an error as JSON, too, if there is no other output.
    void expect_json() noexcept { json_ = true; }
    bool expects_json() const noexcept { return json_; }

    // Writes one line to standard error, with unsafe characters escaped. A line feed followed by two spaces starts a
    // further line; other line feeds are escaped.
    void say(std::string_view line);
    // "fardel: <message> [<code>]"
    void say(const Error& error);

    // Returns `text` in that colour if standard output is a terminal and NO_COLOR is not set; otherwise unchanged.
    std::string paint(Colour colour, std::string_view text) const;
    // Whether standard error is a terminal.
    bool watched() const noexcept { return watched_; }
    // Writes raw bytes to standard error at once; for a progress bar.
    void draw(std::string_view bytes) noexcept;

private:
    Status send(std::string_view text);

    std::string pending_;
    bool reader_gone_ = false;
    bool has_output_ = false;
    bool json_ = false;
    bool colours_ = false;
    bool watched_ = false;
};

}  // namespace fardel
