const marker = Symbol.for("capstan.with-text");

/** What a tool may return instead of `data` where it knows only while it runs how the model should read it. */
export interface WithText {
  readonly [marker]: true;
  readonly value: unknown;
  readonly text: string;
}

/**
 * Data, and the text that the model reads of it; it goes before `formatForLLM`.
 *
 * @example return withText({ celsius: 21 }, "21 °C in Bergen");
 */
export function withText(value: unknown, text: string): WithText {
  return { [marker]: true, value, text };
}

export function isWithText(value: unknown): value is WithText {
  return typeof value === "object" && value !== null && marker in value;
}
