// Loaded into a node before all else: its clock is off by what the file CAPSTAN_TEST_CLOCK says, in ms.
// Each of its threads reads it anew, so the clock is set by writing the file.
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
