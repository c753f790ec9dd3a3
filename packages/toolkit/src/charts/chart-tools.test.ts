import assert from "node:assert/strict";
import { test } from "node:test";
import { readNumber } from "./read-values.ts";
import { type ContentPart, ToolExecutor } from "@capstan/core";
import { DOMParser } from "linkedom";
import { chartTools } from "./chart-tools.ts";
import { hasCjk } from "./find-cjk-font.ts";

const executor = new ToolExecutor();
executor.registerToolGroup(chartTools());
executor.toggleGroupEnabled("charts", true);

async function draw(name: string, args: object) {
  const result = await executor.execute(name, JSON.stringify(args));
  assert.equal(result.status, "success", JSON.stringify(result).slice(0, 2_000));
  const [text, image, file] = result.parts ?? [];
  assert.ok(text?.type === "text" && image?.type === "image" && file?.type === "file");
  return {
    text: text.text,
    png: bytesOf(image),
    name: file.name,
    svg: bytesOf(file).toString("utf8"),
  };
}

async function fail(name: string, args: object) {
  const result = await executor.execute(name, JSON.stringify(args));
  assert.ok(result.status === "error", JSON.stringify(result).slice(0, 2_000));
  return result.error;
}

function bytesOf(part: ContentPart): Buffer {
  assert.ok("source" in part && part.source.type === "base64");
  return Buffer.from(part.source.data, "base64");
}

const labels = ["North", "South"];
const series = [{ name: "2025", values: [12, 7] }];

test("a bar chart is a PNG and an SVG with a description", async () => {
  const { text, png, svg, name } = await draw("BarChart", {
    title: "Sales by region",
    labels,
    series: [...series, { name: "2026", values: [14, null] }],
  });
  const description =
    "Bar chart: Sales by region. Series: 2025, 2026. 2025, North: 12; 2025, South: 7; 2026, North: 14.";
  assert.equal(text, description);
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.equal(name, "sales-by-region.svg");
  assert.ok(svg.includes(`role="img" aria-label="${description}"`));
  assert.ok(svg.includes(`<title>Sales by region</title><desc>${description}</desc>`));
  // An opaque background makes it legible on light and dark pages.
  assert.match(svg, /<rect width="\d+" height="\d+" fill="#ffffff"/);
});

test("each kind draws rows of a variable", async () => {
  const rows = [
    { day: "2026-01-01", a: 1, b: "2.5", kind: "x" },
    { day: "2026-01-02", a: 3, b: "4", kind: "y" },
  ];
  executor.variables.updateVariable("Query_9", {
    type: "USER_ADD",
    value: { text: "", data: { rows } },
  });
  const variable = "Query_9";
  const line = await draw("LineChart", { variable, x: "day", y: ["a", "b"] });
  assert.match(line.text, /b, 2026-01-02: 4\./);
  const bars = await draw("BarChart", { variable, x: "day", y: "a", stacked: true });
  assert.match(bars.text, /2026-01-01: 1; 2026-01-02: 3/);
  const pie = await draw("PieChart", { variable, label: "kind", value: "a", donut: true });
  assert.match(pie.text, /x: 1 \(25\.0%\); y: 3 \(75\.0%\)/);
  const dots = await draw("ScatterChart", { variable, x: "a", y: "b", group: "kind" });
  assert.match(dots.text, /Series: x, y/);
  assert.equal(
    (await fail("BarChart", { variable: "no", x: "a", y: "b" })).code,
    "variable_not_found",
  );
  const column = await fail("BarChart", { variable, x: "day", y: "c" });
  assert.match(column.message, /no column "c"\. The columns are day, a, b, kind/);
  executor.variables.updateVariable("text", { type: "USER_ADD", value: "words" });
  assert.equal((await fail("BarChart", { variable: "text", x: "a", y: "b" })).code, "not_rows");
});

test("each series needs one value for each label", async () => {
  const short = await fail("BarChart", { labels: ["a", "b", "c"], series });
  assert.equal(short.code, "unequal_lengths");
  assert.match(short.message, /"2025" has 2 values, but there are 3 labels/);
  assert.equal((await fail("LineChart", { labels: [], series })).code, "unequal_lengths");
  assert.equal((await fail("PieChart", { labels, values: [1] })).code, "unequal_lengths");
  assert.equal((await fail("BarChart", { labels: ["a", "a"], series })).code, "duplicate_label");
  assert.equal((await fail("BarChart", { labels })).code, "unclear_source");
  assert.equal((await fail("BarChart", { rows: [], x: "a", y: "b" })).code, "no_data");
});

test("values that are not finite numbers are rejected by name", async () => {
  for (const value of ["NaN", "abc", true, {}, "1,5"]) {
    const values = [1, value];
    const error = await fail("BarChart", { labels, series: [{ name: "s", values }] });
    assert.equal(error.code, "invalid_value");
    assert.match(error.message, /Value 2 of "s" \(at South\)/);
  }
  const infinite = '{"labels": ["a"], "series": [{"name": "s", "values": [1e999]}]}';
  const result = await executor.execute("BarChart", infinite);
  assert.equal(result.status, "error");
  const empty = { labels, series: [{ name: "s", values: [null, ""] }] };
  assert.equal((await fail("LineChart", empty)).code, "no_data");
});

test("a pie rejects negative values and a total of 0", async () => {
  const negative = await fail("PieChart", { labels, values: [3, -1] });
  assert.match(negative.message, /"South" is -1: a slice cannot be negative/);
  assert.equal((await fail("PieChart", { labels, values: [0, 0] })).code, "no_data");
});

test("10,000 points are drawn, and more are rejected", async () => {
  const points = Array.from({ length: 10_000 }, (_, n) => [n, Math.sin(n / 500)]);
  const { text } = await draw("ScatterChart", { points });
  assert.match(text, /10,000 values\. Lowest: /);
  const more = [...points, [1, 1]];
  assert.equal((await fail("ScatterChart", { points: more })).code, "too_many_points");
  const many = Array.from({ length: 1_001 }, (_, n) => n);
  const bars = { labels: many, series: [{ name: "s", values: many }] };
  assert.equal((await fail("BarChart", bars)).code, "too_many_points");
});

test("long labels are truncated in the chart and complete for screen readers", async () => {
  const long = `${"a very long label ".repeat(8)}end`;
  const given = { labels: [long, "b", "c", "d"], series: [{ name: "s", values: [1, 2, 3, 4] }] };
  const { svg, text } = await draw("BarChart", given);
  assert.ok(text.includes(long));
  assert.match(svg, /a very long label[^<]*…<\/text>/);
});

test("markup and expressions in texts are drawn as text", async () => {
  const hostile = `</text><script>alert(1)</script><image href="file:///etc/passwd"/>&"'\u0000\u202e\ud800`;
  const { svg, name } = await draw("BarChart", {
    title: hostile,
    labels: [hostile, "datum.x + 1", "b"],
    series: [{ name: `${hostile}$\{1}`, values: [1, 2, 3] }],
    xTitle: hostile,
  });
  const document = new DOMParser().parseFromString(svg, "image/svg+xml");
  assert.equal(document.querySelectorAll("script, image, foreignObject, a").length, 0);
  for (const text of ["\u0000", "\u202e", "<script", "<image"]) assert.ok(!svg.includes(text));
  assert.ok(svg.isWellFormed());
  assert.match(name, /^[\p{L}\p{N}-]+\.svg$/u);
});

test("the SVG has Chinese texts even if the machine has no font for them", async () => {
  assert.ok(hasCjk("中") && hasCjk("カ") && hasCjk("한") && !hasCjk("é€ж"));
  const { svg } = await draw("PieChart", { labels: ["中文", "b"], values: [1, 2] });
  assert.ok(svg.includes("中文"));
});

test("a configuration can show a chart as the answer", async () => {
  const final = new ToolExecutor({ toolSettings: { "charts.BarChart": { final: true } } });
  final.registerToolGroup(chartTools());
  assert.equal(final.gate.registry.tool("charts.BarChart")?.tool.final, true);
});

test("a long text of digits with a letter is rejected in linear time", () => {
  const began = process.cpuUsage();
  assert.throws(() => readNumber(`${"1".repeat(200_000)}x`, "y"), /not a finite number/);
  assert.equal(readNumber("1.", "y"), 1);
  assert.ok(process.cpuUsage(began).user < 10_000_000);
});
