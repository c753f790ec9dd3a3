/** The bytes that a request asks for: all, a range, or none that exist. */
export type RequestedRange =
  | { readonly type: "all" }
  /** `to` is the first byte after the range. */
  | { readonly type: "range"; readonly from: number; readonly to: number }
  | { readonly type: "unsatisfiable" };

/**
 * Parses a `Range` header. A header that is not a single range of bytes is ignored, as HTTP allows.
 *
 * @param size the number of bytes of the file
 * @example requestedRange("bytes=0-3", 10); // { type: "range", from: 0, to: 4 }
 */
export function requestedRange(header: string | undefined, size: number): RequestedRange {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === "" && last === "") return { type: "all" };
  if (first === "") {
    const length = Math.min(Number(last), size);
    if (length === 0) return { type: "unsatisfiable" };
    return { type: "range", from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return { type: "all" };
  return from < size ? { type: "range", from, to } : { type: "unsatisfiable" };
}
