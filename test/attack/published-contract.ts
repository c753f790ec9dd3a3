import { Ajv2020 } from "ajv/dist/2020.js";
import type { Answer } from "./send.ts";

/** Compares answers of a server with its own OpenAPI document. */
export interface PublishedContract {
  /**
   * Returns the differences between an answer and the document, in its form or in the status of an
   * error.
   *
   * @param path the route's path, for example `/v1/runs/:id`
   */
  problemsOf(method: string, path: string, answer: Answer): readonly string[];
}

interface Described {
  readonly responses: { readonly [status: string]: object };
}

/** Reads the document of a server. */
export async function readContract(url: string): Promise<PublishedContract> {
  const document = (await (await fetch(new URL("/openapi.json", url))).json()) as object;
  const { paths } = document as {
    readonly paths: { readonly [path: string]: { readonly [method: string]: Described } };
  };
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addSchema(document, "contract");

  function check(pointer: string, value: unknown): readonly string[] {
    const validate = ajv.getSchema(`contract#${pointer}`);
    if (validate === undefined) return [`${pointer} is not in the document`];
    if (validate(value) === true) return [];
    return [ajv.errorsText(validate.errors ?? []), JSON.stringify(value).slice(0, 400)];
  }

  return {
    problemsOf(method, path, { status, text }) {
      const name = path.replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}");
      const { responses } = paths[name]?.[method.toLowerCase()] ?? { responses: {} };
      if (status >= 400 && !(status in responses)) return [`the status ${status} is not described`];
      if (status !== 200 || path === "/openapi.json") return [];
      const content = `/paths/${name.replaceAll("/", "~1")}/${method.toLowerCase()}/responses/200/content`;
      if (text.startsWith("{"))
        return check(`${content}/application~1json/schema`, JSON.parse(text));
      const events = text.split("\n").filter((line) => line.startsWith("data: {"));
      return events.flatMap((line) =>
        check(`${content}/text~1event-stream/schema`, JSON.parse(line.slice(6))),
      );
    },
  };
}
