const keptResult = /^(.+)_(\d+)$/;

/** What the name of a kept result, its alias or its arguments says. */
export interface ResultName {
  /** `{tool}_{n}` */
  readonly result: string;
  readonly tool: string;
  readonly n: number;
  readonly part: "result" | "args";
}

/**
 * Reads `ListFiles_3`, `ListFiles_3_result` or `ListFiles_3_args`.
 *
 * @example resultNameOf("ListFiles_3_args") // { result: "ListFiles_3", tool: "ListFiles", n: 3, part: "args" }
 */
export function resultNameOf(name: string): ResultName | undefined {
  const part = name.endsWith("_args") ? "args" : "result";
  const result =
    name.endsWith("_args") || name.endsWith("_result")
      ? name.slice(0, name.lastIndexOf("_"))
      : name;
  const [, tool, digits] = keptResult.exec(result) ?? [];
  if (tool === undefined) return undefined;
  const n = Number(digits);
  return Number.isSafeInteger(n) ? { result, tool, n, part } : undefined;
}
