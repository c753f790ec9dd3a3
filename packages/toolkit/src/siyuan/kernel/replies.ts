import { z } from "zod";

/** The form of an id: the time of creation, and seven characters. */
export const blockId = /^\d{14}-[a-z0-9]{7}$/;

/** A parameter that is the id of a block, a document or a notebook. */
export const idParameter = z
  .string()
  .trim()
  .regex(blockId, { error: "an id such as 20260101120000-abc1234" });

const text = z.string().catch("");
const count = z.number().catch(0);

export const notebooksReply = z.object({
  notebooks: z.array(
    z.object({
      id: z.string(),
      name: text,
      closed: z.boolean().catch(false),
      encrypted: z.boolean().catch(false),
      unlocked: z.boolean().catch(false),
    }),
  ),
});
export const notebookConfReply = z.object({ conf: z.object({ dailyNoteSavePath: text }) });
export const pathReply = z.object({ path: z.string(), notebook: z.string() });
export const docsReply = z.object({
  files: z.array(z.object({ id: z.string(), name: text, path: text, subFileCount: count, count })),
});
export const recentReply = z.array(
  z.object({ rootID: z.string(), title: text, viewedAt: count, closedAt: count, openAt: count }),
);
export const blockInfoReply = z.object({
  box: z.string(),
  path: z.string(),
  rootID: z.string(),
  rootTitle: text,
});
export const breadcrumbReply = z.array(z.object({ id: z.string(), name: text, type: text }));
export const childrenReply = z.array(z.object({ id: z.string(), type: z.string(), subType: text }));
export const kramdownReply = z.object({ id: z.string(), kramdown: z.string() });
export const attributesReply = z.record(z.string(), z.string());
export const docInfoReply = z.object({ refCount: count, subFileCount: count, name: text });
export const outlineReply = z
  .array(z.object({ id: z.string(), name: text, depth: count, subType: text }).loose())
  .nullable();
export const rowsReply = z.array(z.record(z.string(), z.unknown())).nullable();
export const searchReply = z.object({
  blocks: z
    .array(
      z.object({
        id: z.string(),
        rootID: z.string(),
        box: text,
        hPath: text,
        content: text,
        type: text,
      }),
    )
    .nullable(),
  matchedBlockCount: count,
  matchedRootCount: count,
  pageCount: count,
});
export const transactionsReply = z
  .array(z.object({ doOperations: z.array(z.object({ id: z.string(), parentID: text })).min(1) }))
  .min(1);
/** The schema for replies without data. */
export const noReply = z.unknown();
