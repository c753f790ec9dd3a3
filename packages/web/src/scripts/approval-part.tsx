import type { DeclaredPermissionsView, ScriptDetail, ScriptFilesView } from "@capstan/contract";
import { createEffect, For, on, Show } from "solid-js";
import { hasStatus } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { formatBytes } from "../texts/numbers/count.ts";
import { createLoaded } from "../state/loaded.ts";
import { DiffView } from "./editor/diff-view.tsx";
import { fileChanges } from "./file-changes.ts";
import { permissionLines } from "./permission-lines.ts";
import { ErrorNotice, FieldError } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { createAction } from "../state/action.ts";
import { scriptsTexts } from "../texts/scripts.ts";
import { formatDateTime } from "../texts/numbers/date.ts";

interface ApprovalPartProps {
  readonly file: ScriptDetail;
  /** Whether there are unsaved changes: an approval covers the saved file. */
  readonly isDirty: boolean;
  readonly onChanged: (file: ScriptDetail) => void;
  readonly onStale: () => void;
}

/** A file's requested permissions and contents, and the user's approval of them. */
export function ApprovalPart(props: ApprovalPartProps) {
  const { isBusy, error, setError, run } = createAction();
  const versions = createLoaded<Versions | null>(null, () => readVersions(props.file));
  createEffect(
    on(
      () => [props.file.content_hash, props.file.approved?.content_hash].join(),
      () => {
        // An error about one version of the content does not apply to another version.
        setError(null);
        void versions.refresh();
      },
    ),
  );

  const change = (action: () => Promise<ScriptDetail>) =>
    run(
      async () => props.onChanged(await action()),
      (failure) => {
        if (hasStatus(failure, 409)) props.onStale();
      },
    );
  const isCurrent = () => props.file.approval === "current";
  /** The hash of the shown content; `null` until it is loaded, or if the file has changed since. */
  const seen = () => {
    const hash = props.file.content_hash;
    return hash !== null && versions.value()?.current?.content_hash === hash ? hash : null;
  };
  const approvedOn = () => {
    const at = props.file.approved?.approved_at;
    return at === undefined ? "" : formatDateTime(at);
  };

  return (
    <>
      <p class="script-standing" role="status" data-testid="approval-state">
        {isCurrent()
          ? scriptsTexts.approval.current(approvedOn())
          : props.file.approved !== null
            ? scriptsTexts.approval.outdated(approvedOn())
            : scriptsTexts.approval.missing}
      </p>
      <h3 class="part-title">{scriptsTexts.approval.requested}</h3>
      <Show
        when={props.file.declared}
        fallback={<p class="empty">{scriptsTexts.approval.unreadable}</p>}
      >
        {(declared) => <PermissionList declared={declared()} />}
      </Show>
      <Show when={versions.value()}>
        {(both) => <Contents versions={both()} isAsked={!isCurrent()} />}
      </Show>
      <ErrorNotice message={versions.error()} />
      <Show when={props.file.editable && !isCurrent()}>
        <p class="script-standing">
          {scriptsTexts.approval.meaning}
          <Show when={props.file.content_hash}>
            {(hash) => <code class="script-hash"> {hash().slice(0, 19)}…</code>}
          </Show>
        </p>
      </Show>
      <FieldError message={error()} testId="approve-error" />
      <div class="script-actions row">
        <Show when={props.file.editable && !isCurrent()}>
          <Button
            look="primary"
            disabled={isBusy() || seen() === null || props.isDirty}
            data-testid="approve-script"
            onClick={() => {
              const hash = seen();
              if (hash !== null)
                void change(() => client.approveScript(props.file.id, { content_hash: hash }));
            }}
          >
            {scriptsTexts.approval.approve}
          </Button>
        </Show>
        <Show when={props.file.approved !== null}>
          <Button
            look="danger"
            disabled={isBusy()}
            data-testid="revoke-script"
            onClick={() => void change(() => client.revokeScript(props.file.id))}
          >
            {scriptsTexts.approval.revoke}
          </Button>
        </Show>
        <span class="script-state soft">{hint(props)}</span>
      </div>
    </>
  );
}

function hint({ file, isDirty }: ApprovalPartProps): string {
  if (!file.editable) return scriptsTexts.approval.module;
  if (file.approval === "current") return "";
  if (file.content_hash === null) return scriptsTexts.approval.broken;
  return isDirty ? scriptsTexts.approval.unsaved : "";
}

function PermissionList(props: { readonly declared: DeclaredPermissionsView }) {
  const lines = () => permissionLines(props.declared);
  return (
    <ul class="permissions" data-testid="permissions">
      <For each={lines()} fallback={<li>{scriptsTexts.approval.none}</li>}>
        {({ of, text, isBold }) => (
          <li classList={{ bold: isBold }}>
            <Show when={of}>
              <code>{of}</code>{" "}
            </Show>
            <VisibleText isLine text={text} />
          </li>
        )}
      </For>
    </ul>
  );
}

interface Versions {
  readonly current: ScriptFilesView | null;
  /** The last approved version, if it differs and is still stored. */
  readonly approved: ScriptFilesView | null;
}

/** The content that the approval covers: changes since the last approval, and the files. */
function Contents(props: {
  readonly versions: Versions;
  /** Whether approval is requested: then files that no diff shows are unfolded. */
  readonly isAsked: boolean;
}) {
  const changes = () =>
    fileChanges(props.versions.approved?.files ?? [], props.versions.current?.files ?? []);
  return (
    <>
      <Show when={props.versions.approved !== null && props.versions.current !== null}>
        <h3 class="part-title">{scriptsTexts.approval.changes}</h3>
        <For each={changes()}>
          {({ name, before, after }) => (
            <div data-testid="changed-file">
              <p class="script-file-name">
                <code>
                  <VisibleText isLine text={name} />
                </code>
              </p>
              <DiffView
                label={scriptsTexts.approval.changesIn(name)}
                before={before}
                after={after}
              />
            </div>
          )}
        </For>
      </Show>
      <Show when={props.versions.current}>
        {(current) => (
          <>
            <h3 class="part-title">{scriptsTexts.approval.contents(current().files.length)}</h3>
            <For each={current().files}>
              {({ name, text, bytes }) => (
                <details
                  class="script-content"
                  open={props.isAsked && props.versions.approved === null}
                >
                  <summary>
                    <code>
                      <VisibleText isLine text={name} />
                    </code>{" "}
                    <span class="parameter-type faint breaks">{formatBytes(bytes)}</span>
                  </summary>
                  <pre class="value whole" tabindex="0">
                    <VisibleText text={text ?? scriptsTexts.approval.notText} />
                  </pre>
                </details>
              )}
            </For>
          </>
        )}
      </Show>
    </>
  );
}

async function readVersions({ id, content_hash, approved }: ScriptDetail): Promise<Versions> {
  const isOther = approved !== null && approved.content_hash !== content_hash;
  const [current, before] = await Promise.all([
    content_hash === null ? null : client.scriptFiles(id, "current").catch(orNone),
    isOther ? client.scriptFiles(id, "approved").catch(orNone) : null,
  ]);
  return { current, approved: before };
}

/** Returns `null` for a version that is no longer stored. */
function orNone(error: unknown): null {
  if (hasStatus(error, 404)) return null;
  throw error;
}
