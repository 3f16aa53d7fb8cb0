import { countOf, formatCount } from '../ui/format.js';
import { useRead } from '../ui/use-read.js';
import type { Entry } from './entry.js';
import { chosenNames } from './names/chosen-names.js';

/** Files that are counted; more are "more than" that. */
const maxCounted = 10_000;

interface FilesBelowProps {
  readonly drive: string;
  readonly entries: readonly Entry[];
}

/** Says how many files the chosen entries are, with those below folders. It counts while the user reads. */
export function FilesBelow({ drive, entries }: FilesBelowProps) {
  const { value: count } = useRead((signal) => countFiles(drive, entries, signal), []);
  const files =
    count === undefined
      ? 'All chosen files, and all files in chosen folders,'
      : count > maxCounted
        ? `More than ${formatCount(maxCounted)} files`
        : countOf(count, 'file');
  if (count === 0) return <>No file is below.</>;
  return <>{files} will be deleted.</>;
}

async function countFiles(drive: string, entries: readonly Entry[], signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const _ of chosenNames(drive, entries, signal)) {
    count++;
    if (count > maxCounted) break;
  }
  return count;
}
