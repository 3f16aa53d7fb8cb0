/**
 * What is wrong with the path of a folder or a file that the operator gave, or undefined. A shell replaces `~` only at the
 * beginning of a word, not in `--data=~/data` or in a file of variables: a folder named `~` would be made. Who writes `-`
 * means a standard stream: a folder named `-` would be made.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '-')
    return 'is -, and no standard stream can be used here: write a path (or ./- for one of this name)';
  return /^~(\/|$)/.test(path)
    ? 'begins with ~, which the shell has not replaced: write the whole path (or ./~ for a folder of this name)'
    : undefined;
}
