import { createHash } from "node:crypto";
import type { OpenApiDocument, PathOperation } from "./document.ts";
import { escaped, prose, schemaHtml, typeHtml } from "./schema-html.ts";
import type { Schema } from "./schemas/operation.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --quiet: light-dark(#555, #aaa); }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; border-right: 1px solid var(--line); font-size: 14px; }
nav ul, nav li { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0.15rem 0; overflow-wrap: anywhere; }
main { padding: 1rem 2rem 4rem; max-width: 60rem; }
h2 { margin-top: 3rem; } h3 { margin: 2.5rem 0 0.3rem; font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { margin: 1rem 0 0.2rem; font-size: 0.85rem; color: var(--quiet); }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
td { border-top: 1px solid var(--line); padding: 0.3rem 0.8rem 0.3rem 0; vertical-align: top; }
td:first-child { width: 13rem; } td p { margin: 0.2rem 0 0; color: var(--quiet); }
.method { display: inline-block; min-width: 4.4em; font-weight: 600; }
.required { color: var(--quiet); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } td:first-child { width: auto; } }
`;

/** The content security policy of the page: it has one style sheet, no script and no image. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: PathOperation;
}

/** Returns the HTML page that shows an OpenAPI document. It works without scripts. */
export function documentPage(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document;
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, path, operation })),
  );
  const sections = tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const types = Object.entries(components.schemas);
  const title = `${String(info["title"])} ${String(info["version"])}: HTTP API`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${style}</style></head><body>
<nav aria-label="Sections">${sections.map(navigation).join("")}<p><a href="#types">Types</a></p></nav>
<main><h1>${escaped(title)}</h1><p>${prose(info["description"])}</p>
<p>The same as an OpenAPI document: <a href="/openapi.json">/openapi.json</a>. Send the API key as <code>Authorization: Bearer KEY</code>; a server without keys needs none.</p>
${sections.map(section).join("")}
<h2 id="types">Types</h2>${types.map(type).join("")}</main></body></html>`;
}

function navigation({
  name,
  entries,
}: {
  readonly name: string;
  readonly entries: readonly Entry[];
}) {
  const links = entries.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}"><span class="method">${method.toUpperCase()}</span> ${escaped(path.replace(/^\/v1/, ""))}</a></li>`,
  );
  return `<details open><summary><b>${escaped(name)}</b></summary><ul>${links.join("")}</ul></details>`;
}

function section({ name, entries }: { readonly name: string; readonly entries: readonly Entry[] }) {
  return `<h2>${escaped(name)}</h2>${entries.map(entry).join("")}`;
}

function entry({ method, path, operation }: Entry): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = contentOf(requestBody).map(([kind, schema]) =>
    part(`Body, ${kind}`, schemaHtml(schema)),
  );
  const answers = contentOf(responses["200"] as Schema).map(([kind, schema]) =>
    part(kind === "text/event-stream" ? "Events" : `Answer, ${kind}`, typeHtml(schema)),
  );
  return `<h3 id="${operationId}"><span class="method">${method.toUpperCase()}</span> <code>${escaped(path)}</code></h3>
<p>${prose(summary)}. ${prose(description)}</p>
${parameters.length === 0 ? "" : part("Parameters", parameterTable(parameters))}${body.join("")}${answers.join("")}`;
}

function part(title: string, html: string): string {
  return `<h4>${escaped(title)}</h4>${html}`;
}

function contentOf(holder: Schema | undefined): readonly (readonly [string, Schema])[] {
  const content = (holder?.["content"] ?? {}) as { readonly [kind: string]: { schema?: Schema } };
  return Object.entries(content).map(([kind, { schema = {} }]) => [kind, schema] as const);
}

function parameterTable(parameters: readonly Schema[]): string {
  const rows = parameters.map(({ name, description, schema, required }) => {
    const mark = required === true ? ' <span class="required">required</span>' : "";
    return `<tr><td><code>${escaped(String(name))}</code>${mark}</td><td>${typeHtml(schema as Schema)}<p>${prose(description)}</p></td></tr>`;
  });
  return `<table>${rows.join("")}</table>`;
}

function type([name, schema]: readonly [string, Schema]): string {
  return `<h3 id="type-${escaped(name)}">${escaped(name)}</h3><p>${prose(schema["description"])}</p>${schemaHtml(schema)}`;
}
