import type { Context } from "hono";
import type { z } from "zod";
import { parseBody } from "./parse-body.ts";
import { badRequest, RequestError } from "./errors.ts";

/** A body can be read once, and a route may ask for it again. */
const bodies = new WeakMap<Request, Promise<unknown>>();

/** A request's JSON. An empty body is an empty object. */
export async function readJson({ req: { raw } }: Context): Promise<unknown> {
  const body = bodies.get(raw) ?? parseBody(raw);
  bodies.set(raw, body);
  try {
    return await body;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const message = `The body is not valid JSON: ${thrown.message}`;
    throw new RequestError({ code: "invalid_json", message });
  }
}

/** A request's JSON, checked; unknown fields are ignored. */
export async function readBody<S extends z.ZodType>(
  context: Context,
  schema: S,
): Promise<z.output<S>> {
  const result = schema.safeParse(await readJson(context));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const param = issue?.path.join(".") || "request";
  throw badRequest(param, `${param}: ${issue?.message ?? "is not valid"}`);
}

/** A whole number from the query, within bounds. */
export function readNumber(
  context: Context,
  name: string,
  {
    min,
    max = Number.MAX_SAFE_INTEGER,
    otherwise,
  }: { readonly min: number; readonly max?: number; readonly otherwise: number },
): number {
  const text = context.req.query(name);
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const expected = `expected a whole number from ${min} to ${max}`;
  throw badRequest(name, `${name}: ${expected}, got "${text.slice(0, 40)}".`);
}

/** One of some words from the query, or `undefined` if the query does not have it. */
export function readWord<const Word extends string>(
  context: Context,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = context.req.query(name);
  const word = words.find((known) => known === text);
  if (text === undefined || word !== undefined) return word;
  const expected = words.length === 2 ? words.join(" or ") : `one of ${words.join(", ")}`;
  throw badRequest(name, `${name}: expected ${expected}, got "${text.slice(0, 40)}".`);
}
