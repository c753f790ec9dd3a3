import type { Style } from "../../terminal/style.ts";
import type { SystemCheck } from "./check-system.ts";

/** The checks as people read them: what is missing, what that means, and the command that mends it. */
export function renderChecks(checks: readonly SystemCheck[], style: Style): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, status, detail, without, fix }) => {
      const mark = status === "ok" ? style.green("ok     ") : style.yellow(status.padEnd(7));
      const indent = " ".repeat(width + 10);
      return [
        `${name.padEnd(width)}  ${mark} ${detail}`,
        ...(status === "ok" ? [] : [`${indent}${without}`]),
        ...(fix === undefined ? [] : [`${indent}${style.bold(fix)}`]),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");
}
