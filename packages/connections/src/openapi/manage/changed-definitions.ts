import type { JsonSchema } from "@capstan/core";
import type { Direction, SharedDefs } from "../definition/directed-schema.ts";
import { type PreparedSchema, SharedSchemas } from "../definition/shared-schemas.ts";

/**
 * Adds to the schemas of changed and added operations the definitions that users must read. Each
 * definition is added once, so the result is at most as long as the documents, whatever the number
 * of operations that refer to it.
 */
export class ChangedDefinitions {
  readonly #from: SharedSchemas;
  readonly #to: SharedSchemas;
  readonly #compared = new Set<string>();
  readonly #added = new Set<string>();

  constructor(
    { from, to }: { readonly from: SharedDefs; readonly to: SharedDefs },
    direction: Direction,
  ) {
    this.#from = new SharedSchemas(from, direction);
    this.#to = new SharedSchemas(to, direction);
  }

  /**
   * Returns both schemas of a changed operation, with the definitions that differ. Works in steps of
   * one definition each, because the first operation can need all of them.
   */
  *ofChange(
    from: JsonSchema | undefined,
    to: JsonSchema | undefined,
  ): Generator<
    void,
    { readonly from: JsonSchema | undefined; readonly to: JsonSchema | undefined }
  > {
    const before = from && this.#from.prepare(from);
    const after = to && this.#to.prepare(to);
    const old = new Map<string, JsonSchema>();
    const current = new Map<string, JsonSchema>();
    const waiting = [...(before?.references ?? []), ...(after?.references ?? [])];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (this.#compared.has(name)) continue;
      this.#compared.add(name);
      const one = this.#from.definition(name);
      const other = this.#to.definition(name);
      waiting.push(...(one?.references ?? []), ...(other?.references ?? []));
      yield;
      if (isSame(one, other)) continue;
      if (one !== undefined) old.set(name, one.schema);
      if (other !== undefined) current.set(name, other.schema);
    }
    return { from: withDefinitions(before, old), to: withDefinitions(after, current) };
  }

  /** Returns the schema of an added operation, with its definitions, in steps like `ofChange`. */
  *ofAddition(schema: JsonSchema | undefined): Generator<void, JsonSchema | undefined> {
    const root = schema && this.#to.prepare(schema);
    const used = new Map<string, JsonSchema>();
    const waiting = [...(root?.references ?? [])];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (this.#added.has(name)) continue;
      this.#added.add(name);
      const definition = this.#to.definition(name);
      if (definition === undefined) continue;
      used.set(name, definition.schema);
      waiting.push(...definition.references);
      yield;
    }
    return withDefinitions(root, used);
  }
}

function isSame(one: PreparedSchema | undefined, other: PreparedSchema | undefined): boolean {
  return (
    one?.length === other?.length && JSON.stringify(one?.schema) === JSON.stringify(other?.schema)
  );
}

function withDefinitions(
  root: PreparedSchema | undefined,
  used: ReadonlyMap<string, JsonSchema>,
): JsonSchema | undefined {
  return root === undefined || used.size === 0
    ? root?.schema
    : { ...root.schema, $defs: Object.fromEntries(used) };
}
