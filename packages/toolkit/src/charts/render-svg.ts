import { compile, expressionInterpreter, loader, parse, View } from "../libraries/vega.ts";
import type { Chart } from "./chart-data.ts";
import { chartSpec } from "./chart-spec.ts";

/** Returns a chart as SVG. Expressions are interpreted, not compiled, and nothing is loaded. */
export async function renderSvg(chart: Chart, description: string): Promise<string> {
  const { spec } = compile(chartSpec(chart), { logger: silent });
  const view = new View(parse(spec, undefined, { ast: true }), {
    renderer: "none",
    expr: expressionInterpreter,
    loader: offline,
    logger: silent,
  });
  try {
    const svg = await view.toSVG();
    const title = escapeXml(chart.title ?? "Chart");
    const text = escapeXml(description);
    return svg.replace(
      /<svg [^>]*>/,
      (start) =>
        `${start.slice(0, -1)} role="img" aria-label="${text}"><title>${title}</title><desc>${text}</desc>`,
    );
  } finally {
    view.finalize();
  }
}

const offline = {
  ...loader(),
  load: () => Promise.reject(new Error("Charts load nothing.")),
};

/** The library's warnings concern the specification, which users do not write. */
const silent = {
  level: () => silent,
  error: () => silent,
  warn: () => silent,
  info: () => silent,
  debug: () => silent,
} as never;

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
