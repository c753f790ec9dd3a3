const maxDigits = 15;

/** What the name of a kept result, its alias or its arguments says. */
export interface ResultName {
  /** `{tool}_{n}` */
  readonly result: string;
  readonly tool: string;
  readonly n: number;
  readonly part: "result" | "args";
}

/** The `n` at a name's end, after its last `_`. */
export function resultNumber(name: string): number | undefined {
  let n = 0;
  let unit = 1;
  for (let at = name.length - 1; at > 0; at--) {
    const digit = name.charCodeAt(at) - 0x30;
    if (digit >= 0 && digit <= 9 && unit < 10 ** maxDigits) n += digit * unit;
    else return digit === underscore && unit > 1 ? n : undefined;
    unit *= 10;
  }
  return undefined;
}

const underscore = 0x5f - 0x30;

/**
 * Reads `ListFiles_3`, `ListFiles_3_result` or `ListFiles_3_args`.
 *
 * @example resultNameOf("ListFiles_3_args") // { result: "ListFiles_3", tool: "ListFiles", n: 3, part: "args" }
 */
export function resultNameOf(name: string): ResultName | undefined {
  const part = name.endsWith("_args") ? "args" : "result";
  const result =
    part === "args" || name.endsWith("_result") ? name.slice(0, name.lastIndexOf("_")) : name;
  const at = result.lastIndexOf("_");
  const digits = result.length - at - 1;
  if (at < 1 || digits < 1 || digits > maxDigits) return undefined;
  for (let i = at + 1; i < result.length; i++) {
    const code = result.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return undefined;
  }
  return { result, tool: result.slice(0, at), n: Number(result.slice(at + 1)), part };
}
