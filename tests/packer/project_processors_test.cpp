// Processors and jobs of a project: each key, each mistake with its position; names of outputs.
#include "jobs/output_names.h"

#include <fardel/packer/project.h>
#include "kit/files.h"
#include "kit/ids.h"
#include "parsed_project.h"

namespace fardel::tests::project_processors_test {

const std::string kStart = "name = \"mygame\"\nsources = [\"assets\"]\n";  // two lines
const std::string kCopy = "[processor.c]\ncommand = [\"cp\", \"${in}\", \"${out}\"]\n";

TEST_CASE("project: every key of a processor is read") {
    const Project project = parse_well(kStart + R"(
[processor.small]
command = ["tools/convert", "${in}", "${out}", "${depfile}", "--variant=${variant}", "${parameter:size}"]
version = "2"
code = ["tools/table.txt"]
parameters = { size = 3, scale = 0.5, kind = "soft", fast = true }
outputs = ["{folder}{stem}.dds", "{folder}{name}.txt"]
inputs = ["palettes/**"]
follow_references = true
tags = { quality = "low" }
keep_source = true
depfile = true
timeout = 5
at_once = 2
memory_bytes = 8_000_000_000
[processor.scenes]
command = ["python3", "${code:tools/scenes.py}"]
code = ["tools/scenes.py"]
protocol = true
[processor."n-2"]
builtin = "image"
parameters = { scale = 0.5, format = "png" }
)");
    REQUIRE(project.processors.size() == 3);
    const Processor& small = project.processors[0];
    CHECK(small.name == "small");
    CHECK(small.builtin.empty());
    CHECK(small.command.size() == 6);
    CHECK(small.command[4] == "--variant=${variant}");
    CHECK(small.version == "2");
    CHECK(small.code == std::vector<std::string>{"tools/table.txt"});
    REQUIRE(small.parameters.size() == 4);
    CHECK((small.parameters[0] == std::pair<std::string, ParameterValue>{"size", std::int64_t{3}}));
    CHECK((small.parameters[1] == std::pair<std::string, ParameterValue>{"scale", 0.5}));
    CHECK((small.parameters[2] == std::pair<std::string, ParameterValue>{"kind", std::string("soft")}));
    CHECK((small.parameters[3] == std::pair<std::string, ParameterValue>{"fast", true}));
    CHECK(small.outputs == std::vector<std::string>{"{folder}{stem}.dds", "{folder}{name}.txt"});
    CHECK(small.inputs == std::vector<std::string>{"palettes/**"});
    CHECK(small.tags == Tags{{"quality", "low"}});
    CHECK(small.keep_source);
    CHECK(small.follow_references);
    CHECK(small.depfile);
    CHECK_FALSE(small.protocol);
    CHECK(small.timeout == std::chrono::seconds(5));
    CHECK(small.at_once == 2);
    CHECK(small.memory_bytes == 8'000'000'000);
    CHECK(small.at.line == 4);
    CHECK(project.processors[1].protocol);
    CHECK_FALSE(project.processors[1].keep_source);
    CHECK_FALSE(project.processors[1].follow_references);
    CHECK(project.processors[1].timeout == std::chrono::seconds(60));
    CHECK(project.processors[1].at_once == 0);
    CHECK(project.processors[1].memory_bytes == 0);
    CHECK(project.processors[2].name == "n-2");
    CHECK(project.processors[2].builtin == "image");
}

TEST_CASE("project: rules and jobs name their processors, in any order") {
    const Project project = parse_well(
        kStart + "[[rule]]\nmatch = \"*.a\"\nprocess = \"c\"\n[[rule]]\nmatch = \"*.b\"\nprocess = [\"d\", \"c\"]\n" +
        "[[job]]\nsources = [\"sprites/*.png\", \"more/*.png\"]\nprocess = \"d\"\noutputs = [\"sprites.png\"]\n" +
        kCopy + "[processor.d]\nbuiltin = \"copy\"\n");
    REQUIRE(project.rules.size() == 2);
    CHECK(project.rules[0].process == std::vector<std::string>{"c"});
    CHECK(project.rules[1].process == std::vector<std::string>{"d", "c"});
    REQUIRE(project.jobs.size() == 1);
    CHECK(project.jobs[0].sources == std::vector<std::string>{"sprites/*.png", "more/*.png"});
    CHECK(project.jobs[0].processor == "d");
    CHECK(project.jobs[0].outputs == std::vector<std::string>{"sprites.png"});
    CHECK(project.jobs[0].at.line == 9);
}

TEST_CASE("project: a mistake about processors is reported with its position and what to write instead") {
    struct Mistake {
        std::string text;  // behind kStart
        std::string position;
        std::string words;
    };
    const std::string table = "[processor.small]\n";
    const std::string good = table + "command = [\"cp\", \"${in}\", \"${out}\"]\n";
    const Mistake mistakes[] = {
        // Tables and keys.
        {"processor = 1", "3:13", "'processor' is an integer; write [processor.small] above the keys of each"},
        {"[[processor]]", "3:", "'processor' is a list; write [processor.small] above the keys of each"},
        {"[processor]\nsmall = \"cp\"", "4:9", "'small' is a text; write [processor.small] above its keys"},
        {"[processor.\"a b\"]\nbuiltin = \"copy\"", "3:", "'a b' is not a name for a processor"},
        {good + "comand = []", "5:1", "there is no key 'comand' in [processor.small]; did you mean 'command'?"},
        {table, "3:", "this processor does nothing; write command = "},
        {table + "command = []", "3:", "this processor does nothing"},
        // Programs.
        {table + "command = \"cp\"", "4:11", "'command' is a text; write command = [\"cp\", \"${in}\", \"${out}\"]"},
        {table + "command = [\"cp\", 1]", "4:18", "'command' is an integer"},
        {table + "command = [\"cp\", \"${in}\"]", "4:1",
         "the command does not contain the file to write; add \"${out}\""},
        {table + "command = [\"${in}\", \"${out}\"]", "4:12", "the program's name cannot contain variables"},
        {table + "command = [\"cp\", \"${inn}\", \"${out}\"]", "4:18",
         "there is no variable ${inn}; did you mean ${in}?"},
        {table + "command = [\"cp\", \"${frobnicate}\", \"${out}\"]", "4:18", "there are: ${in}, ${in:all}, ${out}"},
        {table + "command = [\"cp\", \"${in\", \"${out}\"]", "4:18", "a ${ without its }"},
        {table + "command = [\"cp\", \"${depfile}\", \"${out}\"]", "4:18", "write depfile = true"},
        {table + "command = [\"cp\", \"${project}\", \"${out}\"]", "4:18", "write depfile = true"},
        {table + "command = [\"cp\", \"${code:x.py}\", \"${out}\"]", "4:18",
         "'x.py' is not among the files of 'code'; write code = [\"x.py\"]"},
        {table + "command = [\"cp\", \"${parameter:siez}\", \"${out}\"]\nparameters = { size = 1 }", "4:18",
         "there is no parameter 'siez'; did you mean ${parameter:size}?"},
        {table + "command = [\"cp\", \"${parameter:size}\", \"${out}\"]", "4:18", "write it into parameters = { … }"},
        {good + "depfile = true", "4:1", "add \"${depfile}\", or remove depfile = true"},
        {good + "timeout = 0", "5:11", "'timeout' is from 1 to 86400 seconds; write timeout = 60"},
        {good + "at_once = 0", "5:11", "'at_once' is from 1 to 256 jobs; write at_once = 1"},
        {good + "memory_bytes = 0", "5:16", "'memory_bytes' is below 1; write memory_bytes = 8_000_000_000"},
        {good + "memory_bytes = \"8G\"", "5:16", "'memory_bytes' is a text; write memory_bytes = 8_000_000_000"},
        {good + "timeout = \"1m\"", "5:11", "'timeout' is a text; write timeout = 60, in seconds"},
        {good + "depfile = 1", "5:11", "write depfile = true or depfile = false"},
        {good + "version = 2", "5:11", "'version' is an integer; write version = \"1\""},
        {good + "code = \"x\"", "5:8", "'code' is a text; write code = [\"tools/convert.sh\"]"},
        {good + "parameters = 1", "5:14", "'parameters' is an integer; write parameters = { scale = 0.5 }"},
        {good + "parameters = { a = [] }", "5:20", "'a' is a list; write a text"},
        {good + "parameters = { a = nan }", "5:20", "a finite number, true or false"},
        {good + "parameters = { \"\" = 1 }", "5:", "the key of a parameter has 1 to 4096 bytes"},
        {good + "outputs = [\"{stm}.png\"]", "5:12", "'{stm}.png' is none of {folder}, {stem}, {extension} and {name}"},
        {good + "outputs = [\"stem}.png\"]", "5:12", "is none of {folder}"},
        {good + "inputs = [\"a//b\"]", "5:11", "'a//b': "},
        {good + "tags = { quality = 1 }", "5:20", "'quality' is an integer"},
        // Built-ins.
        {table + "builtin = \"imgae\"", "4:11", "there is no built-in 'imgae'; did you mean 'image'?"},
        {table + "builtin = \"frobnicate\"", "4:11", "there are: copy, image, rewrite, unpack"},
        {table + "builtin = \"copy\"\ncommand = [\"cp\"]", "5:1", "'command' is for programs, and 'copy' is built in"},
        {table + "builtin = \"copy\"\ntimeout = 3", "5:1", "'timeout' is for programs"},
        {table + "builtin = \"image\"\nparameters = { scal = 1 }", "5:16",
         "the built-in 'image' has no parameter 'scal'; did you mean 'scale'?"},
        {table + "builtin = \"image\"\nparameters = { frobnicate = 1 }", "5:16",
         "it has: scale, width, height, format, quality"},
        {table + "builtin = \"copy\"\nparameters = { a = 1 }", "5:16", "it has none"},
        {table + "builtin = \"image\"\nparameters = { scale = 0 }", "5:16", "'scale': a scale is a number above 0"},
        {table + "builtin = \"image\"\nparameters = { width = 0.5 }", "5:16",
         "'width': a width is an integer from 1 to 32768"},
        {table + "builtin = \"image\"\nparameters = { quality = 101 }", "5:16",
         "a quality is an integer from 1 to 100"},
        {table + "builtin = \"image\"\nparameters = { format = \"gif\" }", "5:16",
         "a format is one of png, jpeg and tga"},
        {table + "builtin = \"rewrite\"\nparameters = { a = 1 }", "5:16", "what is to stand there instead is a text"},
        // Names of processors.
        {good + "[[rule]]\nmatch = \"*\"\nprocess = \"smal\"", "7:11",
         "there is no processor 'smal'; did you mean 'small'?"},
        {good + "[[rule]]\nmatch = \"*\"\nprocess = [\"small\", \"enormous\"]", "7:21",
         "there is no processor 'enormous'; write [processor.enormous]"},
        {good + "[[rule]]\nmatch = \"*\"\nprocess = [\"small\", \"small\"]", "7:21", "'small' is in 'process' twice"},
        {good + "[[rule]]\nmatch = \"*\"\nprocess = 1", "7:11",
         "'process' is an integer; write process = \"small\", or a list of such names"},
        {good + "[[rule]]\nmatch = \"*\"\nexclude = true\nprocess = \"small\"", "5:", "make it two rules"},
        {good + "[[job]]\nsources = [\"*\"]\nprocess = \"smal\"", "7:11",
         "there is no processor 'smal'; did you mean 'small'?"},
        // Jobs.
        {good + "[[job]]\nprocess = \"small\"",
         "5:", "this [[job]] has no valid 'sources'; write sources = [\"sprites/*.png\"]"},
        {good + "[[job]]\nsources = [\"*\"]", "5:", "this [[job]] has no valid 'process'"},
        {good + "[[job]]\nsources = [\"a//b\"]\nprocess = \"small\"", "6:12", "'a//b': "},
        {good + "[[job]]\nsources = [\"*\"]\nprocess = \"small\"\noutputs = [\"../x\"]", "8:12", "'../x': "},
        {good + "[[job]]\nsource = [\"*\"]", "6:1", "in [[job]]; did you mean 'sources'?"},
    };
    for (const Mistake& mistake : mistakes) {
        check_mistake(kStart + mistake.text + "\n", mistake.position, mistake.words);
    }
}

TEST_CASE("project: processors, jobs and their lists have limits") {
    std::string many = kStart;
    for (std::size_t i = 0; i <= kProjectItemsMax; ++i)
        many += "[processor.p" + std::to_string(i) + "]\nbuiltin=\"copy\"\n";
    CHECK(code_of(parse(many)) == ErrorCode::limit);
    std::string parameters = kStart + kCopy + "parameters = {";
    for (std::size_t i = 0; i <= kProjectItemsMax; ++i)
        parameters += (i == 0 ? "a" : ",a") + std::to_string(i) + "=1";
    CHECK(code_of(parse(parameters + "}")) == ErrorCode::limit);
}

TEST_CASE("output names: templates use the parts of a name") {
    Processor processor{.name = "p", .builtin = "copy"};
    const auto names = [&](std::string_view source, std::vector<std::string> templates) {
        processor.outputs = std::move(templates);
        return value_of(output_names(processor, name_of(source)));
    };
    using Names = std::vector<std::string>;
    CHECK(names("textures/wall.hd.tga", {"{folder}{stem}.png", "{name}", "all/{folder}{stem}-{extension}"}) ==
          Names{"textures/wall.hd.png", "wall.hd.tga", "all/textures/wall.hd-tga"});
    CHECK(names("wall.tga", {"{folder}{stem}.png"}) == Names{"wall.png"});
    CHECK(names("a/readme", {"{folder}{stem}{extension}.txt"}) == Names{"a/readme.txt"});
    CHECK(names("a/.profile", {"{folder}{stem}.txt"}) == Names{"a/.profile.txt"});
    CHECK(names("a/b", {}) == Names{});
    CHECK(names("a/b", {"fixed"}) == Names{"fixed"});
}

TEST_CASE("output names: an invalid name, or one that is there twice, is an error") {
    Processor processor{.name = "p", .builtin = "copy", .outputs = {"../{name}"}};
    const auto code = [&](std::vector<std::string> templates) {
        processor.outputs = std::move(templates);
        const auto made = output_names(processor, name_of("a/b.c"));
        REQUIRE_FALSE(made);
        return made.error().code();
    };
    CHECK(code({"../{name}"}) == ErrorCode::malformed);
    CHECK(code({"{stem}/"}) == ErrorCode::malformed);
    CHECK(code({"{name}", "{stem}.{extension}"}) == ErrorCode::conflict);
    CHECK(code({"{nme}"}) == ErrorCode::malformed);
    CHECK(code({"{"}) == ErrorCode::malformed);
    CHECK(code({std::string(2000, 'x')}) == ErrorCode::limit);
    CHECK_FALSE(verify_output_template("{}"));
    CHECK(verify_output_template("{folder}x"));
}

TEST_CASE("project: the examples of the manual of processors parse, and every key is in it") {
    const std::string manual = read_file(FARDEL_SOURCE_DIR "/docs/processors.md");
    std::size_t examples = 0;
    for (std::size_t begin = manual.find("```toml\n"); begin != std::string::npos;
         begin = manual.find("```toml\n", begin + 1)) {
        const std::size_t end = manual.find("```", begin + 8);
        REQUIRE(end != std::string::npos);
        parse_well(kStart + manual.substr(begin + 8, end - begin - 8));
        ++examples;
    }
    CHECK(examples == 3);
    for (const std::string_view key : {"builtin",       "command",    "version",
                                       "code",          "parameters", "outputs",
                                       "inputs",        "tags",       "follow_references",
                                       "keep_source",   "depfile",    "protocol",
                                       "timeout",       "sources",    "process",
                                       "${in}",         "${in:all}",  "${out}",
                                       "${out:folder}", "${depfile}", "${variant}",
                                       "${project}",    "${name}",    "${parameter:KEY}",
                                       "${code:PATH}",  "{folder}",   "{stem}",
                                       "{extension}",   "{name}",     "copy",
                                       "image",         "rewrite",    "unpack",
                                       "scale",         "width",      "height",
                                       "format",        "quality"}) {
        CAPTURE(key);
        CHECK(manual.find("`" + std::string(key) + "`") != std::string::npos);
    }
}

}  // namespace fardel::tests::project_processors_test
