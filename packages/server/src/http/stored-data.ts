/**
 * The bytes of an image or a file, which stood in a request as Base64. In JSON it is a reference;
 * only this class makes one of a request, so that no client can refer to another's bytes.
 */
export class StoredData {
  readonly sha256: string;
  readonly size: number;
  /** What stood before the Base64: `data:image/png;base64,`, or nothing. */
  readonly prefix: string;
  /** Absent if they are stored already, for an earlier request. */
  readonly bytes: Uint8Array | undefined;

  constructor(given: {
    readonly sha256: string;
    readonly size: number;
    readonly prefix: string;
    readonly bytes?: Uint8Array;
  }) {
    this.sha256 = given.sha256;
    this.size = given.size;
    this.prefix = given.prefix;
    this.bytes = given.bytes;
  }

  /** The length of the text that it stands for. */
  get length(): number {
    return this.prefix.length + Math.ceil(this.size / 3) * 4;
  }

  toJSON(): { readonly sha256: string; readonly size: number; readonly prefix: string } {
    const { sha256, size, prefix } = this;
    return { sha256, size, prefix };
  }
}

/** Makes a reference again that was stored as JSON. */
export function asStoredData(value: unknown): StoredData | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { sha256, size, prefix } = value as { readonly [name: string]: unknown };
  if (typeof sha256 !== "string" || typeof size !== "number" || typeof prefix !== "string")
    return undefined;
  return new StoredData({ sha256, size, prefix });
}
