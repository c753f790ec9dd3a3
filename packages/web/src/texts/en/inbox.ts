import { plural } from "../numbers/count.ts";

/** Texts of the panel with pending requests, and of notifications. */
export const inbox = {
  title: "Needs your attention",
  open: (count: number) =>
    `${plural(count, { one: "request", other: "requests" })} needing your attention`,
  empty: "No pending requests.",
  about: "Calls that need your approval, in all chats.",
  ofChat: (title: string) => `In “${title}”`,
  openChat: "Open the chat",
  notOpened: "Could not open the request",
  ofProgram: "From a program",
  unknown: (title: string) => `A call in “${title}” may have taken effect.`,
  unknownAnswer: "Report the outcome",
  together: {
    allow: (count: number) => `Allow all ${count} once`,
    about: (tools: string) => `Allows only read-only calls that are shown in full: ${tools}.`,
    failed: "Could not allow all calls",
  },
  answered: (tool: string, answer: string, time: string) =>
    `${tool}: ${answer} at ${time}, in another window or program.`,
  ended: (tool: string, reason: string, time: string) => `${tool}: ${reason} at ${time}.`,
  answers: {
    pending: "open",
    allowed: "you allowed it",
    refused: "you rejected it",
    released: "you released the result",
    redacted: "you released the result with redactions",
    replaced: "you replaced the result",
    withheld: "you withheld the result",
    expired: "it expired",
    cancelled: "its turn ended",
  },
  notifications: {
    offer: "Notify me while this page is hidden",
    on: "This browser notifies you of new requests while this page is hidden.",
    off: "Turn off",
    denied: "This browser blocks notifications of this page. Allow them in the browser's settings.",
    title: (tool: string) => `${tool} needs your approval`,
    body: (chat: string) => `In “${chat}”`,
  },
} as const;
