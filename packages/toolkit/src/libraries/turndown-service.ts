// Builds of the package contain this module with the library's code. As a dependency, the library
// and its parser would add 9 MB of tests to an install.
export { default as TurndownService } from "turndown";
export { gfm } from "turndown-plugin-gfm";
