import { type DescribedAnswer, jsonAnswer } from '../http/routing/operation.js';
import { problemMembers } from '../http/routing/problems.js';
import { integer, named, object, text } from '../json/schema.js';

/** The body of every error but the 404 of Get Item and the 413 of the file API (docs/http.md#errors). */
const ErrorBody = named('ErrorBody', object(problemMembers));

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait', schema: integer({ minimum: 0 }) },
};

/** The answers to requests that fail (docs/http.md#errors), by their status and the names that the document gives them. */
export const failures: Readonly<Record<number | string, readonly [name: string, DescribedAnswer]>> = {
  400: failed('BadRequest', 'The request breaks a rule; the messages name the field and the rule'),
  401: failed('Unauthorized', 'The key is missing, or not valid for the project'),
  403: failed('Forbidden', 'The key does not allow this'),
  404: failed('NotFound', 'There is no such thing'),
  408: failed('RequestTimeout', 'The request took too long to arrive; the connection is closed'),
  409: failed('Conflict', 'It exists already'),
  410: failed('Gone', 'The changes after the cursor are no longer kept, or the project is being deleted'),
  412: failed('PreconditionFailed', 'A condition does not hold; nothing was changed'),
  413: failed('TooLarge', 'The body is too large'),
  415: failed('UnsupportedType', 'The body has another `Content-Type`'),
  416: failed('RangeNotSatisfiable', 'No range is within the file'),
  417: failed('ExpectationFailed', 'An `Expect` header other than `100-continue`'),
  429: failed(
    'TooManyRequests',
    'More requests are in progress, or more bytes in memory, than the service allows; or a limit of the key',
    retryAfter,
  ),
  431: failed('HeadTooLarge', 'The head of the request is too large; the connection is closed'),
  500: failed('InternalError', 'A fault of the service, or stored data is damaged; its log has the cause'),
  503: failed('StorageUnavailable', 'The storage is full or cannot be reached', retryAfter),
  507: failed('QuotaExceeded', 'The project would have more than its quota allows'),
};

/** 413 of the file API. */
export const pageTooLarge: readonly [name: string, DescribedAnswer] = [
  'PageTooLarge',
  {
    description: 'The body is too large. A page of HTML, or the usual errors as JSON',
    content: { 'text/html': { schema: text }, 'application/json': { schema: ErrorBody } },
  },
];

function failed(name: string, description: string, headers?: DescribedAnswer['headers']) {
  return [name, jsonAnswer(description, ErrorBody, headers && { headers })] as const;
}
