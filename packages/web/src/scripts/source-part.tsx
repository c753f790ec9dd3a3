import type { ScriptCheckView, ScriptDetail, ScriptProblemView } from "@capstan/contract";
import { createSignal, Show } from "solid-js";
import { ApiError } from "@capstan/client";
import { messageOf, withoutPlace } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { navigateToScript } from "../state/route.ts";
import { plural } from "../format/count.ts";
import { showToast } from "../state/toasts.ts";
import { DiffView } from "./editor/diff-view.tsx";
import { type Draft, forgetDraft } from "./editor/drafts.ts";
import { Editor, type EditorProps } from "./editor/editor.tsx";

interface SourcePartProps {
  readonly file: ScriptDetail;
  /** Null where the file's text cannot be shown. */
  readonly draft: Draft | null;
  readonly problems: readonly ScriptProblemView[];
  /** What was read of the text as it is written; null while it is the file's, or not read yet. */
  readonly checked: ScriptCheckView | null;
  readonly goTo: EditorProps["goTo"];
  readonly onSaved: (file: ScriptDetail) => void;
  /** The file is another than it was thought to be. */
  readonly onStale: () => void;
  readonly onDeleted: () => void;
}

/** The text of a file: changed, saved, brought together with what others did, deleted. */
export function SourcePart(props: SourcePartProps) {
  const [isBusy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<string | null>(null);
  const isSavable = () => props.draft?.isDirty() === true && props.draft.conflict() === null;

  async function save(): Promise<void> {
    const { draft, file } = props;
    if (draft === null || !isSavable() || isBusy() || !file.editable) return;
    setBusy(true);
    setError(null);
    try {
      const saved = await client.saveScript(file.id, draft.toSave());
      draft.saved(saved);
      props.onSaved(saved);
    } catch (failure) {
      setError(withoutPlace(messageOf(failure), "source"));
      if (failure instanceof ApiError && failure.status === 409) props.onStale();
    } finally {
      setBusy(false);
    }
  }
  async function remove(): Promise<void> {
    const { id, name } = props.file;
    setBusy(true);
    try {
      await client.deleteScript(id);
    } catch (failure) {
      setError(messageOf(failure));
      return;
    } finally {
      setBusy(false);
    }
    forgetDraft(id);
    props.onDeleted();
    navigateToScript(null);
    const undo = async () => {
      try {
        await client.restoreScript(id);
        props.onDeleted();
        navigateToScript(id);
      } catch (failure) {
        showToast({ text: `Not brought back: ${messageOf(failure)}`, tone: "danger" });
      }
    };
    showToast({
      text: `${name} is deleted.`,
      action: { label: "Undo", run: () => void undo() },
      ms: 12_000,
    });
  }
  const state = () => {
    if (!props.file.editable) return "A module is changed in its folder, not here.";
    if (props.draft?.isDirty() !== true) return "Saved.";
    if (props.checked === null) return "Not saved.";
    const { problems, tools } = props.checked;
    const wrong = problems.length === 0 ? "nothing wrong" : plural(problems.length, "problem");
    return `Not saved: ${plural(tools.length, "tool")}, ${wrong}.`;
  };

  return (
    <Show
      when={props.draft}
      fallback={<p class="empty">Its text cannot be shown: see what is wrong above.</p>}
    >
      {(draft) => (
        <>
          <Show when={draft().conflict()}>
            {(theirs) => (
              <section class="conflict" aria-labelledby="conflict-title" data-testid="conflict">
                <h3 id="conflict-title">The file changed on the disk while you wrote</h3>
                <p>Lines with − are in the file now, lines with + are yours.</p>
                <DiffView
                  label="The file's version and yours"
                  before={theirs().source}
                  after={draft().text()}
                />
                <div class="script-actions">
                  <button type="button" class="button" onClick={() => draft().keepMine()}>
                    Keep mine
                  </button>
                  <button type="button" class="button" onClick={() => draft().takeTheirs()}>
                    Take the file's
                  </button>
                </div>
              </section>
            )}
          </Show>
          <Editor
            name={props.file.name}
            text={draft().text()}
            readOnly={!props.file.editable}
            problems={props.problems}
            goTo={props.goTo}
            onInput={draft().setText}
            onSave={() => void save()}
          />
          <p id="editor-hint" class="editor-hint">
            Tab indents; to leave the field press Escape, then Tab. <kbd>Ctrl</kbd> <kbd>S</kbd>{" "}
            saves.
          </p>
          <Show when={error()}>
            {(message) => (
              <p class="field-error" role="alert" data-testid="save-error">
                {message()}
              </p>
            )}
          </Show>
          <div class="script-actions">
            <Show when={props.file.editable}>
              <button
                type="button"
                class="button primary"
                disabled={!isSavable() || isBusy()}
                data-testid="save-script"
                onClick={() => void save()}
              >
                Save
              </button>
            </Show>
            <span class="script-state" data-testid="save-state">
              {state()}
            </span>
            <Show when={props.file.editable}>
              <button
                type="button"
                class="button danger"
                disabled={isBusy()}
                data-testid="delete-script"
                onClick={() => void remove()}
              >
                Delete
              </button>
            </Show>
          </div>
        </>
      )}
    </Show>
  );
}
