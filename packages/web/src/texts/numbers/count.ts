import { language, locale } from "./locale.ts";

/** Formats a number with the separators of the page's language, for example `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString(locale());
}

/** The forms of a noun, by plural category. Languages without plurals have only `other`. */
export type PluralForms = { readonly [category in Intl.LDMLPluralRule]?: string } & {
  readonly other: string;
};

/**
 * Returns a count and the form of its noun in the page's language.
 *
 * @example plural(3, { one: "call", other: "calls" }) // "3 calls"
 */
export function plural(count: number, forms: PluralForms): string {
  const category = new Intl.PluralRules(language()).select(count);
  return `${formatCount(count)} ${forms[category] ?? forms.other}`;
}

/** @example formatBytes(2048) // "2.0 KB" */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${formatDecimal(bytes / 1000)} KB`;
  return `${formatDecimal(bytes / 1_000_000)} MB`;
}

/** Formats a number with one decimal. @example formatDecimal(2) // "2.0" */
export function formatDecimal(value: number): string {
  return value.toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/**
 * Formats a cost in the currency of the prices, which the page does not know.
 *
 * @example formatCost(12.345) // "12.35"; formatCost(0.00421) // "0.0042"; formatCost(0) // "0"
 */
export function formatCost(cost: number): string {
  if (cost === 0) return "0";
  if (cost >= 1)
    return cost.toLocaleString(locale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  if (cost < 0.000_001)
    return `< ${(0.000_001).toLocaleString(locale(), { maximumFractionDigits: 6 })}`;
  return cost.toLocaleString(locale(), { maximumSignificantDigits: 2 });
}

/** @example formatShort(1234) // "1.2K"; formatShort(950) // "950" */
export function formatShort(count: number): string {
  return count.toLocaleString(locale(), { notation: "compact", maximumFractionDigits: 1 });
}

/** @example formatList(["a", "b", "c"]) // "a, b, and c" */
export function formatList(names: readonly string[]): string {
  return new Intl.ListFormat(locale(), { type: "conjunction" }).format(names);
}

/** @example formatChoices(["a", "b"]) // "a or b" */
export function formatChoices(names: readonly string[]): string {
  return new Intl.ListFormat(locale(), { type: "disjunction" }).format(names);
}
