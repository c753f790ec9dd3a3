import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { findCjkFont, hasCjk } from "./find-cjk-font.ts";

/** Fonts of the package, from its sources and from its build. */
const shipped = ["Regular", "Bold"].map((style) =>
  fileURLToPath(new URL(`../../src/charts/fonts/LiberationSans-${style}.ttf`, import.meta.url)),
);

/** Characters outside the shipped font (Latin, Greek, Cyrillic, Hebrew, symbols). */
const beyondShipped = /[^\s -\u058f\u0590-\u05ff\u1e00-\u20cf\u2100-\u26ff\ufb00-\ufb4f]/u;

/** Larger drawings take seconds to render at twice their size. */
const largeSvg = 300_000;

/** Renders an SVG as PNG, at twice its size for screens with a high resolution. */
export async function renderPng(svg: string): Promise<Uint8Array> {
  const cjkFont = hasCjk(svg) ? await findCjkFont() : undefined;
  const image = new Resvg(svg, {
    fitTo: { mode: "zoom", value: svg.length > largeSvg ? 1 : 2 },
    font: {
      fontFiles: [...shipped, ...(cjkFont === undefined ? [] : [cjkFont])],
      // Reading the system's fonts takes time, so only texts in other scripts load them.
      loadSystemFonts: cjkFont === undefined && beyondShipped.test(svg),
      defaultFontFamily: "Liberation Sans",
      sansSerifFamily: "Liberation Sans",
    },
  });
  return image.render().asPng();
}
