import { runToolChain, ToolExecutor, ToolOutputChannel } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { caseTools } from "./case-tools.ts";
import { type ChannelCase, channelCases, type ChannelOutcome } from "./channel-cases.ts";

/** Runs the table, each case in a chain of its own. */
export function runChannelCases(): Promise<readonly ChannelOutcome[]> {
  return Promise.all(channelCases.map(runCase));
}

async function runCase({ order, calls }: ChannelCase): Promise<ChannelOutcome> {
  const executor = new ToolExecutor();
  executor.registerToolGroup({ name: "cases", tools: caseTools(() => undefined) });
  executor.toggleGroupEnabled("cases", true);
  const script = calls.map(({ tool, args }) => ({ name: tool, args }));
  const channel = new ToolOutputChannel({ order });
  const run = runToolChain({
    executor,
    model: new ScriptedModel([{ calls: script }, "Heard."]),
    contextMessages: [{ role: "user", content: "Speak." }],
    onEvent: (event) => channel.push(event),
  });
  let heard = "";
  for await (const event of channel.read()) {
    if (event.type === "output.text") heard += event.text;
  }
  const { status } = await run.result;
  return { status, heard };
}
