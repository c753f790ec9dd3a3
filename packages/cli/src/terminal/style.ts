import { styleText } from "node:util";

type Paint = (text: string) => string;

/** How the terminal sets things apart. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

const same: Paint = (text) => text;

export const plainStyle: Style = { bold: same, dim: same, red: same, green: same, yellow: same };

/** Colours where the stream shows them: NO_COLOR, FORCE_COLOR and pipes are respected. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const paint =
    (format: keyof Style): Paint =>
    (text) =>
      styleText(format, text, { stream, validateStream: true });
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
  };
}
