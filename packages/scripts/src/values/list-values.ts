import type { ScriptValueView } from "@capstan/contract";
import type { ScriptApprovalBook } from "../approve/script-approvals.ts";
import type { DeclaredPermissions } from "../definition/script-function.ts";
import type { ToolLibrary } from "../library/tool-library.ts";
import type { ScriptValues } from "./script-values.ts";

/**
 * Returns the stored values, and those that scripts declare as `secrets`, with the source of each.
 * No view contains a value. For scripts that were read from a cache, uses the permissions of their
 * approval.
 */
export function listValues(options: {
  readonly values: Pick<ScriptValues, "list">;
  readonly library: Pick<ToolLibrary, "files">;
  readonly approvals: Pick<ScriptApprovalBook, "list">;
  /** The names in the configuration. */
  readonly configured: readonly string[];
  /** The server's environment variables. */
  readonly variables: { readonly [name: string]: string | undefined };
  /** Returns the path of a file for display. */
  readonly nameOf: (path: string) => string;
}): readonly ScriptValueView[] {
  const { values, library, approvals, configured, variables, nameOf } = options;
  const stored = new Map(values.list().map((value) => [value.name, value]));
  const approved = approvals.list();
  const declared = new Map<string, string[]>();
  for (const { path, script } of library.files)
    for (const name of secretsOf(script?.declared ?? approved.get(path)?.permissions))
      declared.set(name, [...(declared.get(name) ?? []), nameOf(path)]);
  const names = [...new Set([...stored.keys(), ...declared.keys()])].sort();
  return names.map((name): ScriptValueView => {
    const kept = stored.get(name);
    const fallback = configured.includes(name)
      ? "configuration"
      : variables[name] === undefined
        ? "none"
        : "server";
    return {
      object: "script_value",
      name,
      source: kept === undefined ? fallback : kept.isReadable ? "stored" : "unreadable",
      set_at: kept === undefined ? null : Math.floor(kept.setAt / 1000),
      scripts: declared.get(name) ?? [],
    };
  });
}

function secretsOf(declared: DeclaredPermissions | undefined): readonly string[] {
  if (declared === undefined) return [];
  const all = [declared.file, ...Object.values(declared.functions)];
  return [...new Set(all.flatMap(({ secrets = [] }) => secrets))];
}
