import { postMessage } from "@capstan/server";
import { CommandFailure, type Invocation } from "../arguments/command.ts";
import { webhookTexts as texts } from "../texts/webhooks.ts";
import { readConfiguration } from "./shared/read-configuration.ts";

/** Sends a test message to a service of the configuration. The exit code is 1 if it fails. */
export async function testWebhook({ positionals, values }: Invocation): Promise<number> {
  const [name] = positionals;
  const { webhooks } = await readConfiguration(values);
  const found = webhooks.find(({ endpoint }) => endpoint === name);
  if (found === undefined)
    throw new CommandFailure(texts.unknown(webhooks.map(({ endpoint }) => endpoint)), 2);
  const now = Date.now();
  const timestamp = new Date(now).toISOString();
  const body = JSON.stringify({ type: "webhook.test", timestamp, data: {} });
  const message = { id: `webhook_test_${now}`, body };
  const signal = new AbortController().signal;
  const delivery = await postMessage(found, message, { now, signal });
  const { endpoint, url } = found;
  if (delivery.status === "accepted") {
    process.stdout.write(`${texts.accepted(endpoint, url)}\n`);
    return 0;
  }
  const line =
    delivery.status === "gone"
      ? texts.gone(endpoint, url)
      : texts.failed(endpoint, url, delivery.reason);
  process.stderr.write(`${line}\n`);
  return 1;
}
