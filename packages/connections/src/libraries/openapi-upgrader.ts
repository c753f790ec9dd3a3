// Builds of the package contain this module with the library's code.
export { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
