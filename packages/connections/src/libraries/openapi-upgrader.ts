// The build bundles the library's code into this module.
export { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
