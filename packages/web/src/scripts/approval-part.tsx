import type { DeclaredPermissionsView, ScriptDetail, ScriptFilesView } from "@capstan/contract";
import { createEffect, For, on, Show } from "solid-js";
import { hasStatus } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { formatBytes, plural } from "../texts/count.ts";
import { createLoaded } from "../state/loaded.ts";
import { DiffView } from "./editor/diff-view.tsx";
import { fileChanges } from "./file-changes.ts";
import { permissionLines } from "./permission-lines.ts";
import { ErrorNotice, FieldError } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { createAction } from "../state/action.ts";

interface ApprovalPartProps {
  readonly file: ScriptDetail;
  /** Something is written that is not saved: what is approved is what is saved. */
  readonly isDirty: boolean;
  readonly onChanged: (file: ScriptDetail) => void;
  readonly onStale: () => void;
}

/** What a file asks for, what it is made of, and a person's word on exactly that. */
export function ApprovalPart(props: ApprovalPartProps) {
  const { isBusy, error, setError, run } = createAction();
  const versions = createLoaded<Versions | null>(null, () => readVersions(props.file));
  createEffect(
    on(
      () => [props.file.content_hash, props.file.approved?.content_hash].join(),
      () => {
        // What was wrong with one content says nothing of another.
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
  /** Approved is what is read here: until it came, and where it is another by now, nothing can be. */
  const seen = () => {
    const hash = props.file.content_hash;
    return hash !== null && versions.value()?.current?.content_hash === hash ? hash : null;
  };
  const approvedOn = () => {
    const at = props.file.approved?.approved_at;
    return at === undefined ? "" : new Date(at).toLocaleString();
  };

  return (
    <>
      <p class="script-standing" role="status" data-testid="approval-state">
        {isCurrent()
          ? `You approved this content on ${approvedOn()}. What it declares holds.`
          : props.file.approved !== null
            ? `It changed since you approved it on ${approvedOn()}: until you approve it again it asks before every call, and has no network, folders or secrets.`
            : "Nobody approved it: it asks before every call, and has no network, folders or secrets."}
      </p>
      <h3 class="part-title">What it asks for</h3>
      <Show when={props.file.declared} fallback={<p class="empty">It cannot be read as it is.</p>}>
        {(declared) => <PermissionList declared={declared()} />}
      </Show>
      <Show when={versions.value()}>
        {(both) => <Contents versions={both()} isAsked={!isCurrent()} />}
      </Show>
      <ErrorNotice message={versions.error()} />
      <Show when={props.file.editable && !isCurrent()}>
        <p class="script-standing">
          Approving means: it may do what is listed above, in this place and with exactly this
          content. Whatever changes, you are asked again.
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
            Approve this content
          </Button>
        </Show>
        <Show when={props.file.approved !== null}>
          <Button
            look="danger"
            disabled={isBusy()}
            data-testid="revoke-script"
            onClick={() => void change(() => client.revokeScript(props.file.id))}
          >
            Take the approval back
          </Button>
        </Show>
        <span class="script-state soft">{hint(props)}</span>
      </div>
    </>
  );
}

function hint({ file, isDirty }: ApprovalPartProps): string {
  if (!file.editable)
    return "A module runs inside the server: approve it with capstan scripts approve FILE.";
  if (file.approval === "current") return "";
  if (file.content_hash === null) return "Mend its errors first.";
  return isDirty ? "Save what you wrote first." : "";
}

function PermissionList(props: { readonly declared: DeclaredPermissionsView }) {
  const lines = () => permissionLines(props.declared);
  return (
    <ul class="permissions" data-testid="permissions">
      <For
        each={lines()}
        fallback={
          <li>
            Nothing. Once approved, it asks once for the same arguments, and has no network, folders
            or secrets.
          </li>
        }
      >
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
  /** What was approved last, where it is another and still kept. */
  readonly approved: ScriptFilesView | null;
}

/** All that the approval is about: what changed since the last one, and the files as they are. */
function Contents(props: {
  readonly versions: Versions;
  /** Whether they can be approved: then nothing is folded that no change shows. */
  readonly isAsked: boolean;
}) {
  const changes = () =>
    fileChanges(props.versions.approved?.files ?? [], props.versions.current?.files ?? []);
  return (
    <>
      <Show when={props.versions.approved !== null && props.versions.current !== null}>
        <h3 class="part-title">What changed since it was approved</h3>
        <For each={changes()}>
          {({ name, before, after }) => (
            <div data-testid="changed-file">
              <p class="script-file-name">
                <code>
                  <VisibleText isLine text={name} />
                </code>
              </p>
              <DiffView label={`What changed in ${name}`} before={before} after={after} />
            </div>
          )}
        </For>
      </Show>
      <Show when={props.versions.current}>
        {(current) => (
          <>
            <h3 class="part-title">What it is made of: {plural(current().files.length, "file")}</h3>
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
                    <VisibleText text={text ?? "It is no text, or too long to be shown."} />
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

/** What is not kept any more is not compared with. */
function orNone(error: unknown): null {
  if (hasStatus(error, 404)) return null;
  throw error;
}
