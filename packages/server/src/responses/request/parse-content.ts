import { z } from "zod";
import { maxImage } from "../../http/take-data.ts";
import { failed, invalidRequest, missingParameter, ok, type Parsed } from "../../http/api-error.ts";
import { StoredData } from "../../http/stored-data.ts";
import type { InputContent } from "./input-item.ts";
import { issueError, unsupportedValue, wrongType } from "./issue-error.ts";
import { isObject, withoutNulls } from "./without-nulls.ts";

const text = z.object({ text: z.string() });
const list = z
  .array(z.unknown())
  .nullish()
  .transform((given) => given ?? []);

const schemas = {
  input_text: text.transform((part) => ({ type: "input_text", ...part })),
  text: text.transform((part) => ({ type: "input_text", ...part })),
  output_text: z
    .object({ text: z.string(), annotations: list, logprobs: list })
    .transform((part) => ({ type: "output_text", ...part })),
  refusal: z.object({ refusal: z.string() }).transform((part) => ({ type: "refusal", ...part })),
  input_image: z
    .object({
      image_url: z.string().max(maxImage),
      detail: z.string().nullish().transform(imageDetail),
    })
    .transform((part) => ({ type: "input_image", ...part })),
  input_file: z
    .object({
      filename: z.string().nullish(),
      file_data: z.string().nullish(),
      file_url: z.string().nullish(),
    })
    .transform((part) => ({ type: "input_file", ...withoutNulls(part) })),
  input_video: z
    .object({ video_url: z.string() })
    .transform((part) => ({ type: "input_video", ...part })),
} as const;

/** The parts of a message or of a call's output. Text alone is one part. */
export function parseContent(
  content: unknown,
  options: { readonly at: string; readonly textType: "input_text" | "output_text" },
): Parsed<readonly InputContent[]> {
  const { at, textType } = options;
  if (content === undefined) return failed(missingParameter(at));
  if (typeof content === "string") {
    const part = {
      text: content,
      ...(textType === "output_text" ? { annotations: [], logprobs: [] } : {}),
    };
    return ok([{ type: textType, ...part } as InputContent]);
  }
  if (content === null) return ok([]);
  if (!Array.isArray(content))
    return failed(wrongType(at, "a string or an array of content parts", content));
  const parts: InputContent[] = [];
  for (const [index, value] of content.entries()) {
    const part = parsePart(value, `${at}[${index}]`);
    if (part.status === "error") return part;
    parts.push(part.value);
  }
  return ok(parts);
}

function parsePart(value: unknown, at: string): Parsed<InputContent> {
  if (!isObject(value)) return failed(wrongType(at, "an object", value));
  const { type } = value;
  if (type === undefined) return failed(missingParameter(`${at}.type`));
  if (typeof type !== "string" || !Object.hasOwn(schemas, type)) {
    return failed(unsupportedValue(`${at}.type`, type, Object.keys(schemas)));
  }
  const noSource = missingSource(value, at);
  if (noSource !== undefined) return failed(noSource);
  // They were Base64: where a text is expected there was one.
  const stored = Object.entries(value).filter(([, member]) => member instanceof StoredData);
  const texts = Object.fromEntries(stored.map(([name]) => [name, ""]));
  const result = schemas[type as keyof typeof schemas].safeParse({ ...value, ...texts });
  if (!result.success) return failed(issueError(result.error.issues, value, at));
  const known = Object.fromEntries(stored.filter(([name]) => name in result.data));
  return ok({ ...result.data, ...known } as InputContent);
}

/** A part that names no content, or content that is not kept here. */
function missingSource(value: { readonly [key: string]: unknown }, at: string) {
  const { type, file_id: fileId } = value;
  if (type !== "input_image" && type !== "input_file") return undefined;
  const sources = type === "input_image" ? ["image_url"] : ["file_data", "file_url"];
  if (sources.some((name) => value[name] != null)) return undefined;
  if (fileId == null) return missingParameter(`${at}.${sources[0]}`);
  return invalidRequest({
    param: `${at}.file_id`,
    code: "unsupported_parameter",
    message: `Unsupported parameter: '${at}.file_id'. This server keeps no files; send the content itself as ${sources.map((name) => `'${name}'`).join(" or ")}.`,
  });
}

function imageDetail(detail: string | null | undefined): "low" | "high" | "auto" {
  return detail === "low" || detail === "high" ? detail : "auto";
}
