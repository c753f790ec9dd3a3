// Measures 100 files of 10 functions each: read for the first time, from the cache, after a change.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { languageParsers, openToolLibrary, type ToolLibrary } from "@capstan/scripts";
import { type Figure, measuredFigure } from "../figure.ts";

const count = 100;

const languages = { python: pythonFile, powershell: powershellFile } as const;
const endings = { python: "py", powershell: "ps1" } as const;

export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const found: Figure[] = [];
  for (const language of ["python", "powershell"] as const) {
    const cold: number[] = [];
    const cached: number[] = [];
    const changed: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
      try {
        const write = (index: number, mark: string) =>
          writeFile(
            join(folder, `file_${index}.${endings[language]}`),
            languages[language](index, mark),
          );
        for (let index = 0; index < count; index++) await write(index, "first");
        cold.push(await timeOf(async () => (await open(folder)).close()));
        cached.push(await timeOf(async () => (await open(folder)).close()));
        const library = await open(folder, true);
        changed.push(
          await timeOf(async () => {
            const live = isLive(library, "second");
            await write(3, "second");
            await live;
          }),
        );
        await library.close();
      } finally {
        await rm(folder, { recursive: true });
      }
    }
    const figure = (name: string, values: readonly number[]): Figure =>
      measuredFigure({ case: `${language}: ${name}`, subject: "capstan", unit: "ms" }, values);
    found.push(
      figure("100 files of 10 functions, first read", cold),
      figure("100 files of 10 functions, from the cache", cached),
      figure("until a changed file is live", changed),
    );
  }
  return found;
}

function open(folder: string, watch = false): Promise<ToolLibrary> {
  return openToolLibrary({
    folders: [folder],
    // Creates new parsers each time, so that the search for Python is also measured.
    parsers: languageParsers(),
    run: () => Promise.reject(new Error("This bench runs no scripts.")),
    cacheSecret: "bench",
    watch,
  });
}

/** Resolves when a tool's description contains the mark. */
function isLive(library: ToolLibrary, mark: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  library.subscribe(() => {
    const isThere = library.groups.some(({ tools }) =>
      tools.some(({ definition }) => definition.function.description?.includes(mark) === true),
    );
    if (isThere) resolve();
  });
  return promise;
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function pythonFile(index: number, mark: string): string {
  const functions = Array.from(
    { length: 10 },
    (_, at) => `
def tool_${index}_${at}(name: str, days: int = 3, unit: Literal["c", "f"] = "c", tags: Optional[list[str]] = None) -> dict:
    """Does the ${mark} thing number ${at}.

    Args:
        name: Whose it is.
        days: How many days.
        unit: In which unit.
        tags: Its topics.

    Returns:
        dict: what was found
    """
    return {"name": name, "days": days, "unit": unit, "tags": tags or []}
`,
  );
  return `"""Tools of file ${index}."""\n\nfrom typing import Literal, Optional\n${functions.join("\n")}`;
}

function powershellFile(index: number, mark: string): string {
  const functions = Array.from(
    { length: 10 },
    (_, at) => `
function Get-Thing${index}x${at} {
    <#
    .SYNOPSIS
    Does the ${mark} thing number ${at}.
    .PARAMETER Name
    Whose it is.
    .PARAMETER Days
    How many days.
    #>
    param(
        [Parameter(Mandatory)] [string] $Name,
        [ValidateRange(1, 10)] [int] $Days = 3,
        [ValidateSet('c', 'f')] [string] $Unit = 'c',
        [switch] $Fast
    )
    @{ name = $Name; days = $Days; unit = $Unit }
}
`,
  );
  return `<#\n.SYNOPSIS\nTools of file ${index}.\n#>\n${functions.join("\n")}`;
}
