import { answerWorker } from "@capstan/sandbox";
import { type RegexBudget, type RegexJob, runRegexJob } from "./regex-job.ts";

await answerWorker((input: { readonly job: RegexJob; readonly budget: RegexBudget }) =>
  runRegexJob(input.job, input.budget),
);
