/** The resources that a program may use. */
export interface SandboxLimits {
  /**
   * Memory in bytes: of the whole program if the system can limit that (with a control group or a
   * systemd scope), otherwise of each of its processes.
   */
  readonly memoryBytes: number;
  /**
   * Address space in bytes of each process; 0 means no limit, for runtimes that reserve much more
   * than they use (V8, .NET).
   */
  readonly addressBytes: number;
  /**
   * Maximum number of processes and threads at the same time. Applies only if the program is
   * confined.
   */
  readonly processes: number;
  /** Number of processors that it can use. */
  readonly processors: number;
  /** Largest size in bytes of one file, and of the private temporary folder. */
  readonly fileBytes: number;
}
