import type { RegisteredTool } from "../tool/registry.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolArgs } from "../base/json.ts";
import type { RuledCall } from "./rule.ts";

/** A call as rules see it. Its arguments are brought into form when a rule first looks at them. */
export function ruledCall(registered: RegisteredTool, args: ToolArgs): RuledCall {
  return new CallOfTool(registered, args);
}

class CallOfTool implements RuledCall {
  readonly toolId: string;
  readonly #tool: Tool;
  readonly #given: ToolArgs;
  #canonical: ToolArgs | undefined;

  constructor({ id, tool }: RegisteredTool, given: ToolArgs) {
    this.toolId = id;
    this.#tool = tool;
    this.#given = given;
  }

  get args(): ToolArgs {
    return (this.#canonical ??= canonicalArguments(this.#tool, this.#given));
  }
}

/** Arguments in the one way to write them; as they are where the tool cannot tell. */
export function canonicalArguments({ permission }: Tool, args: ToolArgs): ToolArgs {
  try {
    return permission?.canonicalArguments?.(args) ?? args;
  } catch {
    return args;
  }
}
