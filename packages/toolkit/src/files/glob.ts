import { compileRegex } from "../text/linear-regex.ts";

export type Glob =
  | { readonly status: "compiled"; readonly matches: (path: string) => boolean }
  | { readonly status: "invalid"; readonly message: string };

/**
 * Compiles a glob: `*` and `?` within a name, `**` across folders, `[abc]`, `{a,b}`. One without
 * a `/` matches names in any folder; others match from the folder that is searched. Matching is
 * linear in the path.
 *
 * @example glob("src/**\/*.{ts,tsx}")
 */
export function compileGlob(glob: string): Glob {
  const anchored = glob.replace(/^\.?\//, "");
  const translated = translate(anchored.includes("/") ? anchored : `**/${anchored}`);
  if (translated === undefined)
    return { status: "invalid", message: `The glob "${glob}" opens a { that it does not close.` };
  const compiled = compileRegex(translated, { dotAll: true });
  if (compiled.status === "invalid") {
    return { status: "invalid", message: `The glob "${glob}" cannot be read. Simplify it.` };
  }
  const { regex } = compiled;
  return { status: "compiled", matches: (path) => regex.matches(path) };
}

const piece = /\*\*\/|\/\*\*$|\*+|\?|\[(?:!|\^)?\]?[^\]/]*\]|\\.|[\s\S]/gu;

/** Returns `undefined` if a brace is never closed. */
function translate(glob: string): string | undefined {
  let pattern = "";
  let braces = 0;
  for (const [part] of glob.matchAll(piece)) {
    if (part === "**/") pattern += "(?:[^/]+/)*";
    else if (part === "/**") pattern += "(?:/.*)?";
    else if (part.startsWith("*")) pattern += "[^/]*";
    else if (part === "?") pattern += "[^/]";
    else if (part.length > 1 && part.startsWith("[")) pattern += characterClass(part);
    else if (part === "{") {
      braces++;
      pattern += "(?:";
    } else if (part === "}" && braces > 0) {
      braces--;
      pattern += ")";
    } else if (part === "," && braces > 0) pattern += "|";
    else pattern += quote(part.length > 1 && part.startsWith("\\") ? part.slice(1) : part);
  }
  return braces > 0 ? undefined : pattern;
}

function characterClass(part: string): string {
  const negated = part[1] === "!" || part[1] === "^";
  const inner = part.slice(negated ? 2 : 1, -1).replaceAll(/[\\[\]^&]/g, String.raw`\$&`);
  return negated ? `[^/${inner}]` : `[${inner}]`;
}

function quote(character: string): string {
  return character.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
