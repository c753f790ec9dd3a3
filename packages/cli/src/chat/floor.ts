/** A piece of one call's output, ready to be shown. */
export interface Spoken {
  readonly callId: string;
  readonly text: string;
}

/**
 * One speaker at a time: calls run side by side and never wait for the floor, the reader puts
 * their output in order. Who began first speaks first; the others' text is kept until then.
 */
export interface Floor {
  open(callId: string): void;
  /** What may be shown now. */
  write(callId: string, text: string): readonly Spoken[];
  /** Ends a call's output with the whole of it; the next ones speak. */
  close(callId: string, whole: string): readonly Spoken[];
}

interface Speaker {
  readonly callId: string;
  /** Characters that were shown or left out. */
  passed: number;
  kept: string;
  left: number;
  whole: string | undefined;
}

/** @param limit characters kept of a waiting call; more is left out, unless it has ended by its turn */
export function createFloor(limit = 65_536): Floor {
  let speakers: Speaker[] = [];

  /** Everything the first speaker has to say, and the next ones' where those before have ended. */
  function speak(): readonly Spoken[] {
    const spoken: Spoken[] = [];
    for (let speaker = speakers[0]; speaker; speaker = speakers[0]) {
      const text = speaker.whole === undefined ? takeKept(speaker) : rest(speaker, speaker.whole);
      if (text !== "") spoken.push({ callId: speaker.callId, text });
      if (speaker.whole === undefined) break;
      speakers = speakers.slice(1);
    }
    return spoken;
  }

  return {
    open(callId) {
      if (speakers.some((speaker) => speaker.callId === callId)) return;
      speakers.push({ callId, passed: 0, kept: "", left: 0, whole: undefined });
    },
    write(callId, text) {
      const speaker = speakers.find((one) => one.callId === callId);
      if (!speaker) return [];
      const room = speaker === speakers[0] ? text.length : limit - speaker.kept.length;
      const fits = speaker.left > 0 ? 0 : Math.min(text.length, room);
      speaker.kept += text.slice(0, fits);
      speaker.left += text.length - fits;
      return speak();
    },
    close(callId, whole) {
      const speaker = speakers.find((one) => one.callId === callId);
      if (!speaker) return [];
      speaker.whole = whole;
      speaker.kept = "";
      return speak();
    },
  };
}

function takeKept(speaker: Speaker): string {
  const gap = speaker.left > 0 ? `\n… ${speaker.left} characters left out …\n` : "";
  const text = speaker.kept + gap;
  speaker.passed += speaker.kept.length + speaker.left;
  speaker.kept = "";
  speaker.left = 0;
  return text;
}

function rest(speaker: Speaker, whole: string): string {
  return whole.slice(speaker.passed);
}
