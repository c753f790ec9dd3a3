import { defineTool, type Tool, type ToolContext } from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import { z } from "zod";
import { refused, returnKernelErrors } from "./kernel/kernel-error.ts";
import { sqlText } from "./kernel/read-statement.ts";
import { idParameter, rowsReply } from "./kernel/replies.ts";
import {
  kernelErrors,
  reads,
  type SiyuanAccess,
  type SiyuanToolsOptions,
} from "./siyuan-options.ts";

/** The maximum number of documents in a result. */
const limit = 100;

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, { error: "a date such as 2026-03-01" });
const parameters = z.object({
  atDate: day.optional().describe("Default: today, in the time zone of the user."),
  afterDate: day.optional().describe("From this day on."),
  beforeDate: day.optional().describe("Up to this day."),
  notebookId: idParameter.optional(),
  timeZone: z.string().optional().describe("IANA zone that decides which day is today."),
});

interface DailyNotes {
  readonly from: string;
  readonly to: string;
  readonly documents: readonly {
    readonly id: string;
    readonly title: string;
    readonly date: string;
    readonly notebook: string;
  }[];
}

/** `getDailyNoteDocs`: finds the daily notes of a day or of several days. */
export function getDailyNoteDocs({ ask, options }: SiyuanAccess): Tool {
  return defineTool({
    name: "getDailyNoteDocs",
    description: "Finds the daily notes of SiYuan: of today, of a day, or between two days.",
    parameters,
    examples: [
      {
        title: "The daily notes of a week.",
        args: { afterDate: "2026-03-02", beforeDate: "2026-03-08" },
      },
    ],
    errors: {
      ...kernelErrors,
      invalid_arguments: "a date or a zone is wrong, or dates exclude each other",
    },
    ...reads,
    declaredReturnType: { type: "{from, to, documents: {id, title, date, notebook}[]}" },
    formatForLLM: ({ from, to, documents }: DailyNotes) => {
      const days = from === to ? from : `${from} to ${to}`;
      if (documents.length === 0) return `There is no daily note of ${days}.`;
      const lines = documents.map(
        ({ id, title, date, notebook }) => `- ${date}: ${title} (${id}, notebook ${notebook})`,
      );
      const more = documents.length === limit ? "\nOnly the first 100 are listed." : "";
      return `Daily notes of ${days}:\n${lines.join("\n")}${more}`;
    },
    execute: (args, context) =>
      returnKernelErrors(async (): Promise<DailyNotes> => {
        const { from, to } = daysOf(args, today(args.timeZone, context, options));
        const [first, last] = [from, to].map((one) => one.replaceAll("-", ""));
        const box = args.notebookId === undefined ? "" : ` AND b.box = ${sqlText(args.notebookId)}`;
        const stmt = `SELECT b.id, b.content, b.box, a.value FROM attributes AS a JOIN blocks AS b ON b.id = a.block_id WHERE a.name LIKE 'custom-dailynote-%' AND a.value BETWEEN '${first}' AND '${last}' AND b.type = 'd'${box} ORDER BY a.value, b.id LIMIT ${limit}`;
        const rows = await ask(context)("/api/query/sql", { stmt, mode: "readonly" }, rowsReply);
        const documents = (rows ?? []).map((row) => ({
          id: String(row["id"]),
          title: String(row["content"]),
          date: String(row["value"]).replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3"),
          notebook: String(row["box"]),
        }));
        return { from, to, documents };
      }),
  });
}

function daysOf(
  { atDate, afterDate, beforeDate }: z.infer<typeof parameters>,
  now: string,
): { readonly from: string; readonly to: string } {
  const isRange = afterDate !== undefined || beforeDate !== undefined;
  if (atDate !== undefined && isRange)
    throw refused("invalid_arguments", "Give atDate, or afterDate and beforeDate.");
  for (const date of [atDate, afterDate, beforeDate])
    if (date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) !== date)
      throw refused("invalid_arguments", `"${date}" is not a day of the calendar.`);
  if (!isRange) return { from: atDate ?? now, to: atDate ?? now };
  const [from, to] = [afterDate ?? "0000-01-01", beforeDate ?? "9999-12-31"];
  if (from > to) throw refused("invalid_arguments", `afterDate ${from} is after beforeDate ${to}.`);
  return { from, to };
}

/**
 * Returns the day in the user's time zone, which the call, the request's metadata or the
 * configuration names, in this order.
 */
function today(
  given: string | undefined,
  { request }: ToolContext,
  { timeZone, clock = systemClock }: SiyuanToolsOptions,
): string {
  const stated = request.metadata?.["timezone"] ?? request.metadata?.["time_zone"];
  const zone = given ?? (stated !== undefined && isZone(stated) ? stated : timeZone);
  if (zone !== undefined && !isZone(zone))
    throw refused(
      "invalid_arguments",
      `${JSON.stringify(zone)} is not a time zone. Write an IANA name such as Europe/Berlin.`,
    );
  const form = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  return new Intl.DateTimeFormat("en-CA", { ...form, timeZone: zone }).format(clock.now());
}

/** Returns whether a text names a time zone. */
function isZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
