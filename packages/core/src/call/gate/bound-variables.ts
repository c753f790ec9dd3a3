// An approval covers the contents of the variables that a call reads in addition to its arguments.
// Their digests are stored with the call when it is proposed, and compared when it starts. The tool
// then reads the compared values, so no change can occur between the comparison and the read.
import { errorMessage, type ToolErrorData } from "../../base/errors.ts";
import type { ToolArgs } from "../../base/json.ts";
import { digest } from "../../json/json-value.ts";
import type { ShownVariable } from "../../text/visible-text.ts";
import type { Tool } from "../../tool/tool.ts";
import { readBack } from "../../variables/missing-variable.ts";
import type { Variable, VariableDigests, VariableValue } from "../../variables/variable.ts";
import type { VariableSystem } from "../../variables/variable-system.ts";

/** The variables that a call reads, or the error of the tool's `readsVariables`. */
export type ReadVariables =
  | {
      readonly status: "read";
      readonly found: ReadonlyMap<string, Variable>;
      /** The error for the first missing variable. */
      readonly missing?: ToolErrorData;
    }
  | { readonly status: "failed"; readonly error: ToolErrorData };

/**
 * The maximum characters that an approval request has of all variables together. Clients read the
 * rest with `readShownVariable` before a user can allow the call.
 */
const shownChars = 65_536;

/**
 * Reads the variables that a tool names in `readsVariables`. Returns a promise only if a value is not
 * in memory.
 */
export function readVariables(
  variables: VariableSystem,
  tool: Tool,
  args: ToolArgs,
): ReadVariables | Promise<ReadVariables> {
  let names: ReadonlySet<string>;
  try {
    names = new Set(tool.permission?.readsVariables?.(args));
  } catch (thrown) {
    const message = `${tool.definition.function.name} could not determine which variables it reads: ${errorMessage(thrown)}`;
    return { status: "failed", error: { code: "check_failed", message } };
  }
  const absent = [...names].filter((name) => !variables.hasValue(name));
  return absent.length === 0 || variables.source === undefined
    ? readPresent(variables, names)
    : Promise.all(absent.map((name) => readBack(variables, name))).then(() =>
        readPresent(variables, names),
      );
}

function readPresent(variables: VariableSystem, names: Iterable<string>): ReadVariables {
  const found = new Map<string, Variable>();
  let missing: ToolErrorData | undefined;
  for (const name of names) {
    const variable = variables.getVariable(name);
    if (variable === undefined) missing ??= variables.missingVariable(name);
    else found.set(name, variable);
  }
  return { status: "read", found, ...(missing !== undefined && { missing }) };
}

/** Stored values never change, so a digest stays valid as long as its value exists. */
const digests = new WeakMap<VariableValue, string>();

function digestOf({ value }: Variable): string {
  const known = digests.get(value) ?? digest(value);
  digests.set(value, known);
  return known;
}

/** Returns the digests of variables by their names. */
export function variableDigests(found: ReadonlyMap<string, Variable>): VariableDigests {
  return Object.fromEntries([...found].map(([name, variable]) => [name, digestOf(variable)]));
}

/** Returns an error that names the variables that changed since the approval, or `undefined` if none did. */
export function changedVariables(
  bound: VariableDigests,
  { found, missing }: Extract<ReadVariables, { readonly status: "read" }>,
): ToolErrorData | undefined {
  if (missing !== undefined) return missing;
  const changed = [...found].flatMap(([name, variable]) => {
    if (!Object.hasOwn(bound, name)) return [`${name} (not part of the approval)`];
    return bound[name] === digestOf(variable) ? [] : [name];
  });
  if (changed.length === 0) return undefined;
  const message = `Not run: these variables changed after the approval was requested: ${changed.join(", ")}. Call it again to request approval of the current contents.`;
  return { code: "variable_changed", message };
}

/** Returns the variables for an approval request, truncated to a limit for all of them together. */
export function shownVariables(found: ReadonlyMap<string, Variable>): readonly ShownVariable[] {
  let left = shownChars;
  return [...found].map(([name, variable]) => {
    const content = contentOf(variable.value);
    const text = content.slice(0, left).toWellFormed();
    left -= text.length;
    return { name, text, length: content.length, digest: digestOf(variable) };
  });
}

/**
 * Returns the whole content of a variable as an approval request shows it, or `undefined` if it is
 * no longer the one that the request covers.
 */
export function readShownVariable(
  variable: Variable,
  shown: Pick<ShownVariable, "digest">,
): string | undefined {
  return digestOf(variable) === shown.digest ? contentOf(variable.value) : undefined;
}

/** The parts of a value that a tool can read. */
function contentOf({ text, data }: VariableValue): string {
  if (data === undefined || data === text) return text;
  const json = JSON.stringify(data, null, 2);
  return text === json || text === JSON.stringify(data) ? text : `${text}\n\nAs data:\n${json}`;
}
