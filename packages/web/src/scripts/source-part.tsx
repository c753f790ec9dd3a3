import type { ScriptCheckView, ScriptDetail, ScriptProblemView } from "@capstan/contract";
import { Show } from "solid-js";
import { hasStatus } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { navigateToScript } from "../state/route.ts";
import { plural } from "../texts/count.ts";
import { attempt, showToast } from "../state/toasts.ts";
import { DiffView } from "./editor/diff-view.tsx";
import { type Draft, forgetDraft } from "./editor/drafts.ts";
import { Editor, type EditorProps } from "./editor/editor.tsx";
import { FieldError } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { createAction } from "../state/action.ts";

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
  const { isBusy, error, run } = createAction("source");
  const isSavable = () => props.draft?.isDirty() === true && props.draft.conflict() === null;

  async function save(): Promise<void> {
    const { draft, file } = props;
    if (draft === null || !isSavable() || !file.editable) return;
    await run(
      async () => {
        const saved = await client.saveScript(file.id, draft.toSave());
        draft.saved(saved);
        props.onSaved(saved);
      },
      (failure) => {
        if (hasStatus(failure, 409)) props.onStale();
      },
    );
  }
  async function remove(): Promise<void> {
    const { id, name } = props.file;
    if (!(await run(() => client.deleteScript(id)))) return;
    forgetDraft(id);
    props.onDeleted();
    navigateToScript(null);
    const undo = () =>
      attempt("Not brought back", async () => {
        await client.restoreScript(id);
        props.onDeleted();
        navigateToScript(id);
      });
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
                <div class="script-actions row">
                  <Button onClick={() => draft().keepMine()}>Keep mine</Button>
                  <Button onClick={() => draft().takeTheirs()}>Take the file's</Button>
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
          <p id="editor-hint" class="editor-hint faint">
            Tab indents; to leave the field press Escape, then Tab. <kbd>Ctrl</kbd> <kbd>S</kbd>{" "}
            saves.
          </p>
          <FieldError message={error()} testId="save-error" />
          <div class="script-actions row">
            <Show when={props.file.editable}>
              <Button
                look="primary"
                disabled={!isSavable() || isBusy()}
                data-testid="save-script"
                onClick={() => void save()}
              >
                Save
              </Button>
            </Show>
            <span class="script-state soft" data-testid="save-state">
              {state()}
            </span>
            <Show when={props.file.editable}>
              <Button
                look="danger"
                disabled={isBusy()}
                data-testid="delete-script"
                onClick={() => void remove()}
              >
                Delete
              </Button>
            </Show>
          </div>
        </>
      )}
    </Show>
  );
}
