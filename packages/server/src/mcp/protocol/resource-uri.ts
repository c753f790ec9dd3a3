/** The address of a resource. */
export type ResourceAddress =
  | { readonly type: "variable"; readonly name: string }
  | { readonly type: "result"; readonly runId: string }
  | { readonly type: "file"; readonly id: string };

/** Returns the address of a variable. */
export function variableUri(name: string): string {
  return `capstan://variables/${encodeURIComponent(name)}`;
}

/** Returns the address of the full result of a call. */
export function resultUri(runId: string): string {
  return `capstan://results/${runId}`;
}

/** Returns the address of a file. */
export function fileUri(id: string): string {
  return `capstan://files/${id}`;
}

const form = /^capstan:\/\/(variables|results|files)\/([^/?#]{1,2000})$/;

/** Reads the address of a resource. Returns `undefined` if it has another form. */
export function parseResourceUri(uri: string): ResourceAddress | undefined {
  const [, kind, text = ""] = form.exec(uri) ?? [];
  const name = decoded(text);
  if (kind === undefined || name === undefined) return undefined;
  if (kind === "variables") return { type: "variable", name };
  if (!/^[\w-]+$/.test(name)) return undefined;
  return kind === "results" ? { type: "result", runId: name } : { type: "file", id: name };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
