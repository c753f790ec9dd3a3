import type { JsonSchema } from "../base/json.ts";

/** What a model is told of a tool: OpenAI's function spec. */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of an object; absent means no arguments. */
    readonly parameters?: JsonSchema;
    readonly strict?: boolean;
  };
}
