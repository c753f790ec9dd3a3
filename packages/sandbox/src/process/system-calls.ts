/** The processors for which a system call filter exists, as `process.arch` names them. */
export type Processor = "x64" | "arm64";

/** A system call with its number on each processor; null if it does not exist there. */
type SystemCall = readonly [name: string, x64: number | null, arm64: number | null];

/**
 * Calls that no tool needs and in which most kernel vulnerabilities were found: access to other
 * processes, namespaces and mounts, the kernel's keys, programs and counters, its modules, clocks
 * and devices. Names and numbers as in Linux 6.12, `arch/x86/entry/syscalls/syscall_64.tbl` and
 * `scripts/syscall.tbl`.
 */
export const refusedCalls: readonly SystemCall[] = [
  ["ptrace", 101, 117],
  ["process_vm_readv", 310, 270],
  ["process_vm_writev", 311, 271],
  ["kcmp", 312, 272],
  ["pidfd_getfd", 438, 438],
  ["process_madvise", 440, 440],
  ["mount", 165, 40],
  ["umount2", 166, 39],
  ["pivot_root", 155, 41],
  ["chroot", 161, 51],
  ["unshare", 272, 97],
  ["setns", 308, 268],
  ["open_tree", 428, 428],
  ["move_mount", 429, 429],
  ["fsopen", 430, 430],
  ["fsconfig", 431, 431],
  ["fsmount", 432, 432],
  ["fspick", 433, 433],
  ["mount_setattr", 442, 442],
  ["name_to_handle_at", 303, 264],
  ["open_by_handle_at", 304, 265],
  ["add_key", 248, 217],
  ["request_key", 249, 218],
  ["keyctl", 250, 219],
  ["bpf", 321, 280],
  ["perf_event_open", 298, 241],
  ["userfaultfd", 323, 282],
  ["io_uring_setup", 425, 425],
  ["io_uring_enter", 426, 426],
  ["io_uring_register", 427, 427],
  ["fanotify_init", 300, 262],
  ["fanotify_mark", 301, 263],
  ["init_module", 175, 105],
  ["delete_module", 176, 106],
  ["finit_module", 313, 273],
  ["kexec_load", 246, 104],
  ["kexec_file_load", 320, 294],
  ["reboot", 169, 142],
  ["swapon", 167, 224],
  ["swapoff", 168, 225],
  ["acct", 163, 89],
  ["quotactl", 179, 60],
  ["quotactl_fd", 443, 443],
  ["syslog", 103, 116],
  ["vhangup", 153, 58],
  ["sethostname", 170, 161],
  ["setdomainname", 171, 162],
  ["settimeofday", 164, 170],
  ["clock_settime", 227, 112],
  ["adjtimex", 159, 171],
  ["clock_adjtime", 305, 266],
  ["iopl", 172, null],
  ["ioperm", 173, null],
  ["modify_ldt", 154, null],
  ["lookup_dcookie", 212, 18],
  ["nfsservctl", 180, 42],
  ["mbind", 237, 235],
  ["set_mempolicy", 238, 237],
  ["migrate_pages", 256, 238],
  ["move_pages", 279, 239],
  ["set_mempolicy_home_node", 450, 450],
  // Obsolete calls that libraries no longer use.
  ["uselib", 134, null],
  ["ustat", 136, null],
  ["sysfs", 139, null],
  ["_sysctl", 156, null],
  ["create_module", 174, null],
  ["get_kernel_syms", 177, null],
  ["query_module", 178, null],
  ["getpmsg", 181, null],
  ["putpmsg", 182, null],
  ["afs_syscall", 183, null],
  ["tuxcall", 184, null],
  ["security", 185, null],
  ["epoll_ctl_old", 214, null],
  ["epoll_wait_old", 215, null],
  ["vserver", 236, null],
];

/** The numbers of existing system calls that are not denied above. Newer calls are also denied. */
export const knownCalls: {
  readonly [processor in Processor]: readonly (readonly [first: number, last: number])[];
} = {
  x64: [
    [0, 334],
    [424, 449],
    [451, 452],
    [454, 456],
    [462, 462],
  ],
  arm64: [
    [0, 243],
    [260, 293],
    [424, 449],
    [451, 452],
    [454, 456],
    [462, 462],
  ],
};

/** System calls that are allowed with some arguments only. */
export const checkedCalls = {
  x64: { clone: 56, clone3: 435, ioctl: 16, personality: 135, socket: 41, socketpair: 53 },
  arm64: { clone: 220, clone3: 435, ioctl: 29, personality: 92, socket: 198, socketpair: 199 },
} as const satisfies { readonly [processor in Processor]: { readonly [name: string]: number } };

/** System calls that set the mode of an existing file, with the index of the mode argument. */
export const modeCalls: {
  readonly [processor in Processor]: readonly (readonly [number: number, mode: number])[];
} = {
  // chmod, fchmod, fchmodat, fchmodat2
  x64: [
    [90, 1],
    [91, 1],
    [268, 2],
    [452, 2],
  ],
  // fchmod, fchmodat, fchmodat2
  arm64: [
    [52, 1],
    [53, 2],
    [452, 2],
  ],
};
