import { seconds } from '../http/routing/operation.js';
import { described, named, object, optional, text, type ValueOf } from '../json/schema.js';
import type { KeyInfo } from './key-administration.js';
import { keyMembers } from './new-key.js';

/** What answers say of a key, without the key itself. */
export const keyDetails = {
  id: text,
  access_key_id: optional(described(text, 'Of the S3 credentials of the key, if it has some')),
  ...keyMembers,
  access: keyMembers.access.optional,
  created: seconds,
  expires: optional(described(seconds, 'Whole seconds since 1970 UTC. From then on the key is not valid')),
  last_used: optional(
    described(seconds, 'The beginning of the minute of the last use, in seconds since 1970 UTC'),
  ),
};

export const KeyDetails = named('KeyDetails', object(keyDetails));

/** A key in an answer. Members that say nothing are absent. */
export function detailsOf(info: KeyInfo): ValueOf<typeof KeyDetails> {
  const { id, name, limits, accessKeyId, createdSeconds, lastUsedSeconds } = info;
  const {
    access = 'full',
    bases,
    drives,
    prefix,
    expiresAtSeconds,
    origins,
    requestsPerSecond,
  } = limits ?? {};
  return {
    id,
    ...(accessKeyId !== undefined && { access_key_id: accessKeyId }),
    ...(name !== undefined && { name }),
    access,
    ...(bases && { bases }),
    ...(drives && { drives }),
    ...(prefix !== undefined && { prefix }),
    ...(origins && { origins }),
    ...(requestsPerSecond !== undefined && { requests_per_second: requestsPerSecond }),
    created: createdSeconds,
    ...(expiresAtSeconds !== undefined && { expires: expiresAtSeconds }),
    ...(lastUsedSeconds !== undefined && { last_used: lastUsedSeconds }),
  };
}
