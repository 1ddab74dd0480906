// The folder of running jobs, which several builds may hold.
#include "stages/job_scratch.h"

#include "kit/files.h"

namespace fardel::tests::job_scratch_test {

TEST_CASE("job scratch: what nobody holds is removed, and what somebody holds is left alone") {
    const ScratchFolder files;
    const std::string jobs = files.path("build/jobs");
    files.write("build/jobs/job-killed/in/file", "left by a build that was killed");
    auto first = value_of(JobScratch::open(files.path("build")));
    CHECK(first->path() == jobs);
    CHECK(std::filesystem::is_empty(jobs));

    files.write("build/jobs/job-first/in/file", "of a job that runs");
    {
        const auto second = value_of(JobScratch::open(files.path("build")));
        CHECK(second->path() == jobs);
    }
    CHECK(files.read("build/jobs/job-first/in/file") == "of a job that runs");
    first.reset();
    CHECK_FALSE(std::filesystem::exists(jobs));
}

}  // namespace fardel::tests::job_scratch_test
