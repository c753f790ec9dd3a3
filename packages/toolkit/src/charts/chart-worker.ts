import { answerJobs } from "../text/answer-jobs.ts";
import type { Chart } from "./chart-data.ts";
import { renderPng } from "./render-png.ts";
import { renderSvg } from "./render-svg.ts";

/** The input of the worker. */
export interface ChartJob {
  readonly chart: Chart;
  readonly description: string;
}

/** A drawn chart. */
export interface DrawnChart {
  readonly svg: string;
  readonly png: Uint8Array;
}

answerJobs(async ({ chart, description }: ChartJob): Promise<DrawnChart> => {
  const svg = await renderSvg(chart, description);
  return { svg, png: await renderPng(svg) };
});
