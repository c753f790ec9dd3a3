import { answerJobs } from "../../text/answer-jobs.ts";
import { outcomeOfEdit, runHere } from "./edit-job.ts";
import type { EditJob } from "./edit-job.ts";

answerJobs((job: EditJob) => outcomeOfEdit(() => runHere(job)));
