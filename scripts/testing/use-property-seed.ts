// Loaded into each test process: gives fast-check the seed that PROPERTY_SEED names.
import fc from "fast-check";
import { readPropertySeed } from "./property-seed.ts";

const read = readPropertySeed(process.env["PROPERTY_SEED"]);
if (read.status === "invalid") throw new Error(read.message);
fc.configureGlobal({ seed: read.seed });
