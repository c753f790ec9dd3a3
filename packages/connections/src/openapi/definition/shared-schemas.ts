import type { JsonSchema } from "@capstan/core";
import { visibleTexts } from "../../definition/visible-texts.ts";
import { type Direction, directedSchema, type SharedDefs } from "./directed-schema.ts";

/** A schema without invisible characters, and the names of the definitions that it refers to. */
export interface PreparedSchema {
  readonly schema: JsonSchema;
  readonly references: readonly string[];
  /** The length of its JSON. */
  readonly length: number;
}

/**
 * Adds to schemas the definitions that they refer to. A definition is copied once, and all schemas
 * share the copy: otherwise the work for a document grows with its operations times its
 * definitions.
 */
export class SharedSchemas {
  readonly #defs: SharedDefs;
  readonly #direction: Direction;
  readonly #prepared = new Map<string, PreparedSchema>();

  constructor(defs: SharedDefs, direction: Direction) {
    this.#defs = defs;
    this.#direction = direction;
  }

  /** Returns a copy of a schema without the definitions that it refers to. */
  prepare(schema: JsonSchema): PreparedSchema {
    const directed = directedSchema(schema, this.#defs, this.#direction);
    const visible = visibleTexts(directed.schema) as JsonSchema;
    const { length } = JSON.stringify(visible);
    return { schema: visible, references: directed.references, length };
  }

  /** Returns a definition, or `undefined` if the document has none with this name. */
  definition(name: string): PreparedSchema | undefined {
    let prepared = this.#prepared.get(name);
    const def = Object.hasOwn(this.#defs, name) ? this.#defs[name] : undefined;
    if (prepared === undefined && def !== undefined) {
      prepared = this.prepare(def);
      this.#prepared.set(name, prepared);
    }
    return prepared;
  }

  /** Returns a schema with all definitions that it refers to, directly or through others. */
  selfContained(schema: JsonSchema): JsonSchema {
    const root = this.prepare(schema);
    const used = new Map<string, JsonSchema>();
    const waiting = [...root.references];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const def = used.has(name) ? undefined : this.definition(name);
      if (def === undefined) continue;
      used.set(name, def.schema);
      waiting.push(...def.references);
    }
    return withDefinitions(root.schema, used);
  }

  /**
   * Returns a self-contained schema that is short enough for a model. Definitions that are far from the root
   * are replaced with an empty schema; arguments are still checked with the whole schema.
   *
   * @param longest in characters of JSON. The root itself is not shortened
   */
  short(schema: JsonSchema, longest: number): JsonSchema {
    const root = this.prepare(schema);
    const shown = new Map<string, JsonSchema>();
    let size = root.length;
    let level = root.references;
    while (level.length > 0) {
      const next: string[] = [];
      for (const name of level) {
        const def = shown.has(name) ? undefined : this.definition(name);
        if (def === undefined) continue;
        const added = def.length + name.length + 5;
        if (size + added > longest)
          shown.set(name, { description: `${name}: not shown here, because it is large.` });
        else {
          size += added;
          shown.set(name, def.schema);
          next.push(...def.references);
        }
      }
      level = next;
    }
    return withDefinitions(root.schema, shown);
  }
}

function withDefinitions(root: JsonSchema, used: ReadonlyMap<string, JsonSchema>): JsonSchema {
  return used.size === 0 ? root : { ...root, $defs: Object.fromEntries([...used].sort(byName)) };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
