import type { ToolContext } from "@capstan/core";
import { z } from "zod";
import type { Chart } from "./chart-data.ts";
import { cleanText } from "./clean-text.ts";

const label = z.union([z.string(), z.number()]);

/** The arguments that every chart has. */
export const commonArguments = {
  title: z.string().optional(),
  width: z.int().min(100).max(2_000).default(640).describe("Pixels of the plot. Default 640."),
  height: z.int().min(100).max(2_000).default(360).describe("Default 360."),
};

/** The arguments that name rows. */
export const rowArguments = {
  rows: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe("Objects. $VAR_REF{{TableQuery_1#/rows}} inserts stored ones."),
  variable: z
    .string()
    .optional()
    .describe("Instead of rows: a variable with rows, e.g. TableQuery_1."),
};

/** The arguments of a chart with labels and series. */
export const seriesArguments = {
  ...rowArguments,
  x: z.string().optional().describe("The column of the labels."),
  y: z
    .union([z.string(), z.array(z.string()).min(1).max(20)])
    .optional()
    .describe("The column of the values; several columns are several series."),
  labels: z.array(label).optional().describe("Instead of rows: a label for each value."),
  series: z
    .array(z.object({ name: z.string(), values: z.array(z.unknown()) }))
    .min(1)
    .max(20)
    .optional()
    .describe("With labels: numbers, null for a missing one."),
  xTitle: z.string().optional(),
  yTitle: z.string().optional(),
  ...commonArguments,
};

/** Returns the name of the variable that a call reads. */
export function namedVariable({
  variable,
}: {
  readonly variable?: string | undefined;
}): readonly string[] {
  return variable === undefined ? [] : [variable];
}

/** Returns the texts of a chart in one line each. */
export function chartTexts(
  given: Readonly<Record<"title" | "xTitle" | "yTitle", string | undefined>>,
): Pick<Chart, "title" | "xTitle" | "yTitle"> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) => {
      const clean = text === undefined ? "" : cleanText(text, 200);
      return clean === "" ? [] : [[name, clean]];
    }),
  );
}

/** Shows a call in one line. */
export function compressChart({
  title,
  variable,
}: {
  readonly title?: string | undefined;
  readonly variable?: string | undefined;
}): string {
  return title ?? variable ?? "";
}

/** The parts of a tool's context that charts use. */
export type ChartContext = Pick<ToolContext, "readVariable" | "variables">;
