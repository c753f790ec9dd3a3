import { styleText } from "node:util";

type Paint = (text: string) => string;

/** Functions that format text for the terminal. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly cyan: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly inverse: Paint;
}

const same: Paint = (text) => text;

export const plainStyle: Style = {
  bold: same,
  dim: same,
  italic: same,
  underline: same,
  cyan: same,
  red: same,
  green: same,
  yellow: same,
  inverse: same,
};

/** Returns colours if the stream supports them. NO_COLOR, FORCE_COLOR and pipes are respected. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const paint =
    (format: keyof Style): Paint =>
    (text) =>
      styleText(format, text, { stream, validateStream: true });
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    italic: paint("italic"),
    underline: paint("underline"),
    cyan: paint("cyan"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    inverse: paint("inverse"),
  };
}

/** `12 ms`, `1.2 s`, `2 min 5 s` */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `812 bytes`, `12 kB`, `3.4 MB`; of 1,000 bytes each */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return formatCount(bytes, "byte");
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `1,234 tokens`, `1 token` */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
