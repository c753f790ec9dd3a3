import type { Context } from "hono";
import type { z } from "zod";
import { parseBody } from "./parse-body.ts";
import { RequestError } from "./request-error.ts";

/** A body can be read once, and a route may ask for it again. */
const bodies = new WeakMap<Request, Promise<unknown>>();

function bodyOf(request: Request): Promise<unknown> {
  const known = bodies.get(request) ?? parseBody(request);
  bodies.set(request, known);
  return known;
}

/** A request's JSON. An empty body is an empty object. */
export async function readJson(context: Context): Promise<unknown> {
  try {
    return await bodyOf(context.req.raw);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const why = thrown.message;
    throw new RequestError({
      status: 400,
      type: "invalid_request_error",
      code: "invalid_json",
      param: "request",
      message: `The body is not valid JSON: ${why}`,
    });
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
  throw new RequestError({
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param,
    message: `${param}: ${issue?.message ?? "is not valid"}`,
  });
}

/** A whole number from the query, within bounds. */
export function readNumber(
  context: Context,
  name: string,
  {
    min,
    max,
    otherwise,
  }: { readonly min: number; readonly max: number; readonly otherwise: number },
): number {
  const text = context.req.query(name);
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RequestError({
    status: 400,
    type: "invalid_request_error",
    code: "invalid_value",
    param: name,
    message: `${name}: expected a whole number from ${min} to ${max}, got "${text.slice(0, 40)}".`,
  });
}
