import { defineTool, type Tool, type ToolContext, toolError } from "@capstan/core";
import { readsAttachmentsOnly } from "@capstan/core/host";
import { z } from "zod";
import { fileRoots, returnFileErrors } from "../files/file-roots.ts";
import { openPath } from "../files/open-path.ts";
import { readSample } from "../files/read-text.ts";
import { documentText, maxTextBytes } from "./document-text.ts";
import type { SearchOptions } from "./search-documents.ts";
import { textRange, type TextRange } from "./text-range.ts";

const parameters = z.object({
  documents: z
    .array(z.string().min(1))
    .min(1)
    .max(20)
    .describe(
      "Names or ids of attached files, ids of stored files, or paths relative to the root.",
    ),
  startPage: z.int().min(1).optional().describe("First page, if the document has pages."),
  endPage: z.int().min(1).optional().describe("Last page, inclusive."),
  startLine: z.int().min(1).optional().describe("First line of the text, from 1."),
  endLine: z.int().min(1).optional().describe("Last line, inclusive."),
});

type Args = z.infer<typeof parameters>;

interface ReadDocument extends TextRange {
  readonly document: string;
}

/** `ReadDocuments`: returns documents as Markdown, whole or in part. */
export function readDocuments(options: SearchOptions): Tool {
  return defineTool({
    name: "ReadDocuments",
    description:
      "Reads documents (PDF, Word, Excel, slides, e-books, web pages, text) as Markdown, whole or a range of pages or lines. Find the passage with SearchDocuments first.",
    parameters,
    effects: "read",
    permission: { executionPolicy: "auto" },
    compressArgs: ({ documents }: Partial<Args>) => (documents ?? []).join(", "),
    declaredReturnType: { type: "{document, text, lines, pages?, error?}[]" },
    examples: [
      {
        title: "Read the first lines of a document",
        args: { documents: ["contracts/lease.md"], startLine: 1, endLine: 20 },
      },
    ],
    errors: {
      invalid_range: "The last page or line is before the first.",
      unreadable_document: "None of the documents exists or has text.",
    },
    formatForLLM: format,
    execute: (args, context) => returnFileErrors(() => read(args, context, options)),
  });
}

async function read(args: Args, context: ToolContext, options: SearchOptions) {
  if (
    (args.endLine ?? Infinity) < (args.startLine ?? 1) ||
    (args.endPage ?? Infinity) < (args.startPage ?? 1)
  )
    return toolError({ code: "invalid_range", message: "The range ends before it begins." });
  const all: ReadDocument[] = [];
  for (const [index, name] of args.documents.entries()) {
    context.output.progress({
      message: `Reading ${name}`,
      done: index,
      total: args.documents.length,
    });
    all.push(await readOne(name, args, context, options));
  }
  if (all.every(({ error }) => error !== undefined))
    return toolError({
      code: "unreadable_document",
      message: all.map(({ document, error }) => `${document}: ${error}.`).join(" "),
    });
  return all;
}

async function readOne(
  name: string,
  args: Args,
  context: ToolContext,
  options: SearchOptions,
): Promise<ReadDocument> {
  const { signal } = context;
  const source = await sourceOf(name, context, options);
  if ("error" in source) return { document: name, text: "", lines: 0, error: source.error };
  const bytes = await source.read();
  const found = await documentText({ ...source, bytes, user: context.principal.id, signal });
  if (found.status === "failed")
    return { document: source.name, text: "", lines: 0, error: found.reason };
  return { document: source.name, ...(await textRange(found.text, args, signal)) };
}

interface Source {
  readonly name: string;
  readonly mimeType: string;
  readonly read: () => Promise<Uint8Array>;
}

async function sourceOf(
  name: string,
  { files, principal, denied, signal, tool }: ToolContext,
  options: SearchOptions,
): Promise<Source | { readonly error: string }> {
  const attached =
    files.find((file) => file.id === name) ?? files.findLast((file) => file.name === name);
  if (attached !== undefined) {
    const { name: shown, mimeType } = attached;
    return { name: shown, mimeType, read: async () => attached.read(signal) };
  }
  if (readsAttachmentsOnly(tool)) {
    const known = files.map((file) => JSON.stringify(file.name)).slice(0, 10);
    return { error: `here only attached files can be read: ${known.join(", ") || "none"}` };
  }
  if (/^file-[\w-]+$/.test(name)) {
    const stored = await options.stored()?.readFile({ owner: principal.id, id: name });
    return stored ?? { error: "the user has no such file" };
  }
  const roots = await fileRoots(options.files, denied());
  const opened = await returnFileErrors(() => openPath(roots, name));
  if (!("handle" in opened)) {
    const known = files.map((file) => JSON.stringify(file.name)).slice(0, 10);
    const hint = known.length === 0 ? "" : ` Attached are: ${known.join(", ")}`;
    return { error: `${opened.message.replace(/\.$/, "")}.${hint}`.replace(/\.$/, "") };
  }
  await using file = opened;
  if (!file.stats.isFile())
    return { error: "it is not a file; ListFiles shows the files of a folder" };
  const bytes = await readSample(file.handle, Math.min(file.stats.size, maxTextBytes * 2));
  return { name: file.shown, mimeType: "", read: async () => bytes };
}

function format(documents: readonly ReadDocument[]): string {
  return documents
    .map(({ document, text, lines, pages, error }) => {
      const size = pages === undefined ? `${lines} lines` : `${pages} pages, ${lines} lines`;
      return error === undefined
        ? `# ${document} (${size})\n\n${text}`
        : `# ${document}\n\n[Cannot be read: ${error}.]`;
    })
    .join("\n\n");
}
