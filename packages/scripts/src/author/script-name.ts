import type { TemplateKind } from "./script-templates.ts";

/** A valid name of a new script, or the problem of a name. */
export type ScriptName =
  | { readonly status: "named"; readonly stem: string; readonly kind: TemplateKind }
  | { readonly status: "refused"; readonly message: string };

/**
 * Parses a script's file name; without an extension the kind is `py`.
 *
 * @returns the parts of the name, or a message if the name is invalid
 * @example readScriptName("weather.ps1") // { status: "named", stem: "weather", kind: "ps1" }
 */
export function readScriptName(name: string): ScriptName {
  const match = /^([a-zA-Z0-9][a-zA-Z0-9_-]*)(?:\.(py|ps1|ts))?$/.exec(name);
  const [, stem, kind = "py"] = match ?? [];
  if (stem !== undefined && stem.length <= 40)
    return { status: "named", stem, kind: kind as TemplateKind };
  const message = `"${name}" is not a valid name for a script: expected up to 40 letters, digits, - and _, with .py, .ps1 or .ts, such as weather.py.`;
  return { status: "refused", message };
}
