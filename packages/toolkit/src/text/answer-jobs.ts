// Entry modules of processes import this file, so it must not import other packages of Capstan.

/** The outcome of a job that was started. */
export type JobOutcome<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "failed"; readonly message: string };

/** Runs the jobs that a warm process receives, one after another. */
export function answerJobs(work: (input: never) => unknown): void {
  process.on("message", ({ input }: { readonly input: unknown }) => {
    void answer(work, input).then((outcome) => process.send?.(outcome));
  });
}

async function answer(
  work: (input: never) => unknown,
  input: unknown,
): Promise<JobOutcome<unknown>> {
  try {
    return { status: "done", value: await work(input as never) };
  } catch (error) {
    return { status: "failed", message: error instanceof Error ? error.message : "it failed" };
  }
}
