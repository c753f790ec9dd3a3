import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { refused, returnKernelErrors } from "./kernel/kernel-error.ts";
import { sqlLike, sqlText } from "./kernel/read-statement.ts";
import { idParameter, rowsReply } from "./kernel/replies.ts";
import { kernelErrors, reads, type SiyuanAccess } from "./siyuan-options.ts";

const pageSize = 50;

const parameters = z.object({
  name: z.string().min(1).max(512).optional().describe("The title, or a part of it."),
  hpath: z.string().min(1).max(2000).optional().describe("The path of titles: /Projects/Plan."),
  notebook: idParameter.optional(),
  match: z.enum(["=", "like"]).default("like").describe("The whole text, or a part of it."),
  page: z.int().min(1).max(1000).default(1),
});

interface Documents {
  readonly documents: readonly {
    readonly id: string;
    readonly title: string;
    readonly hpath: string;
    readonly notebook: string;
  }[];
  readonly page: number;
  /** Whether there is another page. */
  readonly more: boolean;
}

/** `searchDocument`: finds documents by their title or their path. */
export function searchDocument({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "searchDocument",
    description: "Finds documents of SiYuan by title or by path of titles, not by content.",
    parameters,
    examples: [{ title: "Documents with a word in their title.", args: { name: "plan" } }],
    errors: { ...kernelErrors, invalid_arguments: "give name or hpath" },
    ...reads,
    declaredReturnType: { type: "{documents: {id, title, hpath, notebook}[], page, more}" },
    formatForLLM: ({ documents, page, more }: Documents) =>
      documents.length === 0
        ? "There is no such document."
        : [
            ...documents.map(
              ({ id, hpath, notebook }) => `- ${hpath} (${id}, notebook ${notebook})`,
            ),
            ...(more ? [`More with page ${page + 1}.`] : []),
          ].join("\n"),
    execute: ({ name, hpath, notebook, match, page }, context) =>
      returnKernelErrors(async (): Promise<Documents> => {
        if ((name === undefined) === (hpath === undefined))
          throw refused("invalid_arguments", "Give name or hpath, and not both.");
        const [column, text] = name === undefined ? ["hpath", hpath ?? ""] : ["content", name];
        const condition =
          match === "="
            ? `${column} = ${sqlText(text)}`
            : `${column} LIKE ${sqlLike(text)} ESCAPE '\\'`;
        const box = notebook === undefined ? "" : ` AND box = ${sqlText(notebook)}`;
        const offset = (page - 1) * pageSize;
        const stmt = `SELECT id, content, hpath, box FROM blocks WHERE type = 'd' AND ${condition}${box} ORDER BY length(content), hpath, id LIMIT ${pageSize + 1} OFFSET ${offset}`;
        const found =
          (await ask(context)("/api/query/sql", { stmt, mode: "readonly" }, rowsReply)) ?? [];
        const documents = found.slice(0, pageSize).map((row) => ({
          id: String(row["id"]),
          title: String(row["content"]),
          hpath: String(row["hpath"]),
          notebook: String(row["box"]),
        }));
        return { documents, page, more: found.length > pageSize };
      }),
  });
}
