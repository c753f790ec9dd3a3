/**
 * The treatment of a field of a request: `effect`, the server acts on it; `passed`, the provider gets
 * it; `ignored`, the header `Capstan-Ignored` of the response names it; `rejected`, the request is an
 * error.
 */
export type FieldTreatment = "effect" | "passed" | "ignored" | "rejected";

/** The treatment of each field of a request's body. */
export type FieldTreatments = { readonly [name: string]: FieldTreatment };

/**
 * Returns the names of the fields of a body that have no effect. Omits fields whose value is empty,
 * null, false or a default.
 *
 * @param treatments the treatment of each field; other fields have no effect
 * @param defaults values that state the server's default behaviour, by field
 */
export function ignoredFields(
  body: { readonly [name: string]: unknown },
  treatments: FieldTreatments,
  defaults: { readonly [name: string]: readonly unknown[] } = {},
): readonly string[] {
  return Object.keys(body).filter((name) => {
    const treatment = Object.hasOwn(treatments, name) ? treatments[name] : undefined;
    const value = body[name];
    const same = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    return (
      (treatment ?? "ignored") === "ignored" && !isEmpty(value) && same?.includes(value) !== true
    );
  });
}

function isEmpty(value: unknown): boolean {
  return value == null || value === false || (Array.isArray(value) && value.length === 0);
}

/**
 * Adds a header that names the ignored parts of a request. Omits names that a header cannot contain.
 */
export function withIgnored(response: Response, ignored: readonly string[]): Response {
  const names = [...new Set(ignored)].filter((name) => /^[\w.[\]-]{1,64}$/.test(name)).toSorted();
  if (names.length > 0) response.headers.set("Capstan-Ignored", names.slice(0, 32).join(", "));
  return response;
}
