import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { editTools } from "@capstan/toolkit";
import { type Figure, measuredFigure } from "../figure.ts";
import { callerOf, timesOf } from "./call.ts";

const bytes = 5 * 1024 * 1024;

/** Measures an edit of one line in a file of 5 MB, with the diff in its approval request. */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-bench-edit-"));
  try {
    const line = (n: number) => `${String(n).padStart(8, "0")} ${"text ".repeat(14)}\n`;
    const count = Math.ceil(bytes / line(0).length);
    await writeFile(
      join(folder, "large.txt"),
      Array.from({ length: count }, (_, n) => line(n)).join(""),
    );
    const changes = join(folder, ".changes");
    const call = callerOf(editTools({ roots: [{ path: folder }], changes }));
    const middle = String(Math.floor(count / 2)).padStart(8, "0");
    const text = (repetition: number) => (repetition === 0 ? middle : `${middle}-${repetition}`);
    const times = await timesOf(repetitions, (repetition) =>
      call("EditFile", {
        path: "large.txt",
        edits: [{ search: `${text(repetition)} `, replace: `${text(repetition + 1)} ` }],
      }),
    );
    return [measuredFigure({ case: "edit of 5 MB", subject: "capstan", unit: "ms" }, times)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
