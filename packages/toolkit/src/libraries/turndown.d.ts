declare module "turndown" {
  interface TurndownOptions {
    readonly headingStyle?: "setext" | "atx";
    readonly hr?: string;
    readonly bulletListMarker?: "-" | "+" | "*";
    readonly codeBlockStyle?: "indented" | "fenced";
    readonly emDelimiter?: "_" | "*";
  }
  class TurndownService {
    constructor(options?: TurndownOptions);
    use(plugin: (service: TurndownService) => void): this;
    remove(filter: readonly string[] | ((node: Element) => boolean)): this;
    addRule(
      name: string,
      rule: {
        readonly filter: string | ((node: Element) => boolean);
        readonly replacement: (content: string, node: Element) => string;
      },
    ): this;
    turndown(html: string): string;
  }
  export { TurndownService as default };
}

declare module "turndown-plugin-gfm" {
  import type TurndownService from "turndown";
  export function gfm(service: TurndownService): void;
}
