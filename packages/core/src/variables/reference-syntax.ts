/** A part of a text: itself, or a reference by what stands between its braces. */
export type TextSegment =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reference"; readonly body: string }
  | { readonly type: "malformed"; readonly text: string };

const mark = "$VAR_REF";

export function mentionsReference(text: string): boolean {
  return text.includes(mark);
}

/**
 * Takes a text apart at its `$VAR_REF{{…}}`, in one pass. `\$VAR_REF` is literal and loses its
 * backslash; `$VAR_REF` without a brace after it is text.
 */
export function splitReferences(text: string): readonly TextSegment[] {
  const parts: TextSegment[] = [];
  let from = 0;
  const addText = (piece: string): void => {
    if (piece !== "") parts.push({ type: "text", text: piece });
  };
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, from)) {
    const end = at + mark.length;
    if (at > from && text[at - 1] === "\\") {
      addText(text.slice(from, at - 1) + mark);
      from = end;
    } else if (text.startsWith("{{", end)) {
      addText(text.slice(from, at));
      const close = text.indexOf("}}", end + 2);
      if (close < 0) return [...parts, { type: "malformed", text: text.slice(at, at + 80) }];
      parts.push({ type: "reference", body: text.slice(end + 2, close) });
      from = close + 2;
    } else if (text[end] === "{" || bracesFollow(text, end)) {
      return [...parts, { type: "malformed", text: text.slice(at, at + 80) }];
    } else {
      addText(text.slice(from, end));
      from = end;
    }
  }
  addText(text.slice(from));
  return parts;
}

/** `$VAR_REF {{name}}`: meant as a reference, and none. */
function bracesFollow(text: string, from: number): boolean {
  let at = from;
  while (text[at] === " ") at++;
  return text.startsWith("{{", at);
}

/** What a reference names: a variable, and which part of it. */
export interface ReferenceTarget {
  readonly name: string;
  readonly pointer?: string;
  readonly start?: number;
  readonly length?: number;
}

const slice = /^(.+?):(\d{1,15})(?::(\d{1,15}))?$/;

/**
 * Reads `name`, `name:start`, `name:start:length` or `name#/json/pointer`.
 *
 * @param exists whether there is a variable of a name; an exact name goes before all else
 */
export function referenceTarget(body: string, exists: (name: string) => boolean): ReferenceTarget {
  if (exists(body)) return { name: body };
  const trimmed = body.trim();
  const hash = trimmed.indexOf("#/");
  if (hash >= 0) return { name: trimmed.slice(0, hash), pointer: trimmed.slice(hash + 1) };
  const [, name, start, length] = slice.exec(trimmed) ?? [];
  if (name === undefined) return { name: trimmed };
  return {
    name,
    start: Number(start),
    ...(length === undefined ? {} : { length: Number(length) }),
  };
}
