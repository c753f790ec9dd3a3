/** Texts of the chat: its approval requests, reviews, unknown outcomes, commands and turns. */
export const chatTexts = {
  approval: {
    noTerminal: (tool: string) =>
      `${tool} needs approval. It was denied, because there is no terminal (--yes allows it).`,
    noTerminalReason:
      "No user could be asked: this chat reads its messages from a pipe. The user can run it in a terminal, or with --yes",
    allowedByYes: (tool: string) => `${tool} is allowed once, by --yes.`,
    unclear: "Answer y, s, a, n or e.",
    notShown: "The arguments are not shown in full. Type v to see them, then answer.",
    notAllowed: "Nothing was allowed.",
    confirmEdit: "y runs it with these arguments > ",
    alreadyAnswered: (status: string) => `This request is already ${status}.`,
    once: "y  allow this call",
    onceAndEqual: "y  allow this call, and the same call later in this session",
    session: (title: string) => `s  allow for this session: ${title}; s 1h for an hour`,
    always: "a  the same in every session; a 1h for an hour",
    refuse: "n  deny, with an optional reason: n wrong folder",
    edit: "e  change the arguments",
    edited: "The call would run with:",
    noArguments: "This call has no arguments.",
    invalidArguments: 'Arguments must be a JSON object, for example {"path": "."}.',
    notJson: (reason: string) => `This is not JSON: ${reason}`,
    cut: (characters: number) => `… ${characters} more characters; v shows them all`,
    wider: {
      title: "This allows more than this call:",
      inSession: "in this session",
      inEverySession: "in every session",
      untilRevoked: "you revoke it",
      confirm: "These calls run without asking you. Type yes to allow them.",
    },
  },
  review: {
    noTerminal: (tool: string) =>
      `The result of ${tool} needs a review. It was withheld, because there is no terminal (--yes releases it).`,
    releasedByYes: (tool: string) => `The result of ${tool} is released, by --yes.`,
    unclear: "Answer r, x and a word, p and a text, w, or v.",
    notShown: "The result is not shown in full. Type v to see it, then r.",
    alreadyAnswered: (status: string) => `This result is already ${status}.`,
    title: (call: string, isError: boolean) =>
      `${call} ${isError ? "failed" : "ran"}; the model has not seen its result`,
    modelWouldRead: (total: number | undefined) =>
      `The model would read${total === undefined ? "" : `, of ${total} characters`}:`,
    release: "r  release the result",
    redact: "x  remove words from the text: x secret word; repeat for others",
    replace: "p  replace the text: p It is confidential.",
    withhold: "w  withhold the result, with an optional reason: w private",
    view: "v  show the whole result",
    whole: "The whole result:",
    modelWouldReadWithout: (words: string) => `Without ${words} the model would read:`,
    afterRedaction: "r  release this text;  x  start again with the whole text",
  },
  openApprovals: {
    none: "No call needs your approval.",
    heading: (tool: string, program: string, run: string) =>
      `${tool}${program === "" ? "" : `, called by ${program},`} needs your approval (${run}).`,
    noTerminal: "There is no terminal: answer in a terminal, or on the page.",
  },
  outcome: {
    noTerminal: (tool: string, url: string) =>
      `The outcome of ${tool} is unknown. Report it at ${url}, or with capstan outcomes in a terminal.`,
    unclear: "Answer y, n or r; Enter skips this call.",
    notShown: "The arguments are not shown in full. Type v to see them, then r.",
    alreadyAnswered: (answer: string) => `This call already has another answer: ${answer}.`,
    answers: {
      happened: "it happened",
      did_not_happen: "it did not happen",
      run_again: "run it again",
    },
    title: (tool: string) => `Did ${tool} happen?`,
    explanation: [
      "The server stopped while this call was running. The model reads your answer with the next",
      "message, and your note after the letter: y I found the mail",
    ],
    happened: "y  it happened",
    didNotHappen: "n  it did not happen",
    runAgain: "r  run it again",
    none: "The outcomes of all calls are known.",
    unreadable: (reason: string) => `The calls of this run cannot be read: ${reason}`,
  },
  session: {
    page: (url: string) => `This conversation in a browser: ${url}`,
    start: "Type a message. /help lists the commands; Ctrl+C stops an answer; /quit leaves.",
    newConversation: "Your next message starts a new conversation.",
    stopping: "Stopping; press Ctrl+C again to leave.",
    leaveHint: "Press Ctrl+C again to leave, or type /quit.",
    connectionLost: (run: string) =>
      `Run ${run} may have continued on the server: \`capstan chat --continue\` shows it.`,
    editedMarker:
      "The marker of a pasted text was changed, so nothing was sent. Delete the marker and paste the text again.",
    linesLeftOut: (lines: number, limit: number) =>
      `${lines} lines were ignored: at most ${limit} lines are kept until the answer ends.`,
  },
  ask: {
    noQuestion:
      'There is no question. Write it after the command, or pipe it: capstan ask "What time is it?"',
    longInput: "Standard input has more than 20 MB. Attach it as a file: --file PATH",
    invalidInput:
      "Standard input is not UTF-8 text, so it cannot follow the question. Attach it as a file: --file PATH",
  },
  files: {
    attached: (name: string, size: string) => `Attached ${name}, ${size}.`,
    pasted: (paths: string) =>
      `Not attached, because the message has pasted text: ${paths}. Name the files in a message without pasted text.`,
    missing: (path: string) => `There is no file ${path} here, so @${path} was sent as text.`,
    notAFile: (path: string) => `${path} is not a file. Name a file to attach.`,
    unreadable: (path: string, code: string) => `${path} cannot be attached: ${code}`,
  },
  commands: {
    help: `/new          start a conversation
/chats [N]    list the newest conversations, or continue number N
/model [ID]   list the models, or choose one
/tools [NAME] list the tools that the model is offered, or show one
/vars [NAME]  list the conversation's variables, or show one in full
/grants [N]   list your saved approvals and denials, or revoke one
/quit         leave; Ctrl+C stops an answer, twice leaves
@file attaches a file. Tab completes commands, tools, models and files.
A line that ends with \\ continues in the next one; a pasted text is one message.`,
    unknown: (word: string, hint: string) =>
      `There is no command /${word}.${hint} Nothing was sent. /help lists the commands; a space before the slash sends the line as a message.`,
    unknownModel: (id: string, hint: string) =>
      `There is no model ${id}.${hint} /model lists the models.`,
    modelChosen: (id: string) => `The next message goes to ${id}.`,
    untitled: "(no title)",
    noChats: "There are no conversations yet.",
    unknownChat: (number: string) =>
      `There is no conversation with the number ${number}. /chats lists them.`,
    noTools: "The model is offered no tools. Switch groups on in the page.",
    unknownTool: (name: string, hint: string) =>
      `The model is not offered a tool ${name}.${hint} /tools lists them.`,
    noVariables: "This conversation has no variables yet.",
    noGrants: "There are no saved approvals: each call that needs approval asks you.",
    unknownGrant: (number: string) => `There is no saved approval with the number ${number}.`,
    grantRevoked: (title: string) => `Revoked: ${title}. Its calls need approval again.`,
    corruptGrant: "corrupt: it allows nothing",
    allowed: "allowed",
    refused: "denied",
    everySession: "every session",
    thisSession: "this session",
    by: (user: string) => `by ${user}`,
    since: (time: string) => `since ${time}`,
    until: (time: string) => `until ${time}`,
    untilRevoked: "until revoked",
  },
  turn: {
    cutOff: "(cut off)",
    omitted: (tool: string) => `… more output of ${tool} is not shown …`,
    argumentsEdited: "(arguments edited by the user)",
    resultDecision: (outcome: string) => `result ${outcome} by the user`,
    clientCall: (tool: string) => `${tool} must be run by a client.`,
    restarted: (reason: string) => `The answer starts again: ${reason}`,
    tokenLimit: "The answer ended at the model's token limit.",
    contentFilter: "The provider's content filter ended the answer.",
    retry: (reason: string, attempt: number, seconds: string) =>
      `The model did not answer (${reason}). Attempt ${attempt} starts in ${seconds} s.`,
    moreLines: (count: number) => `… ${count} more ${count === 1 ? "line" : "lines"}`,
    manyLines: (count: number) => `… more than ${count} more lines`,
    timeUnknown: "time unknown",
    storedAs: (name: string) => `, stored as ${name}`,
    withheld: (tokens: string) => `${tokens} omitted`,
    resultsWithheld: (tokens: string) => `${tokens} of results omitted`,
    statuses: {
      error: "failed",
      timed_out: "timed out",
      execution_rejected: "not allowed",
      result_rejected: "ran, but its result was withheld",
      not_found: "no such tool",
      cancelled: "stopped",
      outcome_unknown: "may or may not have happened",
    },
    stopped: "Stopped.",
    timedOut: (reason: string) => (reason === "" ? "Timed out." : `Timed out: ${reason}`),
    failed: (reason: string) => (reason === "" ? "The turn failed." : `The turn failed: ${reason}`),
  },
} as const;
