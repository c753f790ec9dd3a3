import { parentPort, workerData } from "node:worker_threads";

/** A worker's whole program: turns its input into its one answer. */
export async function answerWorker<Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
): Promise<void> {
  parentPort?.postMessage(await work(workerData as Input));
}
