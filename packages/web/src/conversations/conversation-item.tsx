import type { ConversationState, ConversationView } from "@capstan/contract";
import { createSignal, lazy, onMount, Show, Suspense } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { conversationHref, navigateTo, routedConversation } from "../state/route.ts";
import { type ConversationEntry, titleOf } from "../state/conversation-list.ts";
import { formatAge } from "../format/duration.ts";
import type { ExportFormat } from "../export/export-conversation.ts";
import { Menu, type MenuItem } from "../shell/overlays/menu.tsx";
import { attempt, showToast } from "../state/toasts.ts";
import { sharingTexts } from "../texts/sharing.ts";
import { exportTexts } from "../texts/export.ts";
import { conversationsTexts } from "../texts/conversations.ts";

/** Loaded when the user shares a chat for the first time. */
const ShareDialog = lazy(async () => ({
  default: (await import("../sharing/share-dialog.tsx")).ShareDialog,
}));

/** One conversation of the list, with a menu of its actions. */
export function ConversationItem(props: {
  readonly conversation: ConversationEntry;
  readonly onOpen: () => void;
}) {
  const app = useApp();
  const [isRenaming, setRenaming] = createSignal(false);
  const id = () => props.conversation.id;
  const title = () => titleOf(props.conversation);
  const readable = () =>
    props.conversation.object === "conversation" ? props.conversation : undefined;
  const damage = () =>
    props.conversation.object === "corrupt" ? props.conversation.error.message : undefined;
  const isOpen = () => routedConversation() === id();
  const isWaiting = () => app.inbox.isWaiting(id());

  const [isSharing, setSharing] = createSignal(false);
  const canShare = () => {
    const info = app.catalog.info.value();
    return info?.sharing === true && info.rights.includes("approve");
  };

  const rename = async (next: string) => {
    setRenaming(false);
    if (next === "" || next === readable()?.title) return;
    await attempt(conversationsTexts.notRenamed, () => app.conversations.rename(id(), next));
  };
  const remove = () => {
    app.conversations.remove(props.conversation);
    if (isOpen()) navigateTo(null);
  };

  const move = (state: ConversationState) =>
    attempt(conversationsTexts.notMoved, () => app.conversations.move(id(), state));
  const save = (format: ExportFormat) => {
    showToast({ text: exportTexts.running });
    return attempt(exportTexts.notExported, async () => {
      const { exportConversation } = await import("../export/export-conversation.ts");
      await exportConversation(id(), format);
    });
  };
  const actions = (): readonly MenuItem[] => {
    const { rename: renameText, delete: deleteText, ...texts } = conversationsTexts;
    const last = { icon: "trash", text: deleteText, isDanger: true, run: remove } as const;
    const found = readable();
    if (found === undefined) return [{ ...last, testId: "delete-conversation" }];
    const share: MenuItem = {
      icon: "link",
      text: sharingTexts.menu,
      testId: "share-conversation",
      run: () => void setSharing(true),
    };
    const isPinned = found.state === "pinned";
    const isArchived = found.state === "archived";
    return [
      {
        icon: "edit",
        text: renameText,
        testId: "rename-conversation",
        run: () => setRenaming(true),
      },
      {
        icon: "pin",
        text: isPinned ? texts.unpin : texts.pin,
        testId: "pin-conversation",
        run: () => void move(isPinned ? "open" : "pinned"),
      },
      {
        icon: "archive",
        text: isArchived ? texts.unarchive : texts.archive,
        testId: "archive-conversation",
        run: () => void move(isArchived ? "open" : "archived"),
      },
      ...(canShare() ? [share] : []),
      {
        icon: "download",
        text: exportTexts.markdown,
        testId: "export-markdown",
        run: () => void save("markdown"),
      },
      {
        icon: "download",
        text: exportTexts.json,
        testId: "export-json",
        run: () => void save("json"),
      },
      {
        icon: "download",
        text: exportTexts.zip,
        testId: "export-zip",
        run: () => void save("zip"),
      },
      { ...last, testId: "delete-conversation" },
    ];
  };

  return (
    <li class="conversation row" classList={{ active: isOpen() }} data-testid="conversation-item">
      <Show
        when={!isRenaming()}
        fallback={
          <RenameField
            title={readable()?.title ?? ""}
            onDone={(next) => void rename(next)}
            onCancel={() => setRenaming(false)}
          />
        }
      >
        <Show
          when={readable()}
          fallback={
            <span
              class="conversation-link row grow clipped"
              title={damage()}
              data-testid="damaged-conversation"
            >
              {title()}
            </span>
          }
        >
          {(conversation) => (
            <a
              class="conversation-link row grow"
              href={conversationHref(id())}
              aria-current={isOpen() ? "page" : undefined}
              onClick={() => props.onOpen()}
              onDblClick={() => setRenaming(true)}
            >
              <StatusDot status={conversation().head_status} isWaiting={isWaiting()} />
              <span class="grow clipped">{title()}</span>
              <span class="conversation-age" classList={{ waiting: isWaiting() }}>
                {isWaiting()
                  ? conversationsTexts.waits
                  : formatAge(conversation().updated_at, Date.now())}
              </span>
            </a>
          )}
        </Show>
        <span class="conversation-actions">
          <Menu
            label={conversationsTexts.menu(title())}
            items={actions()}
            testId="conversation-menu"
          />
        </span>
        <Show when={isSharing()}>
          <Suspense>
            <ShareDialog conversation={id()} open onClose={() => setSharing(false)} />
          </Suspense>
        </Show>
      </Show>
    </li>
  );
}

function StatusDot(props: {
  readonly status: ConversationView["head_status"];
  /** Whether a call of the conversation needs approval, even while other calls run. */
  readonly isWaiting: boolean;
}) {
  const meaning = () => {
    if (props.isWaiting || props.status === "requires_action")
      return { tone: "waiting", label: conversationsTexts.needsApproval };
    if (props.status === "in_progress" || props.status === "queued")
      return { tone: "running", label: conversationsTexts.running };
    return null;
  };
  return (
    <Show when={meaning()}>
      {(found) => (
        <span
          class={`status-dot ${found().tone}`}
          title={found().label}
          role="img"
          aria-label={found().label}
        />
      )}
    </Show>
  );
}

interface RenameFieldProps {
  readonly title: string;
  readonly onDone: (title: string) => void;
  readonly onCancel: () => void;
}

/** A title, edited in place. Enter or leaving the field saves it, and Escape cancels. */
function RenameField(props: RenameFieldProps) {
  let field!: HTMLInputElement;
  let isOver = false;
  onMount(() => {
    // Set once, so that a refresh of the list does not replace the edited text.
    field.value = props.title;
    field.focus();
    field.select();
  });
  const finish = (action: () => void) => {
    if (isOver) return;
    isOver = true;
    action();
  };

  return (
    <input
      ref={(element) => (field = element)}
      class="field rename-field"
      aria-label={conversationsTexts.titleField}
      data-testid="rename-field"
      maxlength="200"
      onBlur={() => finish(() => props.onDone(field.value.trim()))}
      // `on:` does not delegate the event: otherwise the surrounding panel would handle Escape first and close.
      on:keydown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") finish(() => props.onDone(field.value.trim()));
        if (event.key !== "Escape") return;
        event.preventDefault();
        finish(() => props.onCancel());
      }}
    />
  );
}
