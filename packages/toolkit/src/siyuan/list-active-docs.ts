import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { returnKernelErrors } from "./kernel/kernel-error.ts";
import { recentReply } from "./kernel/replies.ts";
import { kernelErrors, reads, type SiyuanAccess } from "./siyuan-options.ts";

interface RecentDocument {
  readonly id: string;
  readonly title: string;
  /** When the user last viewed it, as ISO 8601; absent if unknown. */
  readonly viewed?: string;
}

/** `listActiveDocs`: lists the documents that the user viewed recently. */
export function listActiveDocs({ ask }: SiyuanAccess): Tool {
  return defineTool({
    name: "listActiveDocs",
    description:
      "Lists the documents that the user viewed recently in SiYuan, the latest first. SiYuan does not tell which ones are open now.",
    parameters: z.object({}),
    examples: [{ title: "The documents that were viewed last.", args: {} }],
    errors: kernelErrors,
    ...reads,
    declaredReturnType: { type: "{id, title, viewed?}[]" },
    formatForLLM: (documents: readonly RecentDocument[]) =>
      documents.length === 0
        ? "No document was viewed recently."
        : `Recently viewed, perhaps closed since:\n${documents
            .map(
              ({ id, title, viewed }) =>
                `- ${title} (${id}${viewed === undefined ? "" : `, ${viewed}`})`,
            )
            .join("\n")}`,
    execute: (_, context) =>
      returnKernelErrors(async () => {
        const recent = await ask(context)("/api/storage/getRecentDocs", {}, recentReply);
        return recent
          .toSorted((a, b) => Math.max(b.viewedAt, b.openAt) - Math.max(a.viewedAt, a.openAt))
          .slice(0, 50)
          .map(({ rootID, title, viewedAt, openAt }): RecentDocument => {
            const at = Math.max(viewedAt, openAt);
            const name = title || "Untitled";
            return { id: rootID, title: name, ...(at > 0 && { viewed: timeOf(at) }) };
          });
      }),
  });
}

/** The kernel counts seconds; some versions count milliseconds. */
function timeOf(at: number): string {
  return new Date(at > 1e11 ? at : at * 1000).toISOString();
}
