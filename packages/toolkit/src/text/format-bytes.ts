const units = ["bytes", "KB", "MB", "GB", "TB"] as const;

/** Returns a size for display, in powers of 1,024: `1 byte`, `512 bytes`, `1.5 KB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return "1 byte";
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const shown = unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
  return `${shown} ${units[unit]}`;
}

/** `1 file`, `1,200 files`. */
export function countOf(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? singular : plural}`;
}
