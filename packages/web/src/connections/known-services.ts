/** A public service with an MCP server. */
export interface KnownService {
  readonly name: string;
  readonly title: string;
  readonly url: string;
}

/** Services that users can select instead of entering an address. */
export const knownServices: readonly KnownService[] = [
  { name: "github", title: "GitHub", url: "https://api.githubcopilot.com/mcp/" },
  { name: "huggingface", title: "Hugging Face", url: "https://huggingface.co/mcp" },
  { name: "linear", title: "Linear", url: "https://mcp.linear.app/mcp" },
  { name: "notion", title: "Notion", url: "https://mcp.notion.com/mcp" },
  { name: "sentry", title: "Sentry", url: "https://mcp.sentry.dev/mcp" },
  { name: "stripe", title: "Stripe", url: "https://mcp.stripe.com" },
];
