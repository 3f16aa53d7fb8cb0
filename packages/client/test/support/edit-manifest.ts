import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Changes the text of `basedrive.json` in an exported folder, and gives it the checksum that it has then. */
export async function editManifest(folder: string, change: (text: string) => string): Promise<void> {
  const path = join(folder, 'basedrive.json');
  const text = change(withoutChecksum(await readFile(path, 'utf8')));
  await writeFile(path, `${text},"sha256":"${createHash('sha256').update(text).digest('hex')}"}\n`);
}

/** What the checksum at the end of a manifest is of. */
function withoutChecksum(text: string): string {
  return text.replace(/,"sha256":"[^"]*"\}\n$/, '');
}
