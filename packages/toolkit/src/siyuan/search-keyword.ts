import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { shortType, typeName } from "./kernel/block-types.ts";
import { returnKernelErrors } from "./kernel/kernel-error.ts";
import { idParameter, searchReply } from "./kernel/replies.ts";
import { kernelErrors, reads, type SiyuanAccess } from "./siyuan-options.ts";

const methods = { words: 0, query: 1, regex: 3 } as const;

const parameters = z.object({
  keyword: z.string().trim().min(1).max(512),
  notebook: idParameter.optional(),
  method: z
    .enum(["words", "query", "regex"])
    .default("words")
    .describe("Words that all occur; the query syntax of SQLite's full-text search; or a pattern."),
  page: z.int().min(1).max(10_000).default(1),
  pageSize: z.int().min(1).max(100).default(24),
});

interface Hits {
  readonly blocks: readonly {
    readonly id: string;
    readonly type: string;
    readonly documentId: string;
    readonly hpath: string;
    readonly text: string;
  }[];
  readonly matchedBlocks: number;
  readonly matchedDocuments: number;
  readonly page: number;
  readonly pages: number;
}

/** `searchKeyword`: finds blocks by their content. */
export function searchKeyword({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "searchKeyword",
    description: "Searches the content of all blocks of SiYuan.",
    parameters,
    examples: [{ title: "Blocks that contain two words.", args: { keyword: "budget 2026" } }],
    errors: kernelErrors,
    ...reads,
    declaredReturnType: {
      type: "{blocks: {id, type, documentId, hpath, text}[], matchedBlocks, matchedDocuments, page, pages}",
    },
    formatForLLM: format,
    execute: ({ keyword, notebook, method, page, pageSize }, context) =>
      returnKernelErrors(async (): Promise<Hits> => {
        const found = await ask(context)(
          "/api/search/fullTextSearchBlock",
          {
            query: keyword,
            method: methods[method],
            page,
            pageSize,
            orderBy: method === "regex" ? 0 : 7,
            groupBy: 0,
            ...(notebook !== undefined && { paths: [notebook] }),
          },
          searchReply,
        );
        return {
          blocks: (found.blocks ?? []).map(({ id, type, rootID, hPath, content }) => ({
            id,
            type: shortType(type),
            documentId: rootID,
            hpath: hPath,
            text: excerpt(content),
          })),
          matchedBlocks: found.matchedBlockCount,
          matchedDocuments: found.matchedRootCount,
          page,
          pages: found.pageCount,
        };
      }),
  });
}

const shown = 300;

/** Returns the part of a block around its first match, without the highlighting of matches. */
function excerpt(content: string): string {
  const at = content.replaceAll("</mark>", "").indexOf("<mark>");
  const text = content
    .replaceAll(/<\/?mark>/g, "")
    .replaceAll(/\s+/g, " ")
    .toWellFormed();
  if (text.length <= shown) return text;
  const from = Math.max(0, Math.min(at - shown / 3, text.length - shown));
  return `${from > 0 ? "…" : ""}${text.slice(from, from + shown)}${from + shown < text.length ? "…" : ""}`.toWellFormed();
}

function format({ blocks, matchedBlocks, matchedDocuments, page, pages }: Hits): string {
  if (blocks.length === 0)
    return pages > 0 && page > pages ? `There are only ${pages} pages.` : "Nothing was found.";
  const lines = blocks.map(
    ({ id, type, hpath, text }) => `- ${hpath} (${typeName(type)} ${id})\n  ${text}`,
  );
  const more = page < pages ? ` More with page ${page + 1}.` : "";
  return `${matchedBlocks} blocks in ${matchedDocuments} documents, page ${page} of ${pages}.${more}\n${lines.join("\n")}`;
}
