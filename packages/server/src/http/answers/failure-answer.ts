import { isDamage, RowsDamaged, StorageUnavailable } from '../../engines/storage-errors.js';
import { RequestError } from '../../request-error.js';
import type { Answer } from '../requests/call.js';
import { errors, refusal } from './answer.js';

/** The answer to a failure (docs/http.md#errors). It reveals nothing of the cause except what the caller did wrong. */
export function failureAnswer(cause: unknown): Answer {
  if (cause instanceof RequestError) return refusal(cause);
  if (cause instanceof StorageUnavailable) {
    const because = cause.reason === undefined ? '' : `: ${cause.reason}`;
    const message = `Storage is unavailable, try again later${because}`;
    return errors([{ code: 'storage_unavailable', message }], ['Retry-After', '1']);
  }
  if (isDamage(cause)) {
    const until = cause instanceof RowsDamaged ? cause.until : undefined;
    return errors([{ code: 'damaged_data', message: 'Stored data is damaged', until }]);
  }
  return errors([{ code: 'internal_error', message: 'Internal server error' }]);
}
