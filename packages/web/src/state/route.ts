import { createMemo, createRoot, createSignal } from "solid-js";

/** The page that an address names. */
type Route =
  | { readonly page: "chat"; readonly conversation: string | null }
  | { readonly page: "scripts"; readonly script: string | null }
  | { readonly page: "approval"; readonly approval: string };

const conversationPath = /^#\/c\/([^/]+)$/;
const approvalPath = /^#\/approvals\/([^/]+)$/;
const scriptsPath = /^#\/scripts(?:\/([^/]+))?$/;

function read(): Route {
  const scripts = scriptsPath.exec(location.hash);
  if (scripts !== null) return { page: "scripts", script: decoded(scripts[1]) };
  const approval = decoded(approvalPath.exec(location.hash)?.[1]);
  if (approval !== null) return { page: "approval", approval };
  return { page: "chat", conversation: decoded(conversationPath.exec(location.hash)?.[1]) };
}

function decoded(part: string | undefined): string | null {
  return part === undefined ? null : decodeURIComponent(part);
}

const [route, setRoute] = createSignal<Route>(read());

addEventListener("hashchange", () => setRoute(read()));

export const routedPage = () => route().page;

/**
 * The conversation that the address names; null for a new chat. It stays open while another page is
 * shown.
 */
export const routedConversation = createRoot(() =>
  createMemo<string | null>((before) => {
    const now = route();
    return now.page === "chat" ? now.conversation : before;
  }, null),
);

/** The request to open, from a link in a message. */
export const routedApproval = () => {
  const now = route();
  return now.page === "approval" ? now.approval : null;
};

/** The file that is shown on the page of scripts. */
export const routedScript = () => {
  const now = route();
  return now.page === "scripts" ? now.script : null;
};

export function conversationHref(id: string): string {
  return `#/c/${encodeURIComponent(id)}`;
}

export function navigateTo(id: string | null): void {
  location.hash = id === null ? "#/" : conversationHref(id);
}

export function scriptHref(id: string): string {
  return `#/scripts/${encodeURIComponent(id)}`;
}

export function navigateToScript(id: string | null): void {
  location.hash = id === null ? "#/scripts" : scriptHref(id);
}

/** The address of the open chat. */
export function chatHref(): string {
  const id = routedConversation();
  return id === null ? "#/" : conversationHref(id);
}
