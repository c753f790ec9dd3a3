import type { Random } from "../breaking/random.ts";

const texts = [
  "",
  " ",
  "\0",
  "\u0001\u001b[2J",
  "\ud800",
  "\u202e\u2066",
  "\u{e0041}\u200b",
  "😀".repeat(50),
  "é\u0301",
  "__proto__",
  "constructor",
  "toString",
  "../../../etc/passwd",
  "..\\..",
  "%00",
  "' OR 1=1 --",
  "$VAR_REF{{kept}}",
  "$VAR_REF{{",
  "<script>alert(1)</script>",
  "null",
  "NaN",
  "1e999",
  "-1",
  "0",
  "9007199254740993",
  "x".repeat(10_000),
  "capstan://groups/vars",
  "data:image/png;base64,AAAA",
  "http://127.0.0.1:1/",
  "file:///etc/passwd",
];

const others: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  -0,
  2 ** 53,
  [],
  {},
  [[]],
  [null],
  { toString: 1 },
  { valueOf: null },
];

/** A text that programs sometimes handle wrongly. */
export function anyText(random: Random): string {
  return random.pick(texts);
}

function anyValue(random: Random): unknown {
  if (random.chance(60)) return anyText(random);
  if (random.chance(90)) return random.pick(others);
  return nested(random.between(10, 2_000), random.chance(50));
}

function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
  return value;
}

/** A copy of a JSON value in which some parts are replaced. */
export function mutate(random: Random, value: unknown): unknown {
  if (random.chance(8)) return anyValue(random);
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item) => mutate(random, item));
    if (random.chance(10)) items.push(...items, anyValue(random));
    return items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (random.chance(4)) return [];
    return [[random.chance(2) ? anyText(random) : key, mutate(random, item)]];
  });
  if (random.chance(15)) entries.push([random.pick(fields), anyValue(random)]);
  return Object.fromEntries(entries);
}

/** Fields of the API that the cases do not contain. */
const fields = [
  "approvals",
  "arguments",
  "background",
  "conversation",
  "covers",
  "expiresAt",
  "include",
  "input",
  "max_output_tokens",
  "max_tool_calls",
  "model",
  "parallel_tool_calls",
  "previous_response_id",
  "reasoning",
  "scope",
  "store",
  "stream",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "truncation",
  "when",
];

/** A copy of a JSON value in which one part is replaced, so that no other part is rejected first. */
export function mutateOne(random: Random, value: unknown): unknown {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (keys.length === 0 || random.chance(10)) return anyValue(random);
  const key = random.pick(keys);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as {
    [name: string]: unknown;
  };
  copy[key] = mutateOne(random, copy[key]);
  return copy;
}
