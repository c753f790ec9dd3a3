import type { ScriptCheckView, ScriptDetail, ScriptProblemView } from "@capstan/contract";
import { Show } from "solid-js";
import { hasStatus } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { navigateToScript } from "../state/route.ts";

import { attempt, showToast } from "../state/toasts.ts";
import { DiffView } from "./editor/diff-view.tsx";
import { type Draft, forgetDraft } from "./editor/drafts.ts";
import { Editor, type EditorProps } from "./editor/editor.tsx";
import { FieldError } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { createAction } from "../state/action.ts";
import { scriptsTexts } from "../texts/scripts.ts";

interface SourcePartProps {
  readonly file: ScriptDetail;
  /** `null` if the file's text cannot be shown. */
  readonly draft: Draft | null;
  readonly problems: readonly ScriptProblemView[];
  /** The check of the edited text; `null` if it is unchanged or not checked yet. */
  readonly checked: ScriptCheckView | null;
  readonly goTo: EditorProps["goTo"];
  readonly onSaved: (file: ScriptDetail) => void;
  /** Called if the file has changed in the meantime. */
  readonly onStale: () => void;
  readonly onDeleted: () => void;
}

/** The text of a file: edit, save, resolve conflicts, delete. */
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
      attempt(scriptsTexts.source.notRestored, async () => {
        await client.restoreScript(id);
        props.onDeleted();
        navigateToScript(id);
      });
    showToast({
      text: scriptsTexts.source.deleted(name),
      action: { label: scriptsTexts.source.undo, run: () => void undo() },
      ms: 12_000,
    });
  }
  const state = () => {
    if (!props.file.editable) return scriptsTexts.source.readOnly;
    if (props.draft?.isDirty() !== true) return scriptsTexts.source.saved;
    if (props.checked === null) return scriptsTexts.source.notSaved;
    const { problems, tools } = props.checked;
    return scriptsTexts.source.notSavedWith(tools.length, problems.length);
  };

  return (
    <Show when={props.draft} fallback={<p class="empty">{scriptsTexts.source.unreadable}</p>}>
      {(draft) => (
        <>
          <Show when={draft().conflict()}>
            {(theirs) => (
              <section class="conflict" aria-labelledby="conflict-title" data-testid="conflict">
                <h3 id="conflict-title">{scriptsTexts.source.conflict}</h3>{" "}
                <p>{scriptsTexts.source.conflictLegend}</p>
                <DiffView
                  label={scriptsTexts.source.conflictDiff}
                  before={theirs().source}
                  after={draft().text()}
                />
                <div class="script-actions row">
                  <Button onClick={() => draft().keepMine()}>{scriptsTexts.source.keepMine}</Button>
                  <Button onClick={() => draft().takeTheirs()}>
                    {scriptsTexts.source.takeTheirs}
                  </Button>
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
            {scriptsTexts.source.hint} <kbd>Ctrl</kbd> <kbd>S</kbd> {scriptsTexts.source.saveHint}
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
                {scriptsTexts.source.save}
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
                {scriptsTexts.source.delete}
              </Button>
            </Show>
          </div>
        </>
      )}
    </Show>
  );
}
