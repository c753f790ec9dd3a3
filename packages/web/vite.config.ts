import { defaultClientConditions, defineConfig } from "vite";
import solid from "vite-plugin-solid";

/** `npx vite packages/web` serves the page alone, with the API of a server on the usual port. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [solid()],
  // The packages of the repository are read from their sources.
  resolve: { conditions: ["@capstan/source", ...defaultClientConditions] },
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { proxy: { "/v1": process.env["CAPSTAN_URL"] ?? "http://127.0.0.1:8787" } },
});
