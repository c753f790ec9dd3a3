#!/usr/bin/env node
// Nothing else is loaded before this is known: an old Node.js would fail on the first new word.
const major = Number(process.versions.node.split(".", 1)[0]);
if (major < 24) {
  process.stderr.write(
    `capstan needs Node.js 24 or newer; this is ${process.versions.node}. See https://nodejs.org/.\n`,
  );
  process.exitCode = 1;
} else {
  // The reader of the output may stop reading: `capstan tools | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const { runCommandLine } = await import("./run-command-line.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
