import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import { pointerPart } from "../json/json-pointer.ts";
import { describeType, isList, isObject, jsonTypes, typeOf } from "../json/json-value.ts";
import { readRelaxedJson } from "./relaxed-json.ts";
import { type SchemaAt, type SchemaView, schemaView } from "./schema-view.ts";

/** Arguments after a repair of their types. */
export interface CoercedArguments {
  readonly args: JsonObject;
  /** Descriptions of the changes. */
  readonly repairs: readonly string[];
}

/**
 * Converts invalid arguments to the form that the schema requires, if no information is lost: a
 * list or object that was written as text, `"5"` for a number, `"true"` for a boolean, a single
 * value for a list, null for an omitted optional. A value of an allowed type never changes, so text
 * remains text wherever text is allowed. Does not modify its input.
 *
 * Call it only for invalid arguments. The returned arguments are not validated, and can still be
 * invalid.
 *
 * @returns undefined if nothing could be repaired
 * @example
 * coerceArguments({ ids: "[1, 2]" }, { properties: { ids: { type: "array" } } })
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

/** The number of repairs that are described individually. */
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

  /** Returns the same value if it needs no repair. */
  value(value: JsonValue, at: SchemaAt, path: string): JsonValue {
    if ((this.#view.types(at) & typeOf(value)) !== 0) return this.#members(value, at, path);
    const restored = this.#restored(value, this.#view.types(at), at, path);
    if (restored === undefined) return value;
    this.#note(`${path}: ${describeType(value)} to ${describeType(restored)}`);
    return this.#members(restored, at, path);
  }

  /** Returns the value in an allowed type, or undefined if there is no lossless conversion. */
  #restored(value: JsonValue, types: number, at: SchemaAt, path: string): JsonValue | undefined {
    const read = typeof value === "string" ? readAs(value, types) : undefined;
    if (isList(read) || isObject(read)) return read;
    if ((types & jsonTypes.array) === 0) return read;
    // Null may mean no list, or a list without items.
    if (value === null) return undefined;
    if (typeof value === "string" && listMarks.test(value)) return undefined;
    const item = this.#view.child(at, 0, [value]);
    const itemTypes = this.#view.types(item);
    // `"5"` for a number or a list of texts is ambiguous.
    if (read !== undefined) return (itemTypes & jsonTypes.string) === 0 ? read : undefined;
    // A single value becomes a list only if the list can contain the value or its repaired form.
    const fits =
      (itemTypes & typeOf(value)) !== 0 ||
      this.#restored(value, itemTypes & ~jsonTypes.array, item, path) !== undefined;
    return fits ? [value] : undefined;
  }

  #members(value: JsonValue, at: SchemaAt, path: string): JsonValue {
    const member = (key: string | number, item: JsonValue): JsonValue =>
      this.value(item, this.#view.child(at, key, value), `${path}/${pointerPart(key)}`);
    if (isList(value)) {
      // All items after a tuple have one schema.
      const tuple = this.#view.tupleLength(at);
      const rest = value.length > tuple ? this.#view.child(at, tuple, value) : true;
      if (this.#isAmbiguous(value, rest)) return value;
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
        this.#note(`${path}/${pointerPart(key)}: null removed`);
      } else repaired.push([key, member(key, item)]);
    }
    const isSame =
      repaired.length === entries.length &&
      repaired.every(([, item], index) => item === entries[index]?.[1]);
    return isSame ? value : Object.fromEntries(repaired);
  }

  /**
   * Whether several values are ambiguous. Each should be a list, but the model may have meant one
   * list or many.
   */
  #isAmbiguous(value: readonly JsonValue[], item: SchemaAt): boolean {
    return value.length > 1 && this.#isLevelShort(value, item);
  }

  /** Whether a list and all its items lack one level of nesting that the schema requires. */
  #isLevelShort(value: readonly JsonValue[], item: SchemaAt): boolean {
    const types = this.#view.types(item);
    if ((types & jsonTypes.array) === 0) return false;
    // Other types, such as null, can be allowed next to lists.
    if (!value.some((one) => isList(one)))
      return types === jsonTypes.array || value.some((one) => becomesList(one, types));
    return value.every(
      (one) => isList(one) && this.#isLevelShort(one, this.#view.child(item, 0, one)),
    );
  }

  /** Whether null can only mean that a known optional property is omitted. */
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

/** Whether a value has no allowed type, and is not the text of one. */
function becomesList(value: JsonValue, types: number): boolean {
  if ((types & typeOf(value)) !== 0) return false;
  return typeof value !== "string" || readAs(value, types) === undefined;
}

/**
 * Characters that separate or enclose the items of a list. A text that contains one may be meant as
 * several items.
 */
const listMarks = /[,;|，、；\n\t[\](){}]/;

/** Converts text to a value of one of the types, if it is exactly the text of that value. */
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

/**
 * `20.0` and `1.50` equal `20` and `1.5`. `1.000` may mean a thousand, as many countries write it.
 */
function withoutTrailingZeros(text: string): string {
  return /^-?\d+\.\d+$/.test(text) && !/^-?[1-9]\d{0,2}\.\d{3}$/.test(text)
    ? text.replace(/\.?0+$/, "")
    : text;
}
