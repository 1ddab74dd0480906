// JobGraph: plans jobs from a project and names, without any file.
#include <fardel/packer/job_graph.h>

#include "parsed_project.h"

#include <initializer_list>

namespace fardel::tests::job_graph_test {

Project project(const std::string& tables) {
    return tests::parse_well("name = \"game\"\nsources = [\"assets\"]\n" + tables);
}

std::vector<AssetName> names(std::initializer_list<std::string_view> texts) {
    std::vector<AssetName> names;
    for (const std::string_view text : texts)
        names.push_back(*AssetName::parse(text));
    return names;
}

JobGraph plan_well(const Project& project, std::initializer_list<std::string_view> sources) {
    return tests::value_of(JobGraph::plan(project, names(sources)));
}

void check_refused(const Project& project, std::initializer_list<std::string_view> sources, ErrorCode code,
                   std::string_view words) {
    tests::check_error(JobGraph::plan(project, names(sources)), code, words);
}

std::string list(const JobGraph& graph, const std::vector<FileIndex>& files) {
    std::string text;
    for (const FileIndex file : files)
        text += (text.empty() ? "" : " ") + graph.files()[file].name.text();
    return text;
}

// "sd: a.png + palette.txt > a.sd.png", one line per job, in the order in which they are run.
std::string show(const JobGraph& graph) {
    std::string text;
    for (const JobIndex number : graph.order()) {
        const GraphJob& job = graph.jobs()[number];
        text += graph.processor_of(number).name + ": " + list(graph, job.sources) +
                (job.others.empty() ? "" : " + " + list(graph, job.others)) + " > " +
                (job.discovers_outputs ? "?" : list(graph, job.outputs)) + "\n";
    }
    return text;
}

// The files that remain for the bundle.
std::string left(const JobGraph& graph) {
    std::vector<std::string> names;
    for (const GraphFile& file : graph.files())
        if (!file.consumed)
            names.push_back(file.name.text());
    std::ranges::sort(names);
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

std::string copy(const std::string& name, const std::string& more) {
    return "[processor." + name + "]\nbuiltin = \"copy\"\n" + more + "\n";
}
std::string rule(const std::string& match, const std::string& process) {
    return "[[rule]]\nmatch = \"" + match + "\"\nprocess = " + process + "\n";
}

const std::string kPngToKtx = copy("ktx", "outputs = [\"{folder}{stem}.ktx\"]") + rule("**/*.png", "\"ktx\"");

TEST_CASE("job graph: without processors it contains only the sources") {
    const Project plain = project("");
    const JobGraph graph = plan_well(plain, {"a.txt", "b/c.txt"});
    CHECK(graph.jobs().empty());
    CHECK(left(graph) == "a.txt b/c.txt");
}

TEST_CASE("job graph: a rule gives each matching file to its processor, whose output replaces it") {
    const Project it = project(kPngToKtx);
    const JobGraph graph = plan_well(it, {"a.png", "b/c.png", "d.txt"});
    CHECK(show(graph) == "ktx: a.png > a.ktx\nktx: b/c.png > b/c.ktx\n");
    CHECK(left(graph) == "a.ktx b/c.ktx d.txt");
    CHECK(graph.describe(JobIndex{1}) == "fardel.toml:6: processor 'ktx' of 'b/c.png'");
}

TEST_CASE("job graph: keep_source leaves the source in the bundle") {
    const Project it =
        project(copy("ktx", "outputs = [\"{folder}{stem}.ktx\"]\nkeep_source = true") + rule("**/*.png", "\"ktx\""));
    CHECK(left(plan_well(it, {"a.png"})) == "a.ktx a.png");
}

TEST_CASE("job graph: outputs of a job go through the rules again, in a chain") {
    const Project it =
        project(copy("flat", "outputs = [\"{folder}{stem}.png\"]\ntags = { quality = \"hd\", from = \"psd\" }") +
                copy("ktx", "outputs = [\"{folder}{stem}.ktx\"]\ntags = { quality = \"sd\" }") +
                rule("**/*.png", "\"ktx\"") + rule("**/*.psd", "\"flat\""));
    const JobGraph graph = plan_well(it, {"a.psd"});
    CHECK(show(graph) == "flat: a.psd > a.png\nktx: a.png > a.ktx\n");
    CHECK(graph.jobs()[JobIndex{1}].waits_for == std::vector<JobIndex>{JobIndex{0}});
    CHECK(left(graph) == "a.ktx");
    // Tags accumulate along the chain, and later ones win.
    const Tags tags{{"from", "psd"}, {"quality", "sd"}};
    CHECK(graph.files()[FileIndex{2}].tags == tags);
}

TEST_CASE("job graph: a file never goes through one processor twice, and outputs may replace their source") {
    const Project it = project(copy("squeeze", "outputs = [\"{folder}{name}\"]") + rule("**", "\"squeeze\""));
    const JobGraph graph = plan_well(it, {"a.png"});
    CHECK(show(graph) == "squeeze: a.png > a.png\n");
    REQUIRE(graph.files().size() == 2);
    CHECK(graph.files()[FileIndex{0}].consumed);
    CHECK_FALSE(graph.files()[FileIndex{1}].consumed);

    // Through two jobs, the output would replace a source from which it was not made directly.
    const Project both = project(copy("one", "outputs = [\"{stem}.b\"]") + copy("two", "outputs = [\"{stem}.a\"]") +
                                 rule("*.a", "\"one\"") + rule("*.b", "\"two\""));
    check_refused(both, {"x.a"}, ErrorCode::conflict, "processor 'two' of 'x.b': would make 'x.a', which is a source");
}

TEST_CASE("job graph: a processor that two rules name for one file processes it once") {
    const Project it = project(kPngToKtx + rule("ui/**", "[\"ktx\"]"));
    CHECK(show(plan_well(it, {"ui/a.png"})) == "ktx: ui/a.png > ui/a.ktx\n");
}

TEST_CASE("job graph: one file may have several processors") {
    const Project it = project(copy("sd", "outputs = [\"{stem}.sd\"]") +
                               copy("hd", "outputs = [\"{stem}.hd\", \"{stem}.uhd\"]\nkeep_source = true") +
                               rule("*.png", "[\"sd\", \"hd\"]"));
    const JobGraph graph = plan_well(it, {"a.png"});
    CHECK(show(graph) == "sd: a.png > a.sd\nhd: a.png > a.hd a.uhd\n");
    CHECK(left(graph) == "a.hd a.sd a.uhd");  // one of the processors consumes the source
}

TEST_CASE("job graph: a [[job]] takes all files that match its globs, in name order, outputs too") {
    const std::string atlas =
        copy("atlas", "") +
        "[[job]]\nsources = [\"**/*.ktx\", \"z.txt\"]\nprocess = \"atlas\"\noutputs = [\"atlas.bin\"]\n";
    const Project it = project(kPngToKtx + atlas);
    const JobGraph graph = plan_well(it, {"c.png", "a.png", "z.txt"});
    CHECK(show(graph) == "ktx: c.png > c.ktx\nktx: a.png > a.ktx\natlas: a.ktx c.ktx z.txt > atlas.bin\n");
    CHECK(graph.jobs()[JobIndex{2}].waits_for == std::vector<JobIndex>{JobIndex{0}, JobIndex{1}});
    CHECK(left(graph) == "atlas.bin");
    CHECK(graph.describe(JobIndex{2}) == "fardel.toml:12: processor 'atlas' of 3 files");
    check_refused(project(atlas), {"a.png"}, ErrorCode::unresolved,
                  "fardel.toml:6: 'sources' of this [[job]] match no file");
}

TEST_CASE("job graph: globs do not match a file that was replaced") {
    const Project it =
        project(copy("squeeze", "outputs = [\"{name}\"]") + rule("*.png", "\"squeeze\"") +
                copy("atlas", "inputs = [\"*.png\"]") +
                "[[job]]\nsources = [\"*.txt\"]\nprocess = \"atlas\"\noutputs = [\"atlas.bin\"]\n[[job]]\nsources = "
                "[\"*.png\"]\nprocess = \"atlas\"\noutputs = [\"all.bin\"]\n");
    const JobGraph graph = plan_well(it, {"a.png", "b.txt"});
    CHECK(graph.jobs()[JobIndex{1}].others == std::vector<FileIndex>{FileIndex{2}});  // the replacement, not the source
    CHECK(graph.jobs()[JobIndex{2}].sources == std::vector<FileIndex>{FileIndex{2}});
}

TEST_CASE("job graph: a job waits for all jobs whose outputs match its 'inputs', and never for itself") {
    const Project it = project(copy("palette", "outputs = [\"{stem}.pal\"]") +
                               copy("ktx", "outputs = [\"{stem}.ktx\"]\ninputs = [\"*.pal\", \"*.png\"]") +
                               rule("*.png", "\"ktx\"") + rule("*.gpl", "\"palette\""));
    const JobGraph graph = plan_well(it, {"a.png", "b.png", "p.gpl"});
    CHECK(show(graph) ==
          "palette: p.gpl > p.pal\nktx: a.png + b.png p.pal > a.ktx\nktx: b.png + a.png p.pal > b.ktx\n");
    CHECK(graph.jobs()[JobIndex{0}].waits_for == std::vector<JobIndex>{JobIndex{2}});
}

TEST_CASE("job graph: jobs that wait for each other are reported with the cycle") {
    const Project it = project(copy("one", "outputs = [\"{stem}.x\"]\ninputs = [\"*.y\"]") +
                               copy("two", "outputs = [\"{stem}.y\"]\ninputs = [\"*.x\"]") + rule("*.a", "\"one\"") +
                               rule("*.b", "\"two\""));
    check_refused(it, {"p.a", "q.b"}, ErrorCode::conflict,
                  "these wait for each other: fardel.toml:11: processor 'one' of 'p.a' → fardel.toml:14: processor "
                  "'two' of 'q.b' → fardel.toml:11: processor 'one' of 'p.a'");
}

TEST_CASE("job graph: two files of one name are a conflict that names the origins of both") {
    const Project it = project(kPngToKtx);
    check_refused(it, {"a.png", "a.ktx"}, ErrorCode::conflict,
                  "processor 'ktx' of 'a.png': would make 'a.ktx', which is a source");
    check_refused(it, {"a.png", "A.KTX"}, ErrorCode::conflict, "would make 'a.ktx'");
    const Project two = project(copy("one", "outputs = [\"{stem}.x\"]") + copy("two", "outputs = [\"{stem}.x\"]") +
                                rule("*.a", "[\"one\", \"two\"]"));
    check_refused(
        two, {"p.a"}, ErrorCode::conflict,
        "processor 'two' of 'p.a': would make 'p.x', which fardel.toml:9: processor 'one' of 'p.a' makes as well");
    // An output can replace only the source from which it was made directly.
    const Project swap = project(copy("one", "outputs = [\"b.a\"]") + rule("a.a", "\"one\"") +
                                 copy("two", "outputs = [\"c.a\"]") + rule("b.a", "\"two\""));
    check_refused(swap, {"a.a", "b.a"}, ErrorCode::conflict, "would make 'b.a'");
}

TEST_CASE("job graph: an invalid output name is reported with its job") {
    const Project it = project(copy("bad", "outputs = [\"{stem}.\"]") + rule("*.a", "\"bad\""));
    check_refused(it, {"p.a"}, ErrorCode::malformed, "processor 'bad' of 'p.a'");
}

TEST_CASE("job graph: a job that discovers its outputs adds them and their jobs after it ran") {
    const Project it = project(copy("unpack", "") + rule("*.zip", "\"unpack\"") + kPngToKtx);
    JobGraph graph = plan_well(it, {"a.zip", "b.txt"});
    CHECK(show(graph) == "unpack: a.zip > ?\n");
    CHECK(graph.jobs()[JobIndex{0}].outputs.empty());
    const auto first = graph.add_outputs(JobIndex{}, {"x.png", "y.txt"});
    REQUIRE(first);
    CHECK(*first == JobIndex{1});
    REQUIRE(graph.jobs().size() == 2);
    CHECK(graph.jobs()[JobIndex{1}].waits_for == std::vector<JobIndex>{JobIndex{0}});
    CHECK(list(graph, graph.jobs()[JobIndex{0}].outputs) == "x.png y.txt");
    CHECK(left(graph) == "b.txt x.ktx y.txt");
    REQUIRE(graph.sort());
    CHECK(graph.order() == std::vector<JobIndex>{JobIndex{0}, JobIndex{1}});

    JobGraph other = plan_well(it, {"a.zip", "b.txt"});
    CHECK(code_of(other.add_outputs(JobIndex{}, {"b.txt"})) == ErrorCode::conflict);
}

TEST_CASE("job graph: jobs of discovered outputs have the same inputs, in whatever order they are discovered") {
    const Project it =
        project(copy("unpack", "") + rule("*.zip", "\"unpack\"") +
                copy("ktx", "outputs = [\"{stem}.ktx\"]\ninputs = [\"*.pal\"]") + rule("*.png", "\"ktx\""));
    const auto inputs_of = [&](std::initializer_list<std::uint32_t> discoverers) {
        JobGraph graph = plan_well(it, {"a.zip", "b.zip", "s.pal"});
        for (const std::uint32_t job : discoverers)
            REQUIRE(graph.add_outputs(JobIndex{job}, job == 0 ? std::vector<std::string>{"a.png", "a.pal"}
                                                              : std::vector<std::string>{"b.png", "b.pal"}));
        std::vector<std::string> inputs;
        for (const GraphJob& job : graph.jobs())
            if (!job.discovers_outputs)
                inputs.push_back(list(graph, job.sources) + " + " + list(graph, job.others));
        std::ranges::sort(inputs);
        return inputs;
    };
    const std::vector<std::string> wanted{"a.png + s.pal a.pal", "b.png + s.pal b.pal"};
    CHECK(inputs_of({0, 1}) == wanted);
    CHECK(inputs_of({1, 0}) == wanted);
}

// A128
TEST_CASE("job graph: diamonds of jobs, on one another, are planned in a time that grows with their number") {
    std::string tables = "[processor.two]\ncommand = [\"cp\", \"${in}\", \"${out:folder}\"]\nkeep_source = true\n" +
                         copy("last", "keep_source = true\noutputs = [\"{folder}{stem}.copy\"]") +
                         rule("last.txt", "\"last\"");
    const auto pair = [](const std::string& number) { return "[\"a" + number + ".txt\", \"b" + number + ".txt\"]"; };
    constexpr int kLayers = 400;
    for (int i = 1; i <= kLayers; ++i)
        tables += "[[job]]\nsources = " + pair(std::to_string(i - 1)) +
                  "\nprocess = \"two\"\noutputs = " + pair(std::to_string(i)) + "\n";
    tables += "[[job]]\nsources = " + pair(std::to_string(kLayers)) + "\nprocess = \"two\"\noutputs = [\"last.txt\"]\n";
    const auto start = std::chrono::steady_clock::now();
    const auto graph = JobGraph::plan(project(tables), names({"a0.txt", "b0.txt"}));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    REQUIRE(graph);
    CHECK(graph->jobs().size() == kLayers + 2);
}

TEST_CASE("job graph: jobs that do not wait are always in the order of planning") {
    const Project it =
        project(copy("one", "outputs = [\"{stem}.x\"]\ninputs = [\"late.y\"]") +
                copy("two", "outputs = [\"{stem}.y\"]") + rule("*.a", "\"one\"") + rule("*.b", "\"two\""));
    const std::initializer_list<std::string_view> sources = {"1.a", "2.b", "3.a", "late.b", "5.b"};
    const JobGraph graph = plan_well(it, sources);
    CHECK(graph.order() == std::vector<JobIndex>{JobIndex{1}, JobIndex{3}, JobIndex{0}, JobIndex{2}, JobIndex{4}});
    CHECK(plan_well(it, sources).order() == graph.order());
}

const std::string kModel =
    copy("model", "outputs = [\"{folder}{stem}.mesh\"]\nfollow_references = true") + rule("**/*.obj", "\"model\"");

TEST_CASE("job graph: sources that a job's sources reach are inputs of processors that follow references") {
    // The picture stays an input as it is in the sources, although its output has taken over the name.
    const Project it = project(kModel + copy("flat", "outputs = [\"{folder}{name}\"]") + rule("*.png", "\"flat\"") +
                               copy("plain", "outputs = [\"{stem}.txt\"]") + rule("*.obj", "\"plain\""));
    const ReachedSources reached{{FileIndex{0}, {FileIndex{1}, FileIndex{2}}}};
    const JobGraph graph = value_of(JobGraph::plan(it, names({"a.obj", "a.mtl", "a.png", "b.obj"}), reached));
    CHECK(show(graph) ==
          "model: a.obj + a.mtl a.png > a.mesh\nplain: a.obj > a.txt\nflat: a.png > a.png\nmodel: b.obj > b.mesh\n"
          "plain: b.obj > b.txt\n");
    CHECK(graph.jobs()[JobIndex{0}].waits_for.empty());
}

TEST_CASE("job graph: a file that is a source or an input of a job already does not become one again") {
    const Project it = project(copy("model", "follow_references = true\ninputs = [\"*.png\"]") +
                               copy("flat", "outputs = [\"{folder}{name}\"]") + rule("*.png", "\"flat\"") +
                               "[[job]]\nsources = [\"*.obj\"]\nprocess = \"model\"\noutputs = [\"all\"]\n");
    // Both objects reach each other, as in a circle.
    const ReachedSources reached{{FileIndex{0}, {FileIndex{1}, FileIndex{2}, FileIndex{3}}},
                                 {FileIndex{1}, {FileIndex{0}, FileIndex{3}}}};
    const JobGraph graph = value_of(JobGraph::plan(it, names({"a.obj", "b.obj", "c.png", "d.mtl"}), reached));
    CHECK(show(graph) == "flat: c.png > c.png\nmodel: a.obj b.obj + c.png d.mtl > all\n");
}

}  // namespace fardel::tests::job_graph_test
