export interface FailureFacts {
  /** The HTTP status, or the equivalent status of an error in the stream. */
  readonly status: number | undefined;
  /**
   * The provider's error codes and types in lower case, for example `insufficient_quota` or
   * `not_found_error`.
   */
  readonly codes: readonly string[];
  /** The provider's message, or the message of the thrown error if there is none. */
  readonly message: string;
  /** The system's error code of a failed connection, for example `ECONNREFUSED`. */
  readonly network: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/**
 * Collects the facts about an error from its fields, from its causes, and from the response body,
 * whose form differs between vendors.
 *
 * @param now milliseconds since the epoch, for a `Retry-After` that is a date
 */
export function failureFacts(thrown: unknown, now: number): FailureFacts {
  const layers = layersOf(thrown);
  const bodies = layers.flatMap((layer) => [
    ...bodiesOf(layer["responseBody"]),
    ...bodiesOf(layer["data"]),
  ]);
  const sources = [...bodies, ...layers];
  const headers = layers
    .map((layer) => recordOf(layer["responseHeaders"]))
    .find((entry) => entry !== undefined);
  return {
    status: first(layers, statusOf) ?? first(bodies, statusOf),
    codes: sources.flatMap(codesOf),
    message: first(sources, messageOf) ?? (typeof thrown === "string" ? thrown : ""),
    network: first(layers, networkCodeOf),
    retryAfterMs: retryAfterHeader(headers ?? {}, now) ?? first(bodies, retryDelayOf),
  };
}

type Fields = { readonly [key: string]: unknown };

/** Returns the error and its chain of causes. */
function layersOf(thrown: unknown): readonly Fields[] {
  const layers: Fields[] = [];
  let layer = recordOf(thrown);
  while (layer !== undefined && layers.length < 8) {
    layers.push(layer);
    layer = recordOf(layer["cause"]);
  }
  const last = layers.at(-1)?.["cause"];
  return typeof last === "string" ? [...layers, { message: last }] : layers;
}

/** Returns the objects in a response's body that describe the error, innermost first. */
function bodiesOf(body: unknown): readonly Fields[] {
  const value = typeof body === "string" ? (parsed(body) ?? plainText(body)) : body;
  const outer = recordOf(Array.isArray(value) ? value[0] : value);
  if (outer === undefined) return [];
  const error = outer["error"] ?? outer["detail"] ?? recordOf(outer["response"])?.["error"];
  const inner = recordOf(typeof error === "string" ? { message: error } : error);
  const details = inner?.["details"];
  const detailed = Array.isArray(details) ? details.map(recordOf) : [];
  return [inner, ...detailed, outer].filter((fields) => fields !== undefined);
}

function statusOf(fields: Fields): number | undefined {
  return [fields["statusCode"], fields["code"]]
    .map(Number)
    .find((status) => Number.isInteger(status) && status >= 400 && status <= 599);
}

function codesOf(fields: Fields): readonly string[] {
  return [fields["code"], fields["type"], fields["status"], fields["reason"]]
    .filter((code) => typeof code === "string")
    .map((code) => code.toLowerCase());
}

function messageOf(fields: Fields): string | undefined {
  return typeof fields["message"] === "string" && fields["message"] !== ""
    ? fields["message"]
    : undefined;
}

function networkCodeOf(fields: Fields): string | undefined {
  const { code } = fields;
  return typeof code === "string" &&
    /^(?:E[A-Z_]{3,}|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|.*_CERT(?:_.*)?)$/.test(code)
    ? code
    : undefined;
}

function retryAfterHeader(headers: Fields, now: number): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const text = headers["retry-after"];
  if (typeof text !== "string") return undefined;
  const wait = Number.isNaN(Number(text)) ? Date.parse(text) - now : Number(text) * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Returns the delay that Google sends in the body as `"retryDelay": "34s"`. */
function retryDelayOf(fields: Fields): number | undefined {
  const seconds =
    typeof fields["retryDelay"] === "string" ? Number.parseFloat(fields["retryDelay"]) : Number.NaN;
  return Number.isNaN(seconds) ? undefined : seconds * 1000;
}

function first<Found>(
  all: readonly Fields[],
  find: (fields: Fields) => Found | undefined,
): Found | undefined {
  for (const fields of all) {
    const found = find(fields);
    if (found !== undefined) return found;
  }
  return undefined;
}

function recordOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

/** Returns a plain text as a message. An HTML page has no useful message. */
function plainText(body: string): Fields | undefined {
  return body.trimStart().startsWith("<") ? undefined : { message: body };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
