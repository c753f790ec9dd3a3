import type { JsonObject } from "@capstan/core";
import { z } from "zod";

type FilterValue = string | number | boolean;

/** A condition on the attributes of files, in the form of OpenAI's API. */
export type AttributeFilter =
  | {
      readonly type: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin";
      readonly key: string;
      readonly value: FilterValue | readonly FilterValue[];
    }
  | { readonly type: "and" | "or"; readonly filters: readonly AttributeFilter[] };

const single = z.union([z.string().max(512), z.number(), z.boolean()]);
const name = z.string().min(1).max(64);

/** The maximum depth of a filter. */
const maxDepth = 8;

function filterOf(depth: number): z.ZodType<AttributeFilter> {
  const compares = [
    z.object({ type: z.enum(["eq", "ne"]), key: name, value: single }),
    z.object({
      type: z.enum(["gt", "gte", "lt", "lte"]),
      key: name,
      value: z.union([z.number(), z.string().max(512)]),
    }),
    z.object({ type: z.enum(["in", "nin"]), key: name, value: z.array(single).max(1_000) }),
  ] as const;
  if (depth === 0) return z.discriminatedUnion("type", [...compares]);
  const nested = z.lazy(() => filterOf(depth - 1));
  return z.discriminatedUnion("type", [
    ...compares,
    z.object({ type: z.enum(["and", "or"]), filters: z.array(nested).min(1).max(100) }),
  ]);
}

/** The form of a filter. */
export const attributeFilter = filterOf(maxDepth);

/** Returns whether attributes meet a condition. An absent attribute meets only `ne` and `nin`. */
export function matchesFilter(filter: AttributeFilter, attributes: JsonObject): boolean {
  if (filter.type === "and") return filter.filters.every((each) => matchesFilter(each, attributes));
  if (filter.type === "or") return filter.filters.some((each) => matchesFilter(each, attributes));
  const { type, key, value } = filter as Extract<AttributeFilter, { readonly key: string }>;
  const given = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  switch (type) {
    case "eq":
      return given === value;
    case "ne":
      return given !== value;
    case "in":
      return Array.isArray(value) && value.includes(given);
    case "nin":
      return Array.isArray(value) && !value.includes(given);
    default:
      return compares(type, given, value);
  }
}

function compares(type: "gt" | "gte" | "lt" | "lte", given: unknown, value: unknown): boolean {
  const isComparable =
    (typeof given === "number" && typeof value === "number") ||
    (typeof given === "string" && typeof value === "string");
  if (!isComparable) return false;
  const [a, b] = [given as number, value as number];
  if (type === "gt") return a > b;
  if (type === "gte") return a >= b;
  return type === "lt" ? a < b : a <= b;
}
