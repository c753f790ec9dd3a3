/** The resources that a program may use. */
export interface SandboxLimits {
  /**
   * Memory in bytes: of the whole program if the system can count that (a control group, or a scope
   * of systemd), otherwise of each of its processes.
   */
  readonly memoryBytes: number;
  /**
   * Address space in bytes of each process; 0 means no limit, for runtimes that reserve much more
   * than they use (V8, .NET).
   */
  readonly addressBytes: number;
  /** Processes and threads at once. Counted only if the program is confined. */
  readonly processes: number;
  /** Processors it runs on. */
  readonly processors: number;
  /** Bytes of one file, and of the private temporary folder. */
  readonly fileBytes: number;
}
