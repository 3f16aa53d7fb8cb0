import { jsonAnswer, ref } from './parts.js';
import type { Response } from './types.js';

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } },
} as const;

function failed(description: string): Response {
  return jsonAnswer(description, ref('Errors'));
}

/** The answers to requests that fail (docs/http.md#errors). */
export const failureResponses: Readonly<Record<string, Response>> = {
  BadRequest: failed('The request breaks a rule; the messages name the field and the rule'),
  Unauthorized: failed('The key is missing, or not valid for the project'),
  Forbidden: failed('The key does not allow this'),
  NotFound: failed('There is no such thing'),
  RequestTimeout: failed('The request took too long to arrive; the connection is closed'),
  Conflict: failed('It exists already'),
  PreconditionFailed: failed('A condition does not hold; nothing was changed'),
  TooLarge: failed('The body is too large'),
  PageTooLarge: {
    description: 'The body is too large. A page of HTML, or the usual errors as JSON',
    content: {
      'text/html': { schema: { type: 'string' } },
      'application/json': { schema: ref('Errors') },
    },
  },
  UnsupportedType: failed('The body has another `Content-Type`'),
  ExpectationFailed: failed('An `Expect` header other than `100-continue`'),
  TooManyRequests: {
    ...failed(
      'More requests are in progress, or more bytes in memory, than the service allows; or a limit of the key',
    ),
    headers: retryAfter,
  },
  HeadTooLarge: failed('The head of the request is too large; the connection is closed'),
  InternalError: failed('A fault of the service; its log has the cause under the request id'),
  StorageUnavailable: { ...failed('The storage is full or cannot be reached'), headers: retryAfter },
};
