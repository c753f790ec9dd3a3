import { fileURLToPath } from "node:url";

/** The folder that holds the built page: `index.html` and its assets. */
export const webRoot = fileURLToPath(new URL("./dist", import.meta.url));
