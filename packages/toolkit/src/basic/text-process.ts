import { answerJobs } from "../text/answer-jobs.ts";
import { interfacesOf } from "./interfaces-of.ts";
import type { LongTextJob } from "./run-text-job.ts";
import { runTextOperation } from "./run-text-operation.ts";
import { outcomeOf } from "./text-problem.ts";

answerJobs((job: LongTextJob) =>
  outcomeOf(() =>
    job.type === "interfaces" ? interfacesOf(job.json, job.name) : runTextOperation(job.args),
  ),
);
