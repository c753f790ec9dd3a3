// Builds of the package contain this module with the library's code.
export { type Loader, loader, parse, View } from "vega";
export { compile, type TopLevelSpec } from "vega-lite";
export { expressionInterpreter } from "vega-interpreter";
