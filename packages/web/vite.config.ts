import { defaultClientConditions, defineConfig, type Plugin } from "vite";
import solid from "vite-plugin-solid";

/** `npx vite packages/web` serves the page alone, with the API of a server on the usual port. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [solid(), woff2Only()],
  // The packages of the repository are read from their sources.
  resolve: { conditions: ["@capstan/source", ...defaultClientConditions] },
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { proxy: { "/v1": process.env["CAPSTAN_URL"] ?? "http://127.0.0.1:8787" } },
});

/** Leaves out the older forms of KaTeX's fonts: every browser that runs the page reads WOFF2. */
function woff2Only(): Plugin {
  return {
    name: "woff2-only",
    enforce: "pre",
    transform: {
      filter: { id: /katex.*\.css$/ },
      handler: (css) =>
        css.replaceAll(/,\s*url\([^)]+\.(?:woff|ttf)\) format\(["'][a-z]+["']\)/g, ""),
    },
  };
}
