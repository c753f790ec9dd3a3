import { setTimeout as sleep } from "node:timers/promises";
import { createApi } from "../../api.ts";
import { findBrowser, launchBrowser } from "../../browser.ts";
import { startCapstan } from "../../page/capstan.ts";
import { startLocalSite } from "../../page/local-site.ts";
import { startModelServer } from "../../page/model-server.ts";
import { visit } from "../../page/visitor.ts";
import type { Attack } from "../attack.ts";

/**
 * Texts that a browser could execute, or from which it could load something. `owned=1` shows that a
 * text ran.
 */
const textsOf = (origin: string): readonly string[] => [
  "<script>owned=1</script>",
  `<script src="${origin}/script.js"></script>`,
  `<img src="${origin}/pixel.png" onerror="owned=1">`,
  `"><img src=x onerror=owned=1>`,
  `' autofocus onfocus='owned=1`,
  `<svg onload="owned=1"><image href="${origin}/svg.png"/></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=owned=1></style></mglyph></table></mtext></math>`,
  `<iframe srcdoc="<script>parent.owned=1</script>"></iframe><iframe src="${origin}/frame"></iframe>`,
  `<noscript><p title="</noscript><img src=x onerror=owned=1>">`,
  `<style>@import "${origin}/import.css";body{background:url(${origin}/background.png)}</style>`,
  `<link rel="stylesheet" href="${origin}/style.css"><base href="${origin}/">`,
  `<meta http-equiv="refresh" content="0;url=${origin}/refresh">`,
  `<video poster="${origin}/poster.png" src="${origin}/video.mp4" onerror=alert(1)></video>`,
  `<details open ontoggle="alert(1)">more</details><dialog open>x</dialog>`,
  `![alt](${origin}/markdown.png "title") [run](javascript:owned=1) [data](data:text/html,<script>owned=1</script>)`,
  `[run](java\tscript:owned=1) <javascript:owned=1> [x]: javascript:owned=1`,
  "```html\n<script>owned=1</script>\n```\n</code></pre><img src=x onerror=owned=1>",
  `| a | b |\n|---|---|\n| <img src=${origin}/table.png> | <b onmouseover=owned=1>b</b> |`,
  "{{constructor.constructor('owned=1')()}} ${owned=1} <%= owned=1 %>",
  "__proto__ constructor \u202e<tpircs/> \u2028owned=1//",
];

/** Scripts with these texts as names and documentation, by path. */
function scriptsOf(texts: readonly string[]): { readonly [path: string]: string } {
  const scripts = texts.map((text, n) => {
    // A file name has no slash, and Python reads its documentation as one literal.
    const name = `${n} ${text.replaceAll("/", "\\").slice(0, 100)}.py`;
    const literal = JSON.stringify(text);
    const source = `${literal}\n\ndef tool_${n}(text: str = ${literal}) -> str:\n    ${literal}\n    return text\n`;
    return [`capstan-tools/${name}`, source] as const;
  });
  return Object.fromEntries(scripts);
}

/** An OpenAPI document with these texts in all its titles, names and descriptions. */
function documentOf(texts: readonly string[]): object {
  const operations = texts.map((text, n) => [
    `/${n}/${encodeURIComponent(text)}`,
    {
      get: {
        operationId: `${n} ${text}`,
        summary: text,
        description: text,
        tags: [text],
        parameters: [{ name: text, in: "query", description: text, schema: { type: "string" } }],
        responses: { 200: { description: text } },
      },
    },
  ]);
  return {
    openapi: "3.0.3",
    info: { title: texts.join(" "), description: texts.join(" "), version: "1" },
    servers: [{ url: "http://127.0.0.1:9", description: texts.join(" ") }],
    tags: texts.map((text) => ({ name: text, description: text })),
    paths: Object.fromEntries(operations) as object,
  };
}

/** Shows each of these texts everywhere on the page that shows external text. */
export const payloads: Attack = {
  name: "payloads",
  title: "text that tries to execute or to load, everywhere on the page that shows external text",
  on: ["SQLite"],
  minutes: 3,
  skip: () => {
    const found = findBrowser();
    return found.status === "missing" ? found.reason : undefined;
  },
  async run({ random, report, goesOn }) {
    await using resources = new AsyncDisposableStack();
    const site = resources.adopt(await startLocalSite({}), ({ close }) => close());
    const model = resources.adopt(await startModelServer(["model"]), ({ close }) => close());
    const all = textsOf(site.url);
    const capstan = resources.adopt(
      await startCapstan({
        files: {
          "hostile.html": all.join("\n"),
          "hostile.json": JSON.stringify(documentOf(all)),
          ...scriptsOf(all),
        },
        config: {
          connections: { hostile: { openapi: "./hostile.json" } },
          rules: [{ tool: "basic.Text", execution: "ask-always", reason: all.join(" ") }],
        },
        environment: { CAPSTAN_MODEL_URL: model.url },
      }),
      ({ close }) => close(),
    );
    const browser = resources.adopt(await launchBrowser(), (opened) => opened.close());
    const api = createApi(capstan.url);
    const checked = await api.request<{ tools: number; error: string | null; notes: unknown }>(
      "POST",
      "/v1/connections/hostile/check",
    );
    if (checked.tools === 0)
      report.problem(`The OpenAPI document has no tools: ${JSON.stringify(checked)}`);
    let round = 0;
    do {
      const text = [
        all[round++ % all.length],
        ...(random.chance(30) ? [random.pick(all)] : []),
      ].join(random.pick(["", " ", "\n", "\n\n"]));
      const me = await visit(browser, capstan.url);
      const judge = async (place: string) => {
        await sleep(50);
        report.count("places");
        const ran = await me.page.evaluate(() => "owned" in window);
        const tried = me
          .complaints()
          .filter((line) => /^(?:error:|dialog:|asked )|Content Security Policy/.test(line));
        if (ran || tried.length > 0 || site.requests.length > 0)
          report.problem(
            `${place} ${ran ? "runs" : "tries"} ${JSON.stringify(text)}: ${tried.join(" ")} ${site.requests.join(" ")}`,
          );
      };
      model.willSay(
        {
          type: "calls",
          calls: [
            { name: text, args: { [text]: text } },
            { name: "ViewFile", args: { path: "hostile.html" } },
            { name: "ViewFile", args: { path: `${text}.txt` } },
            { name: "Text", args: { operation: "count", text } },
          ],
        },
        { type: "text", text },
      );
      await me.say(`Say\n${text}`);
      await me.card("Text").waitFor();
      await judge("An approval card");
      const asked = await api.request<{ data: { id: string }[] }>(
        "GET",
        "/v1/approvals?status=pending",
      );
      for (const { id } of asked.data)
        await api.answer(id, { decision: "refuse", reason: text.slice(0, 500) });
      await me.turnEnds();
      for (const toggle of await me.page.getByTestId("call-toggle").all()) await toggle.click();
      await judge("A turn with calls, results and an answer");
      const refusal = { status: 400, error: { message: text, code: text, type: text } };
      model.willSay({ type: "error", ...refusal });
      await me.say(`Fail\n${text}`);
      await me.turnEnds();
      await judge("An error of the model");
      const { data } = await api.request<{ data: { id: string }[] }>("GET", "/v1/conversations");
      const id = data[0]?.id ?? "";
      await api.request("POST", `/v1/conversations/${id}`, { title: text.slice(0, 200) });
      for (const name of [text, `v${round}`])
        // Some texts are not valid names.
        await api
          .putVariable(id, name, { text, desc: text, tags: [text.slice(0, 90)] })
          .catch(() => {});
      await me.page.reload();
      await me.page.getByTestId("answer").first().waitFor();
      await judge("A title");
      for (const panel of ["Variables", "Tools", "Permissions"] as const) {
        await me.openPanel(panel);
        await judge(`The panel ${panel}`);
      }
      const connections = await me.openPanel("Connections");
      await connections.getByTestId("connection").first().waitFor();
      await judge("The connection to an OpenAPI document");
      await me.page.getByRole("link", { name: "Scripts" }).click();
      const scripts = me.page.getByTestId("script-item");
      await scripts.first().waitFor();
      await judge("The list of scripts");
      await random.pick(await scripts.all()).click();
      await me.page.getByTestId("script-face").waitFor();
      for (const tab of await me.page.getByRole("tab").all()) {
        await tab.click();
        await judge(`A script, ${await tab.innerText()}`);
      }
      await me.leave();
      model.forget();
    } while (goesOn());
  },
};
