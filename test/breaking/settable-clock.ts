// Loaded into a node before its own code: shifts its clock by the number in the file
// CAPSTAN_TEST_CLOCK, in ms. Each of its threads reads the file at each call, so writing the file
// sets the clock.
import { readFileSync } from "node:fs";

const file = process.env["CAPSTAN_TEST_CLOCK"] ?? "";
const now = Date.now;

Date.now = () => now() + offset();

function offset(): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
