import { json } from '../../http/answers/answer.js';
import { readJsonBody } from '../../http/requests/bodies/json-body.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { described, object, optional, text } from '../../json/schema.js';
import { refused, unauthorized } from '../../request-error.js';
import { TooManyKeys } from '../key-administration.js';
import { detailsOf, keyDetails } from '../key-details.js';
import type { KeyServices } from '../key-lists.js';
import { CreateKeyRequest, maxKeyBodyBytes, readNewKey } from '../new-key.js';

export const createKey = operation({
  method: 'POST',
  path: '/v1/{project}/keys',
  access: 'no limit',
  summary: 'Create a key',
  request: jsonBody(CreateKeyRequest, { required: false }),
  answers: {
    201: jsonAnswer(
      'The key itself, which no other answer has',
      object({
        ...keyDetails,
        key: described(text, 'The key itself. No other answer has it'),
        secret_access_key: optional(described(text, 'Of its S3 credentials. No other answer has it')),
      }),
    ),
  },
  failures: [409],
  handle: async (call, { keys }: KeyServices) => {
    const { isStored, ...options } = await call.run(readNewKey(await readJsonBody(call, maxKeyBodyBytes)));
    const made = isStored
      ? await keys.create(call.project, options).catch((cause) => {
          throw cause instanceof TooManyKeys ? refused('too_many_keys', cause.message) : cause;
        })
      : keys.sign(call.grant.keyId, options);
    // The key of the request has ended since it was checked.
    if (made === undefined) throw unauthorized();
    const { id, ...details } = detailsOf(made);
    const secret = made.s3 && { secret_access_key: made.s3.secretAccessKey };
    return json(201, { id, key: made.key, ...details, ...secret });
  },
});
