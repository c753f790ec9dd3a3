// Builds of the package contain this module with the library's code.
export { JSONPathEnvironment, JSONPathError } from "json-p3";
