/** The type of an image or a sound, found in its bytes. */
export interface MediaType {
  readonly kind: "image" | "audio";
  readonly mimeType: string;
  /** The usual ending of file names, without a dot. */
  readonly extension: string;
}

const image = (mimeType: string, extension: string): MediaType => ({
  kind: "image",
  mimeType,
  extension,
});
const audio = (mimeType: string, extension: string): MediaType => ({
  kind: "audio",
  mimeType,
  extension,
});

/**
 * Returns the type of an image or a sound, regardless of its name and of the type that a service
 * claims, or `undefined` if it is neither.
 *
 * @example mediaType(Buffer.from("\x89PNG\r\n\x1a\n…", "latin1")) // { kind: "image", mimeType: "image/png", extension: "png" }
 */
export function mediaType(bytes: Uint8Array): MediaType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 512));
  const text = head.toString("latin1");
  const at4 = text.slice(4, 12);
  if (text.startsWith("\x89PNG\r\n\x1A\n")) return image("image/png", "png");
  if (text.startsWith("\xFF\xD8\xFF")) return image("image/jpeg", "jpg");
  if (text.startsWith("GIF8")) return image("image/gif", "gif");
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return image("image/webp", "webp");
  if (/^ftypavi[fs]/.test(at4)) return image("image/avif", "avif");
  if (
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<svg[\s>]/.test(text.replace(/^\xEF\xBB\xBF/, ""))
  )
    return image("image/svg+xml", "svg");
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WAVE") return audio("audio/wav", "wav");
  if (text.startsWith("fLaC")) return audio("audio/flac", "flac");
  if (text.startsWith("OggS")) return audio("audio/ogg", "ogg");
  if (text.startsWith("\x1A\x45\xDF\xA3")) return audio("audio/webm", "webm");
  if (at4.startsWith("ftyp")) return audio("audio/mp4", "m4a");
  const isFrame = head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2;
  if (text.startsWith("ID3") || isFrame) return audio("audio/mpeg", "mp3");
  return undefined;
}

/** Returns the width and height of a PNG image, as `1024x1024`. */
export function pngSize(bytes: Uint8Array): string | undefined {
  if (mediaType(bytes)?.mimeType !== "image/png" || bytes.length < 24) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 24);
  return `${view.getUint32(16)}x${view.getUint32(20)}`;
}
