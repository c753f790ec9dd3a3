import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../scripts/command.ts";
import { packAndInstall } from "../scripts/packing/pack-and-install.ts";
import { withoutSourceCondition, withSourceCondition } from "../scripts/source-condition.ts";
import type { Bench } from "./bench.ts";
import { countedFigure, type Figure, measuredFigure } from "./figure.ts";
import { installedSizes } from "../scripts/packing/installed-size.ts";
import { type MeasuredStart, measureStart, type StartCommand } from "./start/measure-start.ts";

/** How many packages of the install are listed by name. */
const listedPackages = 10;

export const start: Bench = {
  name: "start",
  description:
    "Time until a started server answers, its memory when idle, and the size of an install",
  run: measure,
};

async function measure({
  repetitions = 5,
  signal,
}: Parameters<Bench["run"]>[0]): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-start-"));
  try {
    const { project } = await packAndInstall(folder);
    const installed = join(project, "node_modules/.bin/capstan");
    const commands: readonly StartCommand[] = [
      {
        subject: "npm start",
        command: ["npm", "start", "--"],
        cwd: root,
        env: withSourceCondition(),
        isWrapped: true,
      },
      {
        subject: "packed capstan",
        command: [process.execPath, installed, "serve"],
        cwd: folder,
        env: withoutSourceCondition(),
        isWrapped: false,
      },
    ];
    const starts: (readonly [string, MeasuredStart])[] = [];
    // The first start of each only fills caches.
    for (let turn = 0; turn <= repetitions; turn++)
      for (const command of commands) {
        const measured = await measureStart(command, signal);
        if (turn > 0) starts.push([command.subject, measured]);
      }
    return [...startFigures(starts), ...sizeFigures(await installedSizes(project))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function startFigures(starts: readonly (readonly [string, MeasuredStart])[]): Figure[] {
  const subjects = [...Map.groupBy(starts, ([subject]) => subject)];
  return subjects.flatMap(([subject, measured]) => [
    measuredFigure(
      { case: "start until /healthz answers", subject, unit: "s" },
      measured.map(([, { seconds }]) => seconds),
    ),
    measuredFigure(
      { case: "idle memory", subject, unit: "MB" },
      measured.map(([, { megabytes }]) => megabytes),
    ),
  ]);
}

/** Returns the size of the whole install, and that of its largest packages. */
function sizeFigures(sizes: ReadonlyMap<string, number>): Figure[] {
  const figure = (what: string, bytes: number) =>
    countedFigure({ case: what, subject: "packed capstan", unit: "MB" }, bytes / 1e6);
  const sorted = [...sizes].toSorted(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, bytes]) => sum + bytes, 0);
  return [
    figure("install size", total),
    ...sorted.slice(0, listedPackages).map(([name, bytes]) => figure(`of it ${name}`, bytes)),
  ];
}
