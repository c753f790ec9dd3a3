import type { ApprovalView } from "@capstan/contract";
import { visibleText } from "@capstan/core/text";
import { createSignal } from "solid-js";
import { inboxTexts } from "../texts/inbox.ts";
import { createPreference } from "./preferences.ts";

/** `unavailable`: the browser has no notifications, or the page was loaded without TLS. */
export type NotificationState = "unavailable" | "off" | "on" | "denied";

/** Creates the state of the browser's notifications. They are off until the user turns them on. */
export function createNotifications() {
  const isAvailable = "Notification" in window && window.isSecureContext;
  const [wanted, setWanted] = createPreference("notifications");
  const [permission, setPermission] = createSignal(
    isAvailable ? Notification.permission : "denied",
  );

  const state = (): NotificationState => {
    if (!isAvailable) return "unavailable";
    if (permission() === "denied") return "denied";
    return wanted() === "on" && permission() === "granted" ? "on" : "off";
  };

  /** Asks the browser for permission. Call this after a click only. */
  async function turnOn(): Promise<void> {
    setPermission(await Notification.requestPermission());
    if (permission() === "granted") setWanted("on");
  }

  /**
   * Notifies the user of requests if the page is hidden.
   *
   * @param chatOf returns the title of a request's chat
   * @param onClick called if the user clicks the notification
   */
  function notify(
    requests: readonly ApprovalView[],
    {
      chatOf,
      onClick,
    }: {
      readonly chatOf: (request: ApprovalView) => string | undefined;
      readonly onClick: () => void;
    },
  ): void {
    if (state() !== "on" || document.visibilityState === "visible") return;
    for (const request of requests) {
      const chat = chatOf(request);
      try {
        // Because of the tag, this replaces the notification of another tab.
        const shown = new Notification(
          inboxTexts.notifications.title(visibleText(request.toolName)),
          {
            tag: request.id,
            icon: "/favicon.svg",
            ...(chat !== undefined && { body: inboxTexts.notifications.body(chat) }),
          },
        );
        shown.addEventListener("click", () => {
          window.focus();
          shown.close();
          onClick();
        });
      } catch {
        // Browsers on phones only allow notifications from service workers.
      }
    }
  }

  return { state, turnOn, turnOff: () => setWanted(null), notify };
}
