/** Text to show: the model's answer, or what is said around it. */
export interface Segment {
  readonly channel: "answer" | "notice";
  readonly text: string;
}
