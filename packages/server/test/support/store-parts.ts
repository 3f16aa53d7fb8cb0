// Stores parts of 5 MiB of open uploads without their bytes, which nobody reads and which would be 50 GB for 10,000 parts.
// Reads a JSON list of `StoredParts` from the standard input; the argument is the data folder, which no server uses, or the
// address of a PostgreSQL.
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { jsonRow, type PartRow, partKey } from '../../src/drive/rows.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openPostgresStore } from '../../src/engines/postgres/store.js';
import { randomId } from '../../src/lib/random-id.js';
import { driveSpace } from '../../src/spaces.js';

interface StoredParts extends Pick<PartRow, 'sizeBytes' | 'md5' | 'checksum'> {
  readonly project: string;
  readonly drive: string;
  readonly uploadId: string;
  readonly count: number;
}

const [, , place = ''] = process.argv;
const store = await (place.startsWith('postgres://')
  ? openPostgresStore({ url: place })
  : openLevelStore({ folder: join(place, 'rows'), create: false }));
try {
  for (const { project, drive, uploadId, count, ...known } of (await json(process.stdin)) as StoredParts[]) {
    const part = (): PartRow => ({ ...known, id: randomId(), layout: 'blob', crc32: 0 });
    const puts = Array.from({ length: count }, (_, n) => jsonRow(partKey(uploadId, n + 1), part()));
    await store.transact(driveSpace(project, drive), [], () => ({ puts, result: undefined }));
  }
} finally {
  await store.close();
}
