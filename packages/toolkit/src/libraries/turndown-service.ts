// Builds of the package contain this module with the library's code: with its parser, which has
// 9 MB of tests, the library itself would be the second largest part of an install.
export { default as TurndownService } from "turndown";
export { gfm } from "turndown-plugin-gfm";
