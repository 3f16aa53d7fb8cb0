import { maxBodyBytes } from './requests/bodies.js';
import { changes } from './requests/changes.js';
import { files } from './requests/files.js';
import type { HostileRequest } from './requests/hostile-request.js';
import { indexes } from './requests/indexes.js';
import { writes } from './requests/items.js';
import { keys } from './requests/keys.js';
import { lines } from './requests/lines.js';
import { queries } from './requests/queries.js';
import { s3 } from './requests/s3.js';
import { sets } from './requests/sets.js';
import { sharing } from './requests/sharing.js';
import { transactions } from './requests/transactions.js';
import { updates } from './requests/updates.js';
import type { StoredUpload } from './stored-uploads.js';

/**
 * `scale` 1 fills what the limits of the API allow (16 MiB a body, 400 KiB an item) and what attacks have used.
 * `nextUpload`: see `s3`.
 */
export function hostileRequests(
  scale: number,
  nextUpload?: (parts: number) => StoredUpload,
): readonly HostileRequest[] {
  const count = (most: number) => Math.max(1, Math.round(most * scale));
  const bodyBytes = count(maxBodyBytes - 1024);
  return [
    ...writes(count, bodyBytes),
    ...updates(count, bodyBytes),
    ...transactions(count, bodyBytes),
    ...queries(count, bodyBytes),
    ...sets(count, bodyBytes),
    ...lines(count),
    ...indexes(count, bodyBytes),
    ...files(count),
    ...sharing(count),
    ...keys(count),
    ...s3(count, nextUpload),
    ...changes(count),
  ];
}
