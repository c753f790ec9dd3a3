import { createHash } from "node:crypto";
import type { JsonObject } from "@capstan/core";

/** The tools that the API defines and a client runs. */
export type BuiltInType = "local_shell" | "shell" | "apply_patch" | "tool_search";

/** How the API shows a client's tool. The model is offered every such tool as a function. */
export type ToolForm = (
  | {
      readonly type: "function" | "custom";
      /** The client's name for the tool. */
      readonly name: string;
      readonly namespace?: string;
    }
  | {
      readonly type: BuiltInType;
      /** The environment of a `shell`, as the request declared it. */
      readonly environment?: JsonObject;
    }
) & {
  /** Calls are checked before the client sees them. */
  readonly checked?: true;
  /** An item of the input declared the tool, so later responses offer it, too. */
  readonly loaded?: true;
};

/** The forms of a request's tools, by their names for the model. Plain functions are absent. */
export type ToolForms = { readonly [modelName: string]: ToolForm };

const longestName = 64;

/**
 * Returns the name under which a model is offered a tool. The namespace `functions` is the default
 * one, so its tools keep their names.
 */
export function modelName({
  namespace,
  name,
}: {
  readonly namespace?: string | null | undefined;
  readonly name: string;
}): string {
  if (namespace == null || namespace === "" || namespace === "functions") return name;
  const full = `${namespace}__${name}`;
  if (full.length <= longestName) return full;
  const digest = createHash("sha256").update(full).digest("hex").slice(0, 8);
  return `${full.slice(0, longestName - digest.length - 1)}_${digest}`;
}

/** Returns the form of a tool, which is a plain function if no other form is known. */
export function formOf(forms: ToolForms, name: string): ToolForm {
  return (Object.hasOwn(forms, name) ? forms[name] : undefined) ?? { type: "function", name };
}

/** Returns the forms of custom tools. */
export function customForms(names: readonly string[]): ToolForms {
  return Object.fromEntries(names.map((name) => [name, { type: "custom", name }]));
}
