import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openConnections } from "@capstan/connections";
import { unconfined } from "@capstan/sandbox";
import { countedFigure, type Figure, measuredFigure } from "../figure.ts";
import { timesOf } from "./call.ts";

const [operations, schemas] = [1_000, 400];
const work = `OpenAPI document of ${operations.toLocaleString("en")} operations`;

/** A document of about 4 MB, whose schemas refer to each other in cycles of ten. */
function largeDocument(): string {
  const words = "Returns the members of this kind of thing, with all of their properties. ".repeat(
    4,
  );
  const ref = (n: number) => ({ $ref: `#/components/schemas/S${n % schemas}` });
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const schema = (n: number) => ({
    type: "object",
    required: ["id"],
    properties: {
      ...Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [
          `field${at}`,
          { type: "string", nullable: true, description: words, example: "a" },
        ]),
      ),
      id: { type: "integer", readOnly: true },
      next: ref(n - (n % 10) + ((n + 1) % 10)),
      ...(n % 40 === 0 && { others: { type: "array", items: ref(n + 13) } }),
    },
  });
  const operation = (n: number) => ({
    operationId: `things/${n % 2 === 0 ? "list" : "make"}-${n}`,
    summary: `Works with thing ${n}`,
    description: words,
    tags: [`tag${n % 30}`],
    parameters: Array.from({ length: 4 }, (_, at) => ({
      name: `parameter${at}`,
      in: "query",
      description: words,
      schema: { type: "string", example: "a" },
    })),
    ...(n % 2 === 1 && { requestBody: json(ref(n)) }),
    responses: { 200: { description: "ok", ...json({ type: "array", items: ref(n) }) } },
  });
  return JSON.stringify({
    openapi: "3.0.3",
    info: { title: "Things", version: "1" },
    servers: [{ url: "https://api.example.org" }],
    paths: Object.fromEntries(
      Array.from({ length: operations }, (_, n) => [
        `/things${n}`,
        { [n % 2 === 0 ? "get" : "post"]: operation(n) },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(Array.from({ length: schemas }, (_, n) => [`S${n}`, schema(n)])),
    },
  });
}

/** Measures the time until the tools of a large document exist, and the memory of its process. */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  const document = join(folder, "document.json");
  await writeFile(document, largeDocument());
  let most = 0;
  const watch = setInterval(() => {
    void memoryOfChildren().then((megabytes) => (most = Math.max(most, megabytes)));
  }, 50);
  try {
    const times = await timesOf(repetitions, async (repetition) => {
      const connections = openConnections({
        connections: [
          {
            type: "openapi",
            name: "things",
            document,
            variables: {},
            credentials: {},
            headers: {},
          },
        ],
        folder: join(folder, String(repetition)),
        host: {
          version: "1",
          programs: { sandbox: unconfined, hidden: [], protected: [] },
          log: () => {},
        },
        watch: false,
      });
      await connections.check();
      const tools = connections.groups[0]?.tools.length;
      await connections.close();
      if (tools !== operations) throw new Error(`There are ${tools} tools.`);
    });
    const label = { subject: "capstan" };
    return [
      measuredFigure({ ...label, case: work, unit: "ms" }, times),
      countedFigure({ ...label, case: `${work}: memory`, unit: "MB" }, most),
    ];
  } finally {
    clearInterval(watch);
    await rm(folder, { recursive: true });
  }
}

/** Returns the largest memory that a process which this one started has had, in megabytes. */
async function memoryOfChildren(): Promise<number> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const sizes = await Promise.all(
    ids.map(async (id) => {
      const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
      const isChild = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === process.pid;
      return isChild ? Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024 : 0;
    }),
  );
  return Math.round(Math.max(0, ...sizes));
}
