import { isObject } from "../../http/errors.ts";
import { modelName } from "./tool-form.ts";

/** An output of a tool that the API defines, as the client sent it. */
type Output =
  | { readonly type: "local_shell_call_output"; readonly output: string }
  | { readonly type: "shell_call_output"; readonly output: readonly object[] }
  | {
      readonly type: "apply_patch_call_output";
      readonly status: string;
      readonly output?: string;
    }
  | { readonly type: "tool_search_output"; readonly tools: readonly unknown[] };

/** Returns an output of a tool that the API defines as text for the model. */
export function outputText(item: Output): string {
  switch (item.type) {
    case "local_shell_call_output":
      return item.output;
    case "shell_call_output":
      return JSON.stringify(item.output);
    case "apply_patch_call_output":
      return item.output === undefined ? item.status : `${item.status}: ${item.output}`;
    case "tool_search_output": {
      const found = item.tools.flatMap((tool) => lines(tool));
      if (found.length === 0) return "No tools were found.";
      return `These tools can be called now:\n${found.join("\n")}`;
    }
  }
}

function lines(tool: unknown, namespace?: string): readonly string[] {
  if (!isObject(tool) || typeof tool["name"] !== "string") return [];
  const { name, description, tools } = tool;
  if (Array.isArray(tools)) return tools.flatMap((each) => lines(each, name));
  const about = typeof description === "string" ? `: ${description}` : "";
  return [`- ${modelName({ namespace, name })}${about}`];
}
