import { answerWorker } from "@capstan/sandbox";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";

await answerWorker(({ html, url }: { readonly html: string; readonly url: string }) =>
  htmlToMarkdown(html, url),
);
