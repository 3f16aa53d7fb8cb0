import { Icon, type IconName } from '../../ui/icon.js';
import type { Entry } from '../entry.js';

const byType: readonly (readonly [RegExp, IconName])[] = [
  [/^image\//, 'file-image'],
  [/^video\//, 'file-video'],
  [/^audio\//, 'file-music'],
  [/^application\/pdf/, 'file-text'],
  [/^text\/(csv|tab-separated)|spreadsheet|ms-excel/, 'file-table'],
  [/zip|x-tar|gzip|x-7z|x-rar|zstd|x-bzip/, 'file-archive'],
  [/json|javascript|typescript|xml|html|css|x-sh|yaml|toml|sql|x-python/, 'file-code'],
  [/^text\/|msword|wordprocessing|rtf/, 'file-text'],
];
/** Of files whose type says nothing. */
const byEnding: readonly (readonly [RegExp, IconName])[] = [
  [/\.(jpe?g|png|gif|webp|avif|svg|heic)$/, 'file-image'],
  [/\.(mp4|mov|webm|mkv)$/, 'file-video'],
  [/\.(mp3|wav|flac|ogg|m4a)$/, 'file-music'],
  [/\.(csv|tsv|xlsx?|ods)$/, 'file-table'],
  [/\.(zip|tar|t?gz|7z|rar|zst|bz2)$/, 'file-archive'],
  [/\.(json|[jt]sx?|html?|css|ya?ml|toml|sql|py|go|rs|sh|xml)$/, 'file-code'],
  [/\.(txt|md|pdf|docx?|rtf|log)$/, 'file-text'],
];

/** The icon of a folder, or of what a file is by its type, or else by the end of its name. */
export function EntryIcon({ entry, size }: { readonly entry: Entry; readonly size?: number }) {
  return <Icon name={iconOf(entry)} {...(size === undefined ? {} : { size })} />;
}

function iconOf({ name, file }: Entry): IconName {
  if (file === undefined) return 'folder';
  const type = file.content_type.toLowerCase();
  const found = byType.find(([pattern]) => pattern.test(type));
  if (found !== undefined) return found[1];
  return byEnding.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1] ?? 'file';
}
