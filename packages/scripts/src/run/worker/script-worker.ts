import { randomUUID } from "node:crypto";
import type { Program, ProgramEnd, RunningProgram, Sandbox } from "@capstan/sandbox";
import { encodeFrame, FrameReader } from "./frames.ts";
import {
  type CallAnswer,
  callMessage,
  type CallProgress,
  type CallReport,
  type CallRequest,
  type HostReply,
  type HostRequest,
  type ScriptException,
  workerMessage,
} from "./messages.ts";
import { PrintReader } from "./print-reader.ts";

/** The size of the largest result in bytes, the same as a variable's. */
const maxResultBytes = 64 * 1024 * 1024;

/** Receives the output and the requests of a call. */
export interface CallHost {
  onPrint(text: string): void;
  onProgress(progress: CallProgress): void;
  onReport(report: CallReport): void;
  onRequest(request: HostRequest): Promise<HostReply>;
}

/** The end of a call. */
export type CallEnd =
  | CallAnswer
  /** Its process ended without an answer: by a signal, or by itself. */
  | {
      readonly type: "crashed";
      readonly how?: { readonly signal: number } | { readonly code: number };
      readonly output: string;
    }
  | {
      readonly type: "too_large";
      readonly bytes: number;
      /** True if it has too many values; false if it has too many bytes. */
      readonly hasManyValues: boolean;
    }
  /** The script could not be imported. */
  | { readonly type: "not_loaded"; readonly error: ScriptException };

/** A process that has imported a script and runs one call of it at a time. */
export interface ScriptWorker {
  /** The number of calls that it has run. */
  readonly calls: number;
  /** Whether it can run another call: it is alive, and nothing is left of the last call. */
  readonly isUsable: boolean;
  readonly ended: Promise<ProgramEnd>;
  /**
   * Runs a call.
   *
   * @throws the signal's reason, after ending the process and everything that it started
   */
  call(request: CallRequest, host: CallHost, signal: AbortSignal): Promise<CallEnd>;
  /** Sets whether the worker keeps this process alive. */
  hold(held: boolean): void;
  end(): void;
}

interface ActiveCall {
  readonly host: CallHost;
  readonly finish: (end: CallEnd) => void;
  answer?: CallEnd;
  /**
   * The descriptors are read separately, so the answer is complete only at the end of all three.
   */
  readonly waitsFor: Set<"worker" | "prints" | "messages">;
}

/** Starts a worker. The last arguments of `program` are a mark and whether the worker is alone. */
export function startScriptWorker(sandbox: Sandbox, program: Program): ScriptWorker {
  const mark = `\0capstan ${randomUUID()}\0`;
  const alone = sandbox.kind === "none" ? "shared" : "alone";
  const running = sandbox.start({
    ...program,
    args: [...program.args, mark.slice(1, -1), alone],
    channels: 2,
  });
  return new Worker(running, mark);
}

class Worker implements ScriptWorker {
  readonly #running: RunningProgram;
  readonly #loaded = Promise.withResolvers<CallEnd | undefined>();
  #active: ActiveCall | undefined;
  #isUsable = true;
  #output = "";
  /** Output of the script from before its first call, which gets it. */
  #loadPrints = "";
  /** The first mark ends the output of the import, and each other one the output of a call. */
  #marks = 0;
  calls = 0;

  constructor(running: RunningProgram, mark: string) {
    this.#running = running;
    const prints = new PrintReader({
      mark,
      onText: (text) => {
        if (this.#active !== undefined) this.#active.host.onPrint(text);
        else if (this.calls === 0) this.#loadPrints += text;
      },
      onMark: () => {
        this.#marks++;
        if (this.#marks === this.calls + 1) this.#arrived("prints");
      },
    });
    running.stdout.on("data", (chunk: Buffer) => prints.push(chunk));
    // Messages of bubblewrap or the interpreter before the worker has started.
    running.stderr.on("data", (chunk: Buffer) => {
      if (this.#output.length < 4_000) this.#output += chunk.toString();
    });
    const [calls, control] = running.channels;
    const onCall = new FrameReader({ maxBytes: maxResultBytes });
    calls?.on("data", (chunk: Buffer) => {
      for (const decoded of onCall.push(chunk)) {
        if (decoded.status === "message") this.#onCallMessage(decoded.message);
        else {
          const hasManyValues = decoded.reason === "too_many_values";
          this.#abortCall({ type: "too_large", bytes: decoded.bytes, hasManyValues });
        }
      }
    });
    const onControl = new FrameReader({ maxBytes: 1024 * 1024 });
    control?.on("data", (chunk: Buffer) => {
      for (const decoded of onControl.push(chunk))
        if (decoded.status === "message") this.#onWorkerMessage(decoded.message);
    });
    void running.ended.then(() => {
      this.#isUsable = false;
      const crash: CallEnd = { type: "crashed", output: this.#output };
      this.#loaded.resolve(crash);
      this.#active?.finish(this.#active.answer ?? crash);
    });
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  get ended(): Promise<ProgramEnd> {
    return this.#running.ended;
  }

  async call(request: CallRequest, host: CallHost, signal: AbortSignal): Promise<CallEnd> {
    signal.throwIfAborted();
    const { promise, resolve: finish, reject } = Promise.withResolvers<CallEnd>();
    this.#active = { host, finish, waitsFor: new Set(["worker", "prints", "messages"]) };
    this.calls++;
    if (this.#loadPrints !== "") host.onPrint(this.#loadPrints);
    this.#loadPrints = "";
    const abort = () => {
      this.end();
      // The call ends when nothing of it runs any more.
      void this.#running.ended.then(() => reject(signal.reason as Error));
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      this.#running.stdin.write(encodeFrame(request));
      const end = (await Promise.race([this.#loaded.promise, promise])) ?? (await promise);
      signal.throwIfAborted();
      return end;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#active = undefined;
    }
  }

  hold(held: boolean): void {
    this.#running.hold(held);
  }

  end(): void {
    this.#isUsable = false;
    this.#running.kill();
  }

  #onCallMessage(received: unknown): void {
    const active = this.#active;
    if (active === undefined) return;
    const { data: message } = callMessage.safeParse(received);
    switch (message?.type) {
      case "progress":
        active.host.onProgress(message);
        return;
      case "write":
      case "event":
      case "cite":
        active.host.onReport(message);
        return;
      case "ask":
        void this.#reply(message, active);
        return;
      case "result":
      case "parts":
      case "error":
        active.answer ??= message;
        return;
      case "over":
        active.answer ??= { type: "crashed", output: "" };
        this.#arrived("messages");
        return;
      default:
        this.#abortCall({
          type: "crashed",
          output: "The script sent an invalid message to its call.",
        });
    }
  }

  async #reply(request: HostRequest, active: ActiveCall): Promise<void> {
    const reply = await active.host.onRequest(request);
    // The call may have ended, and the next call must not get this reply.
    if (this.#active === active)
      this.#running.channels[0]?.write(encodeFrame({ id: request.id, ...reply }));
  }

  #onWorkerMessage(received: unknown): void {
    const { data: message } = workerMessage.safeParse(received);
    switch (message?.type) {
      case "ready":
        this.#loaded.resolve(undefined);
        return;
      case "failed":
        this.#isUsable = false;
        this.#loaded.resolve({ type: "not_loaded", error: message.error });
        return;
      case "ended":
        this.#isUsable &&= message.clean;
        if (message.crashed !== undefined) this.#crash(message.crashed);
        this.#arrived("worker");
        return;
      default: {
        const end: CallEnd = {
          type: "crashed",
          output: "The script sent an invalid message to its worker.",
        };
        this.#loaded.resolve(end);
        this.#abortCall(end);
      }
    }
  }

  /** Its last message may be incomplete, so nothing after it can be read. */
  #crash(how: NonNullable<Extract<CallEnd, { readonly type: "crashed" }>["how"]>): void {
    this.#isUsable = false;
    const active = this.#active;
    if (active === undefined) return;
    active.answer = { type: "crashed", output: "", how };
    this.#arrived("messages");
  }

  #arrived(what: "worker" | "prints" | "messages"): void {
    const active = this.#active;
    if (active === undefined) return;
    active.waitsFor.delete(what);
    if (active.waitsFor.size === 0 && active.answer !== undefined) active.finish(active.answer);
  }

  #abortCall(end: CallEnd): void {
    this.#active?.finish(end);
    this.end();
  }
}
