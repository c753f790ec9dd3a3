import type { Check, Compile, Errors } from "typebox/schema";
import { CapstanError } from "../base/errors.ts";

/** The library's functions that check values against schemas. */
interface SchemaChecks {
  readonly Check: typeof Check;
  readonly Compile: typeof Compile;
  readonly Errors: typeof Errors;
}

let checks: SchemaChecks | undefined;

/**
 * Loads the library that checks values against schemas, in about 0.1 s, unless it is already
 * loaded. Calls and chains load it before they begin. A host awaits this function before it checks
 * values itself, with `prepareArguments` or a validator of `compileSchema`.
 *
 * @returns undefined if the library is loaded already
 */
export function loadSchemaChecks(): Promise<void> | undefined {
  if (checks !== undefined) return undefined;
  return import("typebox/schema").then((library) => {
    checks = library;
  });
}

/** @throws CapstanError `schema_checks_not_loaded` */
export function schemaChecks(): SchemaChecks {
  if (checks !== undefined) return checks;
  throw new CapstanError({
    code: "schema_checks_not_loaded",
    message:
      "No value can be checked against a schema yet. Await loadSchemaChecks() of @capstan/core/host first.",
  });
}
