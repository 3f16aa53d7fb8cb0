import { ranks } from '../../access/rights.js';
import { json } from '../../http/answers/answer.js';
import { inQuery, jsonAnswer, operation } from '../../http/routing/operation.js';
import { described, integer, named, object, oneOf, optional, truth } from '../../json/schema.js';
import { detailsOf, keyDetails } from '../key-details.js';
import type { KeyServices } from '../key-lists.js';

const OwnKey = named(
  'OwnKeyResponse',
  object({
    ...keyDetails,
    created: optional(described(keyDetails.created, 'Absent for a key that the server was started with')),
    manages_keys: described(truth, 'Whether it may create, list and delete keys: it has no limit'),
    max_link_seconds: optional(
      integer({ minimum: 1, description: 'For how many seconds its links may work. Absent: it makes none' }),
    ),
  }),
);

export const getOwnKey = operation({
  method: 'GET',
  path: '/v1/{project}/keys?self=true',
  access: 'read',
  names: 'narrowed',
  section: 'own-key',
  summary: 'What your key may do',
  parameters: [inQuery('self', '`true`: only the key of the request', oneOf('true', 'false', ''))],
  answers: { 200: jsonAnswer('Your key', OwnKey) },
  handle: async ({ grant }, { keys, maxLinkSeconds }: KeyServices) => {
    await keys.readId(grant.keyId);
    const info = keys.describe(grant.keyId);
    // The operator's keys have no row.
    const details = info === undefined ? { id: grant.keyId, access: 'full' as const } : detailsOf(info);
    const makesLinks = grant.rank >= ranks.full && grant.isSigned !== true;
    return json(200, {
      ...details,
      manages_keys: grant.rank === ranks['no limit'],
      ...(makesLinks && { max_link_seconds: maxLinkSeconds }),
    });
  },
});
