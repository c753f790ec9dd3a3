import { inTime } from "../in-time.ts";
import { readExecutions } from "../executions.ts";
import { type McpSession, startMcpSession } from "../mcp-client.ts";
import type { Proof } from "../proof.ts";

/** Calls at the same time, each of a client of its own. */
const atOnce = 10;

/** The shortest duration of a call, in ms. Its client gives it up earlier. */
const shortestMs = 600;

export const clientTimeouts: Proof = {
  name: "client-timeouts",
  title: "clients abandon calls over MCP, and repeat them at once with the same arguments",
  test: "a call over MCP that its client gives up and repeats runs once, and the repeat gets its result",
  on: ["SQLite"],
  times: 500,
  quickly: 20,
  async run({ place, random, times, progress }) {
    await place.startAll();
    const [node = 0] = place.nodes;
    const { url } = place.api(node);
    // Earlier proofs of the same place have called the tool, too.
    const before = await countBegun(place.executions);
    for (let done = 0; done < times;) {
      const count = Math.min(atOnce, times - done);
      const first = done;
      const calls = Array.from({ length: count }, async (_, index) => {
        const session = await startMcpSession(url);
        // Different arguments for all calls.
        const args = { ms: shortestMs + first + index };
        await giveUp(session, args, random.between(0, shortestMs / 2));
        const text = await inTime(session.call("Count", args), "The repeat of a call");
        if (!text.includes("is done")) throw new Error(`A repeat got: ${text.slice(0, 500)}`);
      });
      await Promise.all(calls);
      done += count;
      const begun = (await countBegun(place.executions)) - before;
      if (begun !== done)
        throw new Error(`${done} calls, each given up and repeated, ran ${begun} times.`);
      progress(done);
    }
  },
};

async function countBegun(executions: string): Promise<number> {
  const all = await readExecutions(executions);
  return all.filter(({ step, tool }) => step === "begun" && tool === "Count").length;
}

/** Calls a tool, and closes the connection before the call can have ended. */
async function giveUp(session: McpSession, args: object, afterMs: number): Promise<void> {
  const signal = AbortSignal.timeout(afterMs);
  const text = await session.call("Count", args, signal).catch(() => undefined);
  if (text !== undefined) throw new Error(`A call ended before its client gave it up: ${text}`);
}
