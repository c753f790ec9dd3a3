import { ToolExecutor, type ToolGroup } from "@capstan/core";

/** Returns a function that calls a group's tools through the gate. Each call is approved at once. */
export function callerOf(group: ToolGroup): (name: string, args: object) => Promise<void> {
  const executor = new ToolExecutor({ approvals: { request: () => ({ decision: "allow" }) } });
  executor.registerToolGroup(group);
  executor.toggleGroupEnabled(group.name, true);
  return async (name, args) => {
    const result = await executor.execute(name, JSON.stringify(args));
    if (result.status !== "success") throw new Error(`${name} failed: ${JSON.stringify(result)}`);
  };
}

/** Returns the milliseconds of each repetition of the work, after one that is not measured. */
export async function timesOf(
  repetitions: number,
  work: (repetition: number) => Promise<void>,
): Promise<readonly number[]> {
  await work(0);
  const times: number[] = [];
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    const started = performance.now();
    await work(repetition);
    times.push(performance.now() - started);
  }
  return times;
}
