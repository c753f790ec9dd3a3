/** Whether standard input and output are a terminal. */
export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}
