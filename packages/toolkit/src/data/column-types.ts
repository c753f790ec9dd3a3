/** The type of a column in SQLite, or the type of the values that its texts contain. */
export type ColumnType = "integer" | "real" | "text" | "date" | "json" | "empty";

/** A value that SQLite stores. */
export type Cell = string | number | null;

const integer = /^[-+]?(?:0|[1-9]\d{0,14})$/;
const real = /^[-+]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:e[-+]?\d{1,3})?$/i;
const commaReal = /^[-+]?(?:0|[1-9]\d*),\d+$/;
const date = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Returns the type of the texts of a column. Numbers with leading zeros are texts, because they are
 * codes. Integers with more than 15 digits are texts, too, because numbers cannot hold them
 * exactly.
 *
 * @param hasCommaDecimals whether `1,5` is a number, as in files with semicolons
 */
export function typeOfTexts(texts: readonly string[], hasCommaDecimals: boolean): ColumnType {
  const filled = texts.filter((text) => text !== "");
  if (filled.length === 0) return "empty";
  if (filled.every((text) => integer.test(text))) return "integer";
  if (filled.every((text) => isReal(text, hasCommaDecimals))) return "real";
  return filled.every((text) => date.test(text)) ? "date" : "text";
}

function isReal(text: string, hasCommaDecimals: boolean): boolean {
  if (hasCommaDecimals && commaReal.test(text)) return true;
  // Long integers would lose digits.
  return real.test(text) && /\d/.test(text) && (/[.e]/i.test(text) || integer.test(text));
}

/** Returns the stored value of a text in a column of the type. */
export function cellOfText(text: string, type: ColumnType): Cell {
  if (text === "") return null;
  if (type === "integer") return Number(text);
  return type === "real" ? Number(text.replace(",", ".")) : text;
}

/** Returns the type of the values of a column. */
export function typeOfValues(values: readonly unknown[]): ColumnType {
  const filled = values.filter((value) => value !== null && value !== undefined);
  if (filled.length === 0) return "empty";
  if (filled.every((value) => typeof value === "boolean" || Number.isSafeInteger(value)))
    return "integer";
  if (filled.every((value) => typeof value === "number")) return "real";
  if (filled.every((value) => value instanceof Date || typeof value === "string"))
    return filled.every((value) => value instanceof Date || date.test(value)) ? "date" : "text";
  return filled.some((value) => typeof value === "object") ? "json" : "text";
}

/** Returns the stored form of a value: booleans are 0 and 1, objects are JSON. */
export function cellOfValue(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" || typeof value === "string") return value;
  if (value instanceof Date) return dateText(value);
  return JSON.stringify(value);
}

function dateText(value: Date): string | null {
  if (Number.isNaN(value.getTime())) return null;
  // Sheets store times as fractions of a day, which are not exact.
  const iso = new Date(Math.round(value.getTime() / 1_000) * 1_000).toISOString();
  return iso.replace(/T00:00:00\.000Z$/, "").replace(/\.000Z$/, "");
}
