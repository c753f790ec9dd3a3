import type { Style } from "../../terminal/style.ts";

/** A program or a service that Capstan can use, and whether it is available. */
export interface SystemCheck {
  readonly name: string;
  /** `wrong`: it is configured, but servers cannot use it in its current state. */
  readonly status: "ok" | "missing" | "wrong";
  /** Its version and location, or its problem. */
  readonly detail: string;
  /** The effect of its absence. */
  readonly without: string;
  /** The command that installs or repairs it, or another remedy. */
  readonly fix?: string;
}

/** Formats the checks as text: the missing programs, the effect of their absence, and the remedies. */
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
