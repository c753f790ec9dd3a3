import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import { pointerPart } from "../json/json-pointer.ts";
import { describeType, isList, isObject, jsonTypes, typeOf } from "../json/json-value.ts";
import { readRelaxedJson } from "./relaxed-json.ts";
import { type SchemaAt, type SchemaView, schemaView } from "./schema-view.ts";

export interface CoercedArguments {
  readonly args: JsonObject;
  /** What was changed, in words. */
  readonly repairs: readonly string[];
}

/**
 * Brings invalid arguments into the form that the schema asks for, where that loses nothing:
 * a list or object that was written as text, `"5"` for a number, `"true"` for a boolean, a lone
 * value for a list, null for an optional that is left out. A value whose type is allowed is never
 * touched, so text stays text wherever text may be. The input is not changed.
 *
 * The outcome is not validated here, and need not be valid.
 *
 * Only for arguments that are not valid.
 *
 * @returns undefined where nothing could be repaired
 * @example coerceArguments({ ids: "[1, 2]" }, { properties: { ids: { type: "array" } } })
 * // { args: { ids: [1, 2] }, repairs: ["/ids: text to a list"] }
 */
export function coerceArguments(
  args: JsonObject,
  schema: JsonSchema,
): CoercedArguments | undefined {
  const repair = new Repair(schema);
  const repaired = repair.value(args, schema, "");
  return repaired === args
    ? undefined
    : { args: repaired as JsonObject, repairs: repair.repairs() };
}

/** Repairs that are put into words, one by one. */
const maxNoted = 20;

class Repair {
  readonly #repairs: string[] = [];
  #more = 0;
  readonly #view: SchemaView;

  constructor(schema: JsonSchema) {
    this.#view = schemaView(schema);
  }

  repairs(): readonly string[] {
    return this.#more === 0 ? this.#repairs : [...this.#repairs, `and ${this.#more} more`];
  }

  #note(repair: string): void {
    if (this.#repairs.length < maxNoted) this.#repairs.push(repair);
    else this.#more += 1;
  }

  /** The same value where there is nothing to repair in it. */
  value(value: JsonValue, at: SchemaAt, path: string): JsonValue {
    if ((this.#view.types(at) & typeOf(value)) !== 0) return this.#members(value, at, path);
    const restored = this.#restored(value, this.#view.types(at), at, path);
    if (restored === undefined) return value;
    this.#note(`${path}: ${describeType(value)} to ${describeType(restored)}`);
    return this.#members(restored, at, path);
  }

  /** The value in a type that is allowed; undefined if there is no lossless way. */
  #restored(value: JsonValue, types: number, at: SchemaAt, path: string): JsonValue | undefined {
    const read = typeof value === "string" ? readAs(value, types) : undefined;
    if (isList(read) || isObject(read)) return read;
    if ((types & jsonTypes.array) === 0) return read;
    // No list, or one with nothing in it?
    if (value === null) return undefined;
    if (typeof value === "string" && listMarks.test(value)) return undefined;
    const item = this.#view.child(at, 0, [value]);
    const itemTypes = this.#view.types(item);
    // `"5"` for a number or a list of texts may be either.
    if (read !== undefined) return (itemTypes & jsonTypes.string) === 0 ? read : undefined;
    // A lone value makes a list only if it may be in one, as it is or once repaired itself.
    const fits =
      (itemTypes & typeOf(value)) !== 0 ||
      this.#restored(value, itemTypes & ~jsonTypes.array, item, path) !== undefined;
    return fits ? [value] : undefined;
  }

  #members(value: JsonValue, at: SchemaAt, path: string): JsonValue {
    const member = (key: string | number, item: JsonValue): JsonValue =>
      this.value(item, this.#view.child(at, key, value), `${path}/${pointerPart(key)}`);
    if (isList(value)) {
      // Behind a tuple all items have one schema.
      const tuple = this.#view.tupleLength(at);
      const rest = value.length > tuple ? this.#view.child(at, tuple, value) : true;
      if (this.#isUnclear(value, rest)) return value;
      const items = value.map((item, index) =>
        index < tuple ? member(index, item) : this.value(item, rest, `${path}/${index}`),
      );
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    const repaired: (readonly [string, JsonValue])[] = [];
    for (const [key, item] of entries) {
      if (item === null && this.#isAbsent(value, key, at)) {
        this.#note(`${path}/${pointerPart(key)}: null left out`);
      } else repaired.push([key, member(key, item)]);
    }
    const isSame =
      repaired.length === entries.length &&
      repaired.every(([, item], index) => item === entries[index]?.[1]);
    return isSame ? value : Object.fromEntries(repaired);
  }

  /** Several values where each should be a list: they may be meant as one list, or as many. */
  #isUnclear(value: readonly JsonValue[], item: SchemaAt): boolean {
    return (
      value.length > 1 &&
      this.#view.types(item) === jsonTypes.array &&
      !value.some((one) => isList(one))
    );
  }

  /** Whether null can only mean that an optional property, which the schema names, is not given. */
  #isAbsent(object: JsonObject, key: string, at: SchemaAt): boolean {
    const property = this.#view.child(at, key, object);
    const types = this.#view.types(property);
    return (
      (types & jsonTypes.null) === 0 &&
      this.#view.keys(at).includes(key) &&
      !this.#view.requires(at, key, object)
    );
  }
}

/** What stands between the items of a list, or around it: such a text may be meant as several. */
const listMarks = /[,;|，、；\n\t[\](){}]/;

/** Text read as one of the types, if exactly that text is how the value is written. */
function readAs(text: string, types: number): JsonValue | undefined {
  if ((types & jsonTypes.boolean) !== 0 && /^(?:[Tt]rue|[Ff]alse)$/.test(text))
    return text.toLowerCase() === "true";
  const number = (types & jsonTypes.number) !== 0 ? Number(text) : Number.NaN;
  const isExact = String(number) === text || String(number) === withoutTrailingZeros(text);
  if (Number.isFinite(number) && isExact && (types & typeOf(number)) !== 0) return number;
  const first = text.trimStart()[0];
  const wanted = first === "[" ? jsonTypes.array : first === "{" ? jsonTypes.object : 0;
  if ((types & wanted) === 0) return undefined;
  const read = readRelaxedJson(text)?.value;
  return isList(read) || isObject(read) ? read : undefined;
}

/** `20.0` and `1.50` say what `20` and `1.5` do. `1.000` may be a thousand, as many countries write it. */
function withoutTrailingZeros(text: string): string {
  return /^-?\d+\.\d+$/.test(text) && !/^-?[1-9]\d{0,2}\.\d{3}$/.test(text)
    ? text.replace(/\.?0+$/, "")
    : text;
}
