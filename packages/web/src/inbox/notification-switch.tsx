import { Match, Switch } from "solid-js";
import { Icon } from "../shell/icon.tsx";
import { Button } from "../shell/button.tsx";
import { useApp } from "../state/app-state.ts";
import { inboxTexts } from "../texts/inbox.ts";

/** Turns the browser's notifications on and off. */
export function NotificationSwitch() {
  const { notifications } = useApp();
  const texts = inboxTexts.notifications;
  return (
    <div class="inbox-notifications" data-testid="notifications">
      <Switch>
        <Match when={notifications.state() === "off"}>
          <Button onClick={() => void notifications.turnOn()}>
            <Icon name="inbox" size={16} /> {texts.offer}
          </Button>
        </Match>
        <Match when={notifications.state() === "on"}>
          <p class="soft">
            {texts.on}{" "}
            <button type="button" class="link-button" onClick={() => notifications.turnOff()}>
              {texts.off}
            </button>
          </p>
        </Match>
        <Match when={notifications.state() === "denied"}>
          <p class="soft">{texts.denied}</p>
        </Match>
      </Switch>
    </div>
  );
}
