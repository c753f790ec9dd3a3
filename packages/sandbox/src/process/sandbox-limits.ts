/** What a program may use up. */
export interface SandboxLimits {
  /**
   * Memory in bytes: of the whole program where the system can count that (a control group, or a
   * scope of systemd), of each of its processes otherwise.
   */
  readonly memoryBytes: number;
  /**
   * Address space in bytes of each process; 0 is no limit, for runtimes that reserve much more
   * than they use (V8, .NET).
   */
  readonly addressBytes: number;
  /** Processes and threads at once. Counted only where the program is confined. */
  readonly processes: number;
  /** Processors it runs on. */
  readonly processors: number;
  /** Bytes of one file, and of the private temporary folder. */
  readonly fileBytes: number;
}
