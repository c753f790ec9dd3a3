import { defineTool, type Tool, type ToolContext } from "@capstan/core";
import { z } from "zod";
import { pathErrors } from "../files/file-roots.ts";
import { replyFailure, serviceErrors } from "../service/reply-failure.ts";
import {
  jsonOf,
  readBytes,
  type SendRequest,
  type ServiceReply,
} from "../service/service-client.ts";
import {
  askMediaService,
  eventFailure,
  type MediaService,
  reasonOf,
  unexpectedReply,
} from "./media-service.ts";
import {
  type MediaSources,
  readSource,
  sourceErrors,
  sourceScope,
  sourceText,
  variablesOf,
} from "./media-source.ts";
import { readEvents } from "./read-events.ts";
import { returnMediaErrors } from "./return-media-errors.ts";

const parameters = z.object({
  audio: z.string().min(1).describe(sourceText),
  language: z
    .string()
    .refine((code) => /^[a-z]{2,3}$/.test(code), { error: "expected a code such as en" })
    .optional()
    .describe("The language's code, if known."),
  prompt: z
    .string()
    .max(2_000)
    .optional()
    .describe("Names and terms in the recording, or the end of the preceding text."),
  timestamps: z
    .boolean()
    .default(false)
    .describe("Whether to add the time of each segment. Not all services can."),
});

type Args = z.infer<typeof parameters>;

interface Segment {
  /** Seconds from the beginning. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Transcript {
  readonly text: string;
  readonly audio: string;
  readonly language?: string;
  /** In seconds. */
  readonly duration?: number;
  readonly segments?: readonly Segment[];
  readonly note?: string;
}

/** The transcription service, and the HTTP client for it. */
export interface TranscriptionAccess {
  readonly service: MediaService;
  readonly send: SendRequest;
}

const largestAudio = 25 * 1024 * 1024;

/** `TranscribeAudio`: transcribes a recording. */
export function transcribeAudio(access: TranscriptionAccess, sources: MediaSources): Tool {
  return defineTool({
    name: "TranscribeAudio",
    description: "Transcribes a recording (MP3, M4A, WAV, FLAC, Ogg, WebM; up to 25 MB).",
    parameters,
    effects: "read",
    idempotent: false,
    permission: {
      executionPolicy: "ask-once",
      grantScope: ({ audio }) =>
        sourceScope([audio], "recordings of this conversation and the readable folders"),
      readsVariables: ({ audio }) => variablesOf([audio]),
    },
    timeoutMs: 330_000,
    maxConcurrent: 4,
    declaredReturnType: {
      type: "{text, audio, language?, duration?, segments?: {start, end, text}[], note?}",
    },
    examples: [
      {
        title: "A German recording, with the time of each segment.",
        args: { audio: "notes/meeting.mp3", language: "de", timestamps: true },
      },
    ],
    errors: { ...serviceErrors, ...sourceErrors, ...pathErrors },
    compressArgs: ({ audio }) => audio.slice(0, 200),
    formatForLLM: formatTranscript,
    execute: (args, context) =>
      returnMediaErrors(() => transcribe(args, context, access, sources), access.service.key),
  });
}

async function transcribe(
  { audio, language, prompt, timestamps }: Args,
  context: ToolContext,
  { service, send }: TranscriptionAccess,
  sources: MediaSources,
): Promise<Transcript> {
  context.output.progress({ message: "Reading the recording" });
  const wanted = { kind: "audio", maxBytes: largestAudio } as const;
  const file = await readSource(audio, context, sources, wanted);
  context.output.progress({ message: `Transcribing ${file.name} with ${service.model}` });
  const { reply, omitted } = await askMediaService(
    { service, send },
    {
      path: "/audio/transcriptions",
      required: { model: service.model },
      optional: {
        response_format: timestamps ? "verbose_json" : "json",
        ...(timestamps ? { "timestamp_granularities[]": ["segment"] } : { stream: true }),
        language,
        prompt,
      },
      files: [{ field: "file", file }],
    },
    context,
  );
  const isStream = /text\/event-stream/i.test(reply.header("content-type") ?? "");
  const transcript = isStream ? await streamed(reply, context) : await whole(reply);
  // A service that does not know `stream` sends the whole text in one reply.
  const lost = omitted.filter((name) => name !== "stream" && name !== "response_format");
  const notes = [
    ...(lost.length === 0
      ? []
      : [`The service does not support ${lost.join(", ")}, which had no effect.`]),
    ...(timestamps && transcript.segments === undefined
      ? ["The service returned no timestamps."]
      : []),
  ];
  return {
    ...transcript,
    audio: file.name,
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

type Said = Omit<Transcript, "audio" | "note">;

/** Only the text is certain: services differ in all other fields. */
const wholeReply = z.object({
  text: z.string(),
  language: z.string().nullish().catch(undefined),
  duration: z.coerce.number().nullish().catch(undefined),
  segments: z
    .array(z.object({ start: z.number(), end: z.number(), text: z.string() }))
    .nullish()
    .catch(undefined),
});

async function whole(reply: ServiceReply): Promise<Said> {
  const text = Buffer.from(await readBytes(reply)).toString("utf8");
  const isJson = /json/i.test(reply.header("content-type") ?? "") || /^\s*\{/.test(text);
  // Some services answer with the text itself.
  if (!isJson && text.trim() !== "") return { text: text.trim() };
  const body = jsonOf(text);
  const read = wholeReply.safeParse(body);
  if (!read.success) {
    const reason = reasonOf(body);
    throw unexpectedReply(
      reply.url.host,
      reason === undefined
        ? "returned no transcript"
        : `returned no transcript: ${reason.slice(0, 300)}`,
    );
  }
  const { language, duration, segments } = read.data;
  return {
    text: read.data.text.trim(),
    ...(language && { language }),
    ...(typeof duration === "number" && { duration }),
    ...(segments &&
      segments.length > 0 && {
        segments: segments.map(({ start, end, text: said }) => ({ start, end, text: said.trim() })),
      }),
  };
}

async function streamed(reply: ServiceReply, { output }: ToolContext): Promise<Said> {
  let text = "";
  for await (const event of readEvents(reply.pieces)) {
    const { type, delta, text: done } = event;
    const failed = eventFailure(event, reply);
    if (failed !== undefined) throw failed;
    if (type === "transcript.text.delta" && typeof delta === "string") {
      text += delta;
      output.write(delta);
    }
    if (type === "transcript.text.done" && typeof done === "string") return { text: done.trim() };
  }
  throw replyFailure(
    { ...reply, status: 500 },
    reply.url.host,
    "the stream ended before the transcript was complete",
  );
}

function formatTranscript({ text, language, duration, segments, note }: Transcript): string {
  const facts = [
    ...(language === undefined ? [] : [`language: ${language}`]),
    ...(duration === undefined ? [] : [`length: ${clock(duration)}`]),
  ];
  const lines = segments?.map(
    ({ start, end, text: said }) => `[${clock(start)}–${clock(end)}] ${said}`,
  );
  return [
    ...(facts.length === 0 ? [] : [`[${facts.join(", ")}]`]),
    ...(note === undefined ? [] : [`[${note}]`]),
    text === "" ? "[The recording contains no speech.]" : (lines?.join("\n") ?? text),
  ].join("\n");
}

/** `1:02:05`, `2:05` */
function clock(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const two = (value: number): string => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(total / 3600), Math.floor(total / 60) % 60];
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(total % 60)}`
    : `${minutes}:${two(total % 60)}`;
}
