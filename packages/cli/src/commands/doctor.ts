import type { Command } from "../arguments/command.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Say what is missing on this machine, and how to install it",
  description: `Looks for what Capstan can use: a sandbox for scripts and code, Python, Bash, PowerShell, a browser
for the project's own tests. Says what each is for, and the exact command that installs it. Nothing
of it is needed to start.

Where CAPSTAN_DATABASE_URL or CAPSTAN_REDIS_URL is set, it says whether that PostgreSQL and that Redis
can be reached, their versions and settings, and what to do; it changes nothing there, and shows no
password.`,
  options: { json: { type: "boolean", description: "As JSON" } },
  examples: [
    { line: "capstan doctor", says: "what is here and what is not" },
    { line: "capstan doctor --json", says: "the same for a program" },
  ],
  async run({ values }) {
    const [{ checkSystem }, { renderChecks }, { styleFor }] = await Promise.all([
      import("./doctor/check-system.ts"),
      import("./doctor/render-checks.ts"),
      import("../terminal/style.ts"),
    ]);
    const checks = await checkSystem();
    process.stdout.write(
      values["json"] === true
        ? `${JSON.stringify(checks, null, 2)}\n`
        : renderChecks(checks, styleFor(process.stdout)),
    );
    return 0;
  },
};
