import type katex from "katex";
import { loadOnce } from "./load-once.ts";

/** Renders a formula, or returns `undefined` if it is not valid TeX. */
type RenderFormula = (tex: string, display: boolean) => HTMLElement | undefined;

/** The number of formulas to cache for the next rendering of a growing text. */
const keptFormulas = 500;

/**
 * Replaces the formulas in `root`, which `safeFragment` has marked. Loads KaTeX at the first
 * formula; until then, and for invalid TeX, the page shows the source.
 */
export async function renderFormulas(root: ParentNode): Promise<void> {
  const found = [...root.querySelectorAll<HTMLElement>(".formula:not(.rendered)")];
  if (found.length === 0) return;
  const render = await formulaRenderer();
  if (render === undefined) return;
  for (const element of found) {
    const display = element.classList.contains("display");
    const rendered = render(element.textContent ?? "", display);
    if (rendered === undefined) element.classList.add("invalid");
    else element.replaceChildren(rendered);
    element.classList.add("rendered");
  }
}

const formulaRenderer = loadOnce(async (): Promise<RenderFormula> => {
  const [library] = await Promise.all([import("katex"), import("katex/dist/katex.min.css")]);
  const rendered = new Map<string, HTMLElement | undefined>();
  return (tex, display) => {
    const key = `${display ? "display" : "line"} ${tex}`;
    if (!rendered.has(key)) {
      if (rendered.size >= keptFormulas) rendered.clear();
      rendered.set(key, renderWith(library.default, tex, display));
    }
    return rendered.get(key)?.cloneNode(true) as HTMLElement | undefined;
  };
});

/** The limits keep a formula from freezing or covering the page; links are not followed. */
function renderWith(library: typeof katex, tex: string, display: boolean): HTMLElement | undefined {
  const element = document.createElement("span");
  try {
    const limits = { maxExpand: 1_000, maxSize: 20, trust: false } as const;
    library.render(tex, element, { displayMode: display, strict: false, ...limits });
    return element;
  } catch {
    return undefined;
  }
}
