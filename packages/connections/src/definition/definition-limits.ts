/** The maximum length of a definition as JSON, in characters. */
const largestDefinition = 256 * 1024;
/** The maximum length of all definitions of a server as JSON, in characters. */
const largestDefinitions = 4 * 1024 * 1024;
/** The maximum depth of nested objects and lists in a definition. */
const mostLevels = 500;
/** The maximum number of patterns in a definition. Compiling one needs at most 0.1 ms. */
const mostPatterns = 200;
/** The maximum number of patterns in all definitions of a server. */
const mostPatternsOfServer = 5_000;

/** Checks the definitions of a server one after the other. */
export interface DefinitionLimits {
  /** Returns why a definition cannot be used, or undefined. */
  readonly problemOf: (definition: object) => string | undefined;
}

/** Limits the length of definitions and the number of their patterns, for one list of a server. */
export function definitionLimits(): DefinitionLimits {
  let [charsLeft, patternsLeft] = [largestDefinitions, mostPatternsOfServer];
  return {
    problemOf(definition) {
      const size = measure(definition);
      if (size === "too_long")
        return `its definition has more than ${largestDefinition} characters.`;
      if (size === "too_deep") return `its definition is nested deeper than ${mostLevels} levels.`;
      const { chars, patterns } = size;
      if (patterns > mostPatterns)
        return `its definition has ${patterns} patterns, and at most ${mostPatterns} are supported.`;
      if (chars > charsLeft)
        return `the definitions of the server have more than ${largestDefinitions} characters.`;
      if (patterns > patternsLeft)
        return `the definitions of the server have more than ${mostPatternsOfServer} patterns.`;
      charsLeft -= chars;
      patternsLeft -= patterns;
      return undefined;
    },
  };
}

/** Measures a definition without making its JSON. */
function measure(
  definition: object,
): { readonly chars: number; readonly patterns: number } | "too_long" | "too_deep" {
  let [chars, patterns] = [0, 0];
  let parents = [definition];
  for (let depth = 0; parents.length > 0; depth++) {
    if (depth > mostLevels) return "too_deep";
    const next: object[] = [];
    for (const parent of parents)
      for (const [key, member] of Object.entries(parent) as [string, unknown][]) {
        chars += (Array.isArray(parent) ? 1 : key.length + 4) + lengthOf(member);
        if (chars > largestDefinition) return "too_long";
        if (typeof member === "object" && member !== null) next.push(member);
        if (key === "pattern" && typeof member === "string") patterns += 1;
        if (key === "patternProperties") patterns += Object.keys(member ?? {}).length;
      }
    parents = next;
  }
  return { chars, patterns };
}

/** Returns the approximate length of a value as JSON, without its members. */
function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length + 2 : 4;
}
