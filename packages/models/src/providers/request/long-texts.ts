import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";

/*
 * The providers' packages build the body of a request as one string, in one turn of the event loop.
 * Images and long histories would block it for hundreds of milliseconds. Therefore the packages get
 * placeholders for long texts, and `fetchLongTexts` replaces the placeholders in small steps.
 */

/** Shorter prompts are sent without placeholders. In characters. */
const shortPrompt = 262_144;

/** Shorter texts stay in the prompt. In characters. */
const shortText = 512;

/**
 * The characters before a placeholder that stay, because packages detect the type of an image by
 * its first bytes.
 */
const headLength = 64;

/** The characters that are escaped and encoded in one step. */
const pieceLength = 262_144;

/** How long a body is built before it yields to the event loop, in ms. */
const turnMs = 8;

/** The long texts of requests that are not sent yet, keyed by placeholder. */
const textsOf = new Map<string, readonly string[]>();

type CallOptions = Omit<LanguageModelV4CallOptions, "abortSignal">;

/**
 * Replaces the long texts of a prompt with placeholders.
 *
 * @returns the options for the provider's package, and a function that releases the texts
 */
export function withoutLongTexts(options: CallOptions): {
  readonly options: CallOptions;
  readonly forget: () => void;
} {
  const id = crypto.randomUUID();
  const texts: string[] = [];
  let length = 0;
  const prompt = mapTexts(options.prompt, (text) => {
    length += text.length;
    if (text.length <= shortText) return text;
    // Keep the whitespace at both ends in the prompt, because packages trim texts.
    const end = text.trimEnd().length;
    const from = endOfPiece(text, text.length - text.trimStart().length + headLength);
    if (end - from <= shortText) return text;
    texts.push(text.slice(from, end));
    return `${text.slice(0, from)}${placeholder(id)}${texts.length - 1}"${text.slice(end)}`;
  });
  if (length <= shortPrompt || texts.length === 0) return { options, forget: () => {} };
  textsOf.set(id, texts);
  return { options: { ...options, prompt }, forget: () => void textsOf.delete(id) };
}

const placeholder = (id: string) => `capstan-${id}-`;

/** Returns a `fetch` that replaces the placeholders of `withoutLongTexts` with their texts. */
export function fetchLongTexts(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    if (typeof init?.body !== "string") return fetch(input, init);
    return fetch(input, { ...init, body: await wholeBody(init.body, init.signal ?? undefined) });
  };
}

/** Returns a body in which the placeholders of `withoutLongTexts` are replaced with their texts. */
export async function wholeBody(
  body: string,
  signal: AbortSignal | undefined,
): Promise<string | Blob> {
  if (textsOf.size === 0) return body;
  const [, id = ""] = /capstan-([\da-f-]{36})-\d+\\/.exec(body) ?? [];
  const texts = textsOf.get(id);
  return texts === undefined ? body : filled(signal, body, { id, texts });
}

async function filled(
  signal: AbortSignal | undefined,
  body: string,
  { id, texts }: { readonly id: string; readonly texts: readonly string[] },
): Promise<Blob> {
  const pieces: Blob[] = [];
  let began = performance.now();
  for (const piece of piecesOf(body, id, texts)) {
    pieces.push(new Blob([piece]));
    if (performance.now() - began <= turnMs) continue;
    await nextTurn();
    signal?.throwIfAborted();
    began = performance.now();
  }
  return new Blob(pieces);
}

/** Yields to the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function* piecesOf(body: string, id: string, texts: readonly string[]): Generator<string> {
  let ready = "";
  let from = 0;
  // The quotation mark of a placeholder shows how often its surrounding text is escaped: once in a
  // string of the body, twice in JSON within such a string.
  for (const found of body.matchAll(new RegExp(`${placeholder(id)}(\\d+)(\\\\+)"`, "g"))) {
    const [whole, index, { length: backslashes } = ""] = found;
    const text = texts[Number(index)] ?? "";
    ready += body.slice(from, found.index);
    from = found.index + whole.length;
    for (let at = 0; at < text.length;) {
      const to = endOfPiece(text, at + pieceLength);
      ready += escaped(text.slice(at, to), Math.log2(backslashes + 1));
      at = to;
      if (ready.length < pieceLength) continue;
      yield ready;
      ready = "";
    }
  }
  yield ready + body.slice(from);
}

function escaped(text: string, times: number): string {
  let result = text;
  for (let n = 0; n < times; n++) result = JSON.stringify(result).slice(1, -1);
  return result;
}

/** Returns an end that does not split a surrogate pair, because JSON escapes lone surrogates. */
function endOfPiece(text: string, at: number): number {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at + 1 : at;
}

/** Returns a prompt with changed texts and Base64 data. */
function mapTexts(
  prompt: LanguageModelV4Prompt,
  change: (text: string) => string,
): LanguageModelV4Prompt {
  return prompt.map((message) => {
    if (message.role === "system") return { ...message, content: change(message.content) };
    const content = message.content.map((part) => {
      if (part.type === "text") return { ...part, text: change(part.text) };
      if (part.type === "file") return changedFile(part, change);
      if (part.type !== "tool-result") return part;
      const { output } = part;
      if (output.type === "text" || output.type === "error-text")
        return { ...part, output: { ...output, value: change(output.value) } };
      if (output.type !== "content") return part;
      const value = output.value.map((inside) => {
        if (inside.type === "text") return { ...inside, text: change(inside.text) };
        return inside.type === "file" ? changedFile(inside, change) : inside;
      });
      return { ...part, output: { ...output, value } };
    });
    return { ...message, content } as typeof message;
  });
}

function changedFile<F extends { readonly data: object }>(
  file: F,
  change: (text: string) => string,
): F {
  const { data } = file;
  if (!("data" in data) || typeof data.data !== "string") return file;
  return { ...file, data: { ...data, data: change(data.data) } };
}
