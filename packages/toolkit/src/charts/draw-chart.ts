import { type ContentParts, contentParts, type ToolContext } from "@capstan/core";
import { workerModule } from "@capstan/sandbox";
import { runInWarmProcess } from "../text/warm-process.ts";
import type { Chart } from "./chart-data.ts";
import { ChartProblem } from "./chart-problem.ts";
import type { ChartJob, DrawnChart } from "./chart-worker.ts";
import { describeChart } from "./describe-chart.ts";
import { findCjkFont, hasCjk } from "./find-cjk-font.ts";

const timeoutMs = 15_000;

/** Draws a chart, and returns its description, a PNG and an SVG. @throws ChartProblem */
export async function drawChart(
  chart: Chart,
  { signal, output, principal }: Pick<ToolContext, "signal" | "output" | "principal">,
): Promise<ContentParts> {
  const description = describeChart(chart);
  output.progress({ message: "Drawing" });
  const outcome = await runInWarmProcess<DrawnChart>({
    module: workerModule("chart-worker", import.meta.url),
    input: { chart, description } satisfies ChartJob,
    timeoutMs,
    heapMb: 512,
    user: principal.id,
    signal,
  });
  if (outcome.status === "busy")
    throw new ChartProblem("not_drawn", "Too many charts are in the queue. Call again later.");
  if (outcome.status !== "done") {
    const why = outcome.status === "timed_out" ? `took over ${timeoutMs / 1_000} s` : "failed";
    throw new ChartProblem("not_drawn", `Drawing the chart ${why}. Draw fewer points.`);
  }
  const { svg, png } = outcome.value;
  const name = fileName(chart);
  const boxes =
    hasCjk(svg) && (await findCjkFont()) === undefined
      ? "\n[The PNG shows boxes for Chinese, Japanese and Korean, because this machine has no font for them. The SVG has the texts.]"
      : "";
  return contentParts([
    { type: "text", text: `${description}${boxes}` },
    {
      type: "image",
      name: `${name}.png`,
      alt: description,
      mimeType: "image/png",
      source: { type: "base64", data: Buffer.from(png).toString("base64") },
    },
    {
      type: "file",
      name: `${name}.svg`,
      mimeType: "image/svg+xml",
      source: { type: "base64", data: Buffer.from(svg).toString("base64") },
    },
  ]);
}

function fileName({ title = "", kind }: Chart): string {
  const words = title
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words === null ? `${kind}-chart` : words.join("-").slice(0, 60).toWellFormed();
}
