/** Whether two looks at the disk have found the same file, and not another one with its name. */
export function isSameFile(one: FileNumbers, other: FileNumbers): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

interface FileNumbers {
  readonly ino: number;
  readonly dev: number;
}
