// Builds of the package contain this module with the library's code. Imports the library's browser
// build, which is one file, because its modules take seconds to load.
import math from "mathjs/lib/browser/math.js";

/** Creates a calculator with all functions. */
export const { create } = math;
/** All functions, for `create`. The library's types say that it may be absent. */
export const all = math.all ?? {};
