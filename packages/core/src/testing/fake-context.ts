import { isWithAnnotations } from "../tool/return-value.ts";
import type { Tool, ToolGroup } from "../tool/tool.ts";
import type { DeniedResources, Progress, ToolContext } from "../tool/tool-context.ts";
import { readVariable } from "../variables/missing-variable.ts";
import { VariableSystem } from "../variables/variable-system.ts";

/** Returns a tool context for tests, and the progress that the tool reported. */
export function fakeContext(
  options: {
    readonly signal?: AbortSignal;
    readonly variables?: VariableSystem;
    readonly denied?: Partial<DeniedResources>;
  } = {},
): ToolContext & { readonly progress: Progress[] } {
  const progress: Progress[] = [];
  const variables = options.variables ?? new VariableSystem();
  return {
    callId: "call-1",
    toolId: "group.Tool",
    tool: undefined,
    signal: options.signal ?? new AbortController().signal,
    output: { write: () => {}, progress: (report) => progress.push(report), event: () => {} },
    variables,
    readVariable: (name) => readVariable(variables, name),
    principal: { id: "local" },
    request: {},
    files: [],
    denied: () => ({ paths: [], hosts: [], ...options.denied }),
    idempotencyKey: "run-1/call-1",
    callTool: () => Promise.reject(new Error("no sub-calls in this test")),
    progress,
  };
}

/** Returns a tool of a group by its name. Throws if there is none. */
export function toolOf(group: ToolGroup, name: string): Tool {
  const tool = group.tools.find(({ definition }) => definition.function.name === name);
  if (tool === undefined) throw new Error(`${group.name} has no tool ${name}`);
  return tool;
}

/** Runs a tool as the gate does after validation. */
export async function call<T>(
  tool: Tool,
  args: { readonly [name: string]: unknown },
  context: ToolContext = fakeContext(),
): Promise<T> {
  if (tool.execute === undefined) throw new Error("a client runs this tool");
  return (await tool.execute(args, context)) as T;
}

/** Runs a tool like `call`, and returns the text that the model would read. */
export async function callForText(
  tool: Tool,
  args: { readonly [name: string]: unknown },
  context: ToolContext = fakeContext(),
): Promise<string> {
  const returned = await call(tool, args, context);
  const data = isWithAnnotations(returned) ? returned.value : returned;
  if (tool.formatForLLM !== undefined) return tool.formatForLLM(data, args);
  return typeof data === "string" ? data : JSON.stringify(data);
}
