import { parentPort, workerData } from "node:worker_threads";

/** Runs the work of a worker thread on its input, and posts the result. */
export async function answerWorker(work: (input: never) => unknown): Promise<void> {
  const answer = await work(workerData as never);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
  parentPort?.postMessage(answer);
}
