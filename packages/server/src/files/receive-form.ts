import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Busboy } from "busboy";
import type { ReceivedBlob, Store } from "@capstan/store";
import { decodedBody } from "../http/decode-body.ts";
import { badRequest, missingParameter, RequestError } from "../http/errors.ts";

/** A multipart form with one file. */
export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly file: {
    readonly name: string;
    readonly mimeType: string;
    /** Call `discard` in any case, also after an error. */
    readonly blob: ReceivedBlob;
  };
}

interface FormOptions {
  readonly store: Pick<Store, "receiveBlob">;
  /** The name of the form's field with the file. */
  readonly fileField: string;
  /** The names of the other fields. */
  readonly fields: readonly string[];
  /** The maximum number of bytes of the file. */
  readonly maxBytes: number;
}

/** The bytes that the form may have in addition to its file. */
const overhead = 65_536;

/**
 * Reads a multipart form while it arrives. Its file goes to the store in pieces, and is not held in
 * memory.
 *
 * @throws RequestError if the form is incomplete or too large, or has no file, a second file or an
 * unknown field. The store then keeps none of its bytes
 */
export async function receiveForm(request: Request, options: FormOptions): Promise<ReceivedForm> {
  const { store, fileField, maxBytes } = options;
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes + overhead)
    throw fileTooLarge(fileField, maxBytes);
  const parser = await createParser(request);
  const fields = new Map<string, string>();
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    parser.destroy(error);
  };
  let file:
    | (Omit<ReceivedForm["file"], "blob"> & { readonly blob: Promise<ReceivedBlob> })
    | undefined;

  parser.on("file", (field, stream, { filename, mimeType }) => {
    // Without a listener, the error of a part that was cut short would end the process.
    stream.on("error", () => undefined);
    const problem =
      field !== fileField
        ? unknownField(field, options)
        : file === undefined
          ? undefined
          : duplicate(field);
    if (problem !== undefined) {
      stream.resume();
      return fail(problem);
    }
    const blob = store.receiveBlob(limited(stream, fileField, maxBytes));
    blob.catch(fail);
    file = { name: filename ?? "", mimeType, blob };
  });
  parser.on("field", (field, value, { nameTruncated, valueTruncated }) => {
    if (field === fileField) return fail(noFileName(field));
    if (nameTruncated || !options.fields.includes(field)) return fail(unknownField(field, options));
    if (fields.has(field)) return fail(duplicate(field));
    if (valueTruncated) return fail(badRequest(field, `Invalid '${field}': too long.`));
    fields.set(field, value);
  });
  for (const limit of ["partsLimit", "filesLimit", "fieldsLimit"] as const)
    parser.on(limit, () => fail(badRequest("request", "The form has too many parts.")));

  try {
    await pipeline(Readable.from(decodedBody(request), { objectMode: false }), parser);
  } catch (thrown) {
    failure ??= thrown instanceof RequestError ? thrown : cutShort();
  }
  const blob = await file?.blob.catch((thrown: unknown) => {
    failure ??= thrown as Error;
    return undefined;
  });
  if (failure === undefined && file !== undefined && blob !== undefined)
    return { fields, file: { ...file, blob } };
  await blob?.discard();
  throw failure ?? missingParameter(fileField);
}

async function createParser(request: Request): Promise<Busboy> {
  const { default: busboy } = await import("busboy");
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\b/i.test(type))
    throw new RequestError({
      status: 415,
      code: "unsupported_media_type",
      param: "content-type",
      message: `Send the file as multipart/form-data; this came as "${type.slice(0, 100)}".`,
    });
  try {
    return busboy({
      headers: { "content-type": type },
      // Keeps the whole file name, which is checked later. Clients send it as UTF-8.
      preservePath: true,
      defParamCharset: "utf8",
      limits: { fieldNameSize: 100, fieldSize: 1_000, fields: 10, files: 2, parts: 12 },
    });
  } catch {
    throw new RequestError({
      code: "invalid_form",
      param: "content-type",
      message: "The Content-Type names no boundary. Send the form as multipart/form-data.",
    });
  }
}

async function* limited(
  pieces: AsyncIterable<Uint8Array>,
  field: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > maxBytes) throw fileTooLarge(field, maxBytes);
      yield piece;
    }
  } catch (thrown) {
    throw thrown instanceof RequestError ? thrown : cutShort();
  }
  if (size === 0)
    throw new RequestError({
      code: "empty_file",
      param: field,
      message: `Invalid '${field}': the file is empty.`,
    });
}

function fileTooLarge(param: string, maxBytes: number): RequestError {
  return new RequestError({
    status: 413,
    code: "file_too_large",
    param,
    message: `Invalid '${param}': the file has more than ${maxBytes} bytes, which is this server's limit (limits.fileBytes).`,
  });
}

function cutShort(): RequestError {
  const message = "The form ends too early, or is not valid multipart/form-data. Send it again.";
  return new RequestError({ code: "invalid_form", message });
}

function duplicate(field: string): RequestError {
  return badRequest(field, `Invalid '${field}': the form has this field twice. Send it once.`);
}

function noFileName(field: string): RequestError {
  return badRequest(
    field,
    `Invalid '${field}': it must be a file with a filename, but is a plain field.`,
  );
}

function unknownField(field: string, { fileField, fields }: FormOptions): RequestError {
  const name = field.slice(0, 100);
  const known = [fileField, ...fields].map((each) => `'${each}'`).join(", ");
  return badRequest(name, `Unsupported parameter: '${name}'. The form can have ${known}.`);
}
