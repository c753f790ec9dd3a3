import type { ScriptDetail } from "@capstan/contract";
import { createRoot, createSignal } from "solid-js";
import { fieldText } from "./editor-text.ts";

/** The unsaved text of a file. It survives while the user visits another page. */
export type Draft = ReturnType<typeof createDraft>;

type FileText = Pick<ScriptDetail, "source" | "source_hash">;

interface Base {
  readonly source: string;
  readonly hash: string;
}

export function createDraft(source: string, hash: string) {
  const [base, setBase] = createSignal<Base>({ source, hash });
  const [text, setText] = createSignal(fieldText(source).text);
  /** The file on the disk, if it differs from the version that the draft is based on. */
  const [conflict, setConflict] = createSignal<Base | null>(null);
  const isDirty = () => text() !== fieldText(base().source).text;
  const take = (file: Base) => {
    setBase(file);
    setText(fieldText(file.source).text);
    setConflict(null);
  };
  return {
    text,
    setText: (written: string) => void setText(written),
    isDirty,
    conflict,
    /** Returns the request body for saving. */
    toSave: () => ({ source: fieldText(base().source).toSource(text()), based_on: base().hash }),
    /** Updates the draft after the file was saved here or changed elsewhere. */
    follow({ source: now, source_hash: nowHash }: FileText) {
      if (now === null || nowHash === null || nowHash === base().hash) return;
      const file = { source: now, hash: nowHash };
      // The draft and the file may have become equal.
      if (!isDirty() || fieldText(now).text === text()) take(file);
      else setConflict(file);
    },
    /** Marks the draft as saved, except for text that was typed meanwhile. */
    saved({ source: now, source_hash: nowHash }: FileText) {
      if (now === null || nowHash === null) return;
      setBase({ source: now, hash: nowHash });
      setConflict(null);
    },
    /** Resolves a conflict: saves this draft. */
    keepMine() {
      const theirs = conflict();
      if (theirs === null) return;
      setBase(theirs);
      setConflict(null);
    },
    /** Resolves a conflict: discards this draft and uses the file's version. */
    takeTheirs() {
      const theirs = conflict();
      if (theirs !== null) take(theirs);
    },
  };
}

const drafts = new Map<string, Draft>();
/** Notify the page, because the set of drafts may have changed. */
const [kept, setKept] = createSignal(0);
const draftsChanged = () => setKept((count) => count + 1);

/** Returns the draft of a file with its unsaved text. */
export function draftOf(file: ScriptDetail): Draft | null {
  const { id, source, source_hash: hash } = file;
  if (source === null || hash === null) return null;
  const known = drafts.get(id);
  if (known !== undefined) {
    known.follow(file);
    return known;
  }
  const made = createRoot(() => createDraft(source, hash));
  drafts.set(id, made);
  draftsChanged();
  return made;
}

/** Deletes the draft of a file that no longer exists. */
export function forgetDraft(id: string): void {
  drafts.delete(id);
  draftsChanged();
}

/** Whether the draft has unsaved text. */
export function isUnsaved(id: string): boolean {
  kept();
  return drafts.get(id)?.isDirty() === true;
}

/** The browser asks the user before it closes a page with unsaved text. */
export function guardDrafts(page: EventTarget): void {
  page.addEventListener("beforeunload", (event) => {
    if ([...drafts.values()].some((draft) => draft.isDirty())) event.preventDefault();
  });
}
