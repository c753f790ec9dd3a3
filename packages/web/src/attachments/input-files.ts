/** An image or a file in a run's input. */
export interface InputFile {
  /** The id on the server; null for a file whose bytes or address the client sent. */
  readonly id: string | null;
  readonly name: string;
  readonly isImage: boolean;
}

/** Returns the files of a user's messages in a run's input, which is text or Responses items. */
export function inputFiles(input: readonly unknown[]): InputFile[] {
  return input.flatMap((item) => {
    if (typeof item !== "object" || item === null) return [];
    const { role, content } = item as { role?: unknown; content?: unknown };
    if (role !== "user" || !Array.isArray(content)) return [];
    return content.flatMap((part) => fileOf(part) ?? []);
  });
}

function fileOf(part: unknown): InputFile | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type, file_id: id, filename } = part as { [field: string]: unknown };
  if (type !== "input_image" && type !== "input_file") return undefined;
  const isImage = type === "input_image";
  const name = typeof filename === "string" ? filename : isImage ? "image" : "file";
  return { id: typeof id === "string" ? id : null, name, isImage };
}
