import { type Clock, defineTool, type Tool } from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import { z } from "zod";

const amount = z.number().optional();

const parameters = z.object({
  operation: z
    .enum(["now", "convert", "add", "difference"])
    .default("now")
    .describe(
      "now: the current time. convert: show a time in another zone or format. add: a time plus a duration. difference: the time between two times.",
    ),
  time: z
    .string()
    .optional()
    .describe(
      'ISO 8601 (2026-03-29, 2026-03-29T14:30, …+02:00), Unix seconds, or "now". Default: now.',
    ),
  until: z.string().optional().describe("difference: the second time, written like time."),
  zone: z
    .string()
    .default("UTC")
    .describe("IANA zone of times without an offset, e.g. Europe/Berlin. Default UTC."),
  toZone: z.string().optional().describe("Zone of the result. Default: zone."),
  duration: z
    .strictObject({
      years: amount,
      months: amount,
      weeks: amount,
      days: amount,
      hours: amount,
      minutes: amount,
      seconds: amount,
    })
    .optional()
    .describe("add: how much, e.g. {days: 3, hours: -2}. Whole numbers for years to days."),
  format: z
    .string()
    .optional()
    .describe(
      "iso, date, time, unix, short, medium, long, full, or a pattern like 'EEE d MMM yyyy HH:mm'.",
    ),
  locale: z
    .string()
    .optional()
    .describe("Language of names and styles, e.g. de or en-GB. Default en-US."),
});

/** The arguments of `DateTime`. */
export type DateTimeArguments = z.infer<typeof parameters>;

/** Creates the tool `DateTime`: the current time, zones, formats and calendar arithmetic. */
export function dateTime(clock: Clock = systemClock): Tool {
  return defineTool({
    name: "DateTime",
    description:
      "Current date and time, conversion between time zones and formats, adding durations, and differences, including daylight saving time.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Show a time in another zone.",
        args: {
          operation: "convert",
          time: "2026-07-01T12:00",
          zone: "Europe/Berlin",
          toZone: "UTC",
        },
      },
    ],
    permission: { executionPolicy: "auto" },
    formatForLLM: ({ text }: { text: string }) => text,
    async execute(args) {
      const now = clock.now();
      // The calendar is large, so it is loaded by the first call.
      const { calculateTime } = await import("./calculate-time.ts");
      return calculateTime(args, now);
    },
  });
}
