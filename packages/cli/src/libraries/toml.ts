// Builds of the package contain this module with the library's code.
export { parse, TomlError } from "smol-toml";
