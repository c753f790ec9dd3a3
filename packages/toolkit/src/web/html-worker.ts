import { answerWorker } from "../worker/answer-worker.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";

await answerWorker(({ html, url }: { readonly html: string; readonly url: string }) =>
  htmlToMarkdown(html, url),
);
