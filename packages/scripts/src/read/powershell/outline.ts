/** `[Name(arguments)]`, or a type `[name]`, which has none. */
export interface OutlineAttribute {
  readonly name: string;
  readonly arguments?: string;
}

export interface OutlineParameter {
  /** Without `$`. */
  readonly name: string;
  readonly start: number;
  readonly attributes: readonly OutlineAttribute[];
  /** The expression, as written. */
  readonly default?: string;
}

export interface OutlineFunction {
  readonly name: string;
  /** Of the word `function`. */
  readonly start: number;
  /** Of its `{` and `}`. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** Of its `param` block. */
  readonly attributes: readonly OutlineAttribute[];
  readonly parameters: readonly OutlineParameter[];
}

export interface OutlineComment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * What of a PowerShell file makes tools: its comments, and the functions at its top. All places are
 * in UTF-16 units from its start.
 */
export interface Outline {
  readonly comments: readonly OutlineComment[];
  readonly functions: readonly OutlineFunction[];
  /** What is never closed, and where it was opened. */
  readonly unclosed: readonly { readonly what: string; readonly at: number }[];
}

/** `script:Get-It` → `Get-It` */
export function withoutScope(name: string): string {
  return name.replace(/^(?:global|script|local|private):/i, "");
}

/** The name of a type or an attribute, without white space. */
export function typeName(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
