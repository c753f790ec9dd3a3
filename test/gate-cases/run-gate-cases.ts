import { ToolExecutor, type ToolExecuteResult } from "@capstan/core";
import { caseTools } from "./case-tools.ts";
import type { GateCase, GateOutcome } from "./gate-case.ts";
import { argumentCases } from "./argument-cases.ts";
import { policyCases } from "./policy-cases.ts";
import { runningCases } from "./running-cases.ts";

export const gateCases: readonly GateCase[] = [...argumentCases, ...policyCases, ...runningCases];

/** Runs each case through a new gate, and returns the outcomes in the table's order. */
export function runGateCases(): Promise<readonly GateOutcome[]> {
  return Promise.all(gateCases.map(runCase));
}

async function runCase(gateCase: GateCase): Promise<GateOutcome> {
  const { tool, args = {}, before = [], answer, review, rules, limits } = gateCase;
  const ran: unknown[] = [];
  let asked = 0;
  const executor: ToolExecutor = new ToolExecutor({
    // Returns the result of a linear-time engine for the only pattern of the cases that needs one.
    patternEngine: (source) => (source === "^(a+)+$" ? (text) => /^a+$/.test(text) : undefined),
    ...(rules !== undefined && { rules }),
    ...(limits !== undefined && { limits }),
    ...(answer !== undefined && {
      approvals: {
        request: () => {
          asked += 1;
          return answer;
        },
        ...(review !== undefined && { review: () => review }),
      },
    }),
  });
  const tools = caseTools((given) => {
    ran.push(given);
    if (gateCase.cancelled) queueMicrotask(() => executor.cancelAll());
  });
  executor.registerToolGroup({ name: "cases", tools });
  executor.registerToolGroup({
    name: "dormant",
    tools: tools.slice(0, 1).map((one) => ({
      ...one,
      definition: { ...one.definition, function: { ...one.definition.function, name: "Sleeps" } },
    })),
  });
  executor.toggleGroupEnabled("cases", true);
  for (const call of before) await executor.execute(call.tool, call.args ?? {});
  return outcomeOf(await executor.execute(tool, args), ran, asked);
}

function outcomeOf(result: ToolExecuteResult, ran: readonly unknown[], asked: number): GateOutcome {
  if (result.status === "pending") return { status: "pending", text: "", ran, asked };
  return {
    status: result.status,
    text: result.finalText,
    ran,
    asked,
    ...(result.status === "success" ? { data: result.data } : { code: result.error.code }),
  };
}
