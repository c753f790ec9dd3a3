import { answerJobs } from "./answer-jobs.ts";
import { type RegexBudget, type RegexJob, runRegexJob } from "./regex-job.ts";

answerJobs((input: { readonly job: RegexJob; readonly budget: RegexBudget }) =>
  runRegexJob(input.job, input.budget),
);
