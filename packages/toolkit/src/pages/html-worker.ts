import { extractElements } from "../html/extract-elements.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { outlinePage } from "../html/outline-page.ts";
import { readFeed } from "../html/read-feed.ts";
import { answerJobs } from "../text/answer-jobs.ts";
import type { HtmlJob } from "./run-html-job.ts";

answerJobs((job: HtmlJob) => {
  switch (job.type) {
    case "markdown":
      return htmlToMarkdown(job.html, job.url, job.options);
    case "extract":
      return extractElements(job.html, job.url, job.options);
    case "outline":
      return outlinePage(job.html, job.url, job.options);
    case "feed":
      return readFeed(job.html, job.url);
  }
});
