#!/usr/bin/env node
// This check runs before any import, because an old Node.js would fail on new syntax.
const major = Number(process.versions.node.split(".", 1)[0]);
if (major < 24) {
  process.stderr.write(
    `capstan needs Node.js 24 or later, but this is ${process.versions.node}. See https://nodejs.org/.\n`,
  );
  process.exitCode = 1;
} else {
  // A pipe can close early: `capstan tools | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const { runCommandLine } = await import("./run-command-line.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
