import { formatCount, plural } from "../numbers/count.ts";

const interrupted = {
  title: "The server stopped in the middle of this turn",
  advice: "Completed work is saved. Calls that were running may have taken effect.",
};

const failures = {
  authentication: {
    title: "The provider does not accept the key",
    advice: "Set another key in the settings, or choose another model below, and try again.",
  },
  rate_limit: {
    title: "The provider's rate limit was reached",
    advice:
      "There were too many requests in a short time. Wait a moment, or choose another model below, and try again.",
  },
  insufficient_quota: {
    title: "The account has no credit left",
    advice: "Add credit at the provider, or choose another model below, and try again.",
  },
  context_length: {
    title: "The conversation is too long for this model",
    advice: "Start a new chat, or choose a model with a larger context below and try again.",
  },
  model_not_found: {
    title: "The provider does not know this model",
    advice: "Choose another model below, and try again.",
  },
  bad_request: {
    title: "The provider rejected the request",
    advice: "The message above gives the reason. Another model may accept the request.",
  },
  empty_answer: {
    title: "The model returned no answer",
    advice:
      "The model was asked twice. The results of its tools are saved. Try again, or choose another model below.",
  },
  connection: {
    title: "The provider could not be reached",
    advice:
      "Check the network, or check that the model's server is running. Completed calls are not run again.",
  },
  timeout: {
    title: "The model stopped responding",
    advice: "No data arrived within the time limit. Completed calls are not run again.",
  },
  server: {
    title: "The provider failed",
    advice:
      "The error is on the provider's side and is often temporary. Completed calls are not run again.",
  },
  interrupted,
} as const;

/** Texts of the conversation: its turns, failures, and the field for the next message. */
export const chat = {
  label: "Chat",
  messages: "Messages",
  opening: "Opening the conversation…",
  missing: "This conversation does not exist. It may have been deleted.",
  startNew: "Start a new chat",
  tryAgain: "Try again",
  announce: {
    answer: (text: string) => `Answer: ${text}`,
    approval: (tool: string) => `${tool} needs your approval.`,
    review: (tool: string) => `The result of ${tool} needs your approval.`,
  },
  composer: {
    label: "New message",
    message: "Message",
    placeholder: "Ask for something",
    offlinePlaceholder: "/help, or one /Tool {…} per line",
    toolGroups: "Enabled tool groups",
    groups: (count: number) => plural(count, { one: "group", other: "groups" }),
    send: "Send",
    sendTitle: "Send (Enter)",
    stop: "Stop",
    stopTitle: "Stop (Esc)",
    sendHint: "sends,",
    newLineHint: "adds a line",
    stopHint: "stops the turn",
    queueHint: "sends after this turn,",
  },
  attachments: {
    attach: "Attach files",
    attachTitle: "Attach files. You can also paste them, or drop them on the chat",
    list: "Files of this message",
    uploading: "Uploading…",
    drop: "Drop the files to attach them",
    pastedName: "pasted text.txt",
    retry: (name: string) => `Upload ${name} again`,
    remove: (name: string) => `Remove ${name}`,
    tooMany: (most: number, leftOut: number) =>
      `A message has at most ${most} files. ${plural(leftOut, { one: "file", other: "files" })} not attached.`,
  },
  queue: {
    label: "Queued messages",
    add: "Send after this turn",
    about: "Will be sent after this turn:",
    held: "Not sent, because the turn did not complete:",
    edit: "Change the message",
    remove: "Remove the message",
  },
  stale:
    "This chat has new messages from another window or program, which are now shown above. Your message was not sent: check it, then send it again.",
  failures,
  interrupted,
  failed: { title: "This turn failed", advice: "Completed calls are not run again." },
  tookTooLong: {
    title: "This turn took too long",
    advice: "It was stopped at its time limit. Completed work is saved.",
  },
  stopped: { title: "You stopped this turn", advice: "Completed work is saved." },
  retry: "Try again",
  setKey: "Set a key",
  continue: "Continue",
  retryAfter: (time: string) => `The provider suggests waiting ${time}.`,
  turn: {
    sending: "Sending…",
    youSaid: "You said:",
    retry: (reason: string, attempt: number, seconds: number) =>
      `${reason} Attempt ${attempt} starts in ${seconds} s.`,
    thinking: "The model is thinking.",
    gone: "The server no longer has this run. Reload the page to see the saved part.",
    cutOff: "The answer was cut off here.",
    reasoningOpen: "Thinking…",
    reasoning: "The model's reasoning",
    restarted: "The model was cut off here and started again",
    /** @param _limit the name of the limit @param message a sentence of the server */
    limitReached: (_limit: string, message: string) =>
      `${message} The model was asked to answer without more tools.`,
    tokenLimit: "The answer ended at the model's token limit.",
    contentFilter: "The provider's content filter ended the answer.",
    earlierCall: "earlier call",
  },
  stats: {
    aboutTime: "The time excludes waiting for approvals.",
    about:
      "The time excludes waiting for approvals. Results: tokens shown to the model, and tokens omitted, which are stored in variables. Model: tokens as counted by the provider. Cost: at the prices of the settings file, in their currency.",
    calls: (rounds: number, calls: number) =>
      `${plural(rounds, { one: "round", other: "rounds" })}, ${plural(calls, { one: "call", other: "calls" })}`,
    results: (shown: number, withheld: number) =>
      `results: ${formatCount(shown)} tokens shown, ${formatCount(withheld)} omitted`,
    model: (input: number, cached: number | undefined, output: number) =>
      `model: ${formatCount(input)} tokens in${cached ? ` (${formatCount(cached)} cached)` : ""}, ${formatCount(output)} out`,
    cost: (cost: string) => `cost: ${cost}`,
  },
  toEnd: "Jump to the end",
  copyAnswer: "Copy the answer as Markdown",
  copyMessage: "Copy the message",
  repeat: "Ask again",
  repeatTitle: "Ask again with the chosen model. This answer is kept as another version",
  edit: "Change the message",
  editTitle: "Change the message and send it again. This version is kept",
  notLoaded: "The message was not loaded",
  notRepeated: "The message was not sent",
  editNote: "The chat continues from the changed message. Its earlier version is kept.",
  versions: {
    label: "Versions of this message",
    previous: "Previous version",
    next: "Next version",
    place: (number: number, count: number) => `${number} of ${count}`,
  },
  welcome: {
    title: "What would you like to do?",
    about: "Capstan gives a language model tools and keeps you in control of them.",
    offline:
      "You are using the offline model. It is not an AI: it only runs the tools that you name.",
    addModel: "Add a model",
    online: "Ask for something. If a call needs your approval, you are asked first.",
    suggestions: "Things to try",
  },
  suggestions: {
    listFolder: { title: "List this folder", text: '/ListFiles {"path":"."}' },
    severalCommands: {
      title: "Run several tools in parallel",
      text: '/ListFiles {"path":"."}\n/DateTime {}\n/ListVars {}',
    },
    fetchCommand: {
      title: "Fetch a web page",
      text: '/FetchWebPage {"url":"https://example.org/"}',
    },
    help: { title: "See what the offline model can do", text: "/help" },
    explore: {
      title: "Explore this folder",
      text: "What is in this folder? Look at the most important files and summarize them in five lines.",
    },
    readPage: {
      title: "Read a web page",
      text: "Fetch https://example.org and tell me in two sentences what it is for.",
    },
    several: {
      title: "Do two things in parallel",
      text: "Find all Markdown files here, and at the same time tell me what day of the week it is in Tokyo.",
    },
    tools: {
      title: "See what it can do",
      text: "Which tools do you have, and what could you do for me with them?",
    },
    plan: {
      title: "Plan the next step",
      text: "Ask me three questions about what I am working on, then suggest a next step.",
    },
    explain: {
      title: "Explain something",
      text: "How does a capstan hold a load when the crew releases the bars?",
    },
  },
} as const;
