import { isDamage, StorageUnavailable } from '../engines/storage-errors.js';
import { noSniff, noStore } from '../http/answers/answer.js';
import type { Answer } from '../http/requests/call.js';
import type { Exchange } from '../http/requests/exchange.js';
import type { ProblemCode } from '../problem-codes.js';
import { PageTooLarge, RequestError } from '../request-error.js';
import { type S3Code, S3Error } from './errors.js';
import { writeXml, type XmlContent } from './xml/write-xml.js';

/** The headers of every answer of S3, besides those of every answer. */
export function s3Headers({ requestId }: Pick<Exchange, 'requestId'>): readonly string[] {
  return ['x-amz-request-id', requestId];
}

const xmlHeaders = ['Content-Type', 'application/xml', ...noSniff] as const;

export function xmlAnswer(
  exchange: Pick<Exchange, 'requestId'>,
  root: string,
  content: XmlContent,
  headers: readonly string[] = [],
): Answer {
  return {
    status: 200,
    headers: [...xmlHeaders, ...s3Headers(exchange), ...headers],
    body: writeXml(root, content),
  };
}

/** An answer without a body. */
export function emptyAnswer(
  exchange: Pick<Exchange, 'requestId'>,
  status: number,
  headers: readonly string[] = [],
): Answer {
  return { status, headers: [...s3Headers(exchange), ...headers], body: '' };
}

const ofCaches: ReadonlySet<string | undefined> = new Set(['Cache-Control', 'Expires']);

/** The same answer, which no cache may keep, whatever was given with the object or asked for in the URL. */
export function unstored(answer: Answer): Answer {
  const { headers } = answer;
  const others = headers.filter((_, at) => !ofCaches.has(headers[at - (at % 2)]));
  return { ...answer, headers: [...others, ...noStore] };
}

/** How S3 says what another part of the service has refused. */
const codesOfProblems: Partial<Record<ProblemCode, S3Code>> = {
  unauthorized: 'AccessDenied',
  access_denied: 'AccessDenied',
  limited_key: 'AccessDenied',
  beyond_scope: 'AccessDenied',
  beyond_prefix: 'AccessDenied',
  prefixed_key: 'AccessDenied',
  wrong_origin: 'AccessDenied',
  rate_exceeded: 'SlowDown',
  too_many_requests: 'SlowDown',
  share_taken: 'SlowDown',
  memory_full: 'SlowDown',
  contention: 'SlowDown',
  incomplete_body: 'IncompleteBody',
  invalid_form: 'MalformedPOSTRequest',
  body_too_large: 'EntityTooLarge',
  condition_failed: 'PreconditionFailed',
  project_deleted: 'AccessDenied',
  quota_exceeded: 'QuotaExceeded',
  range_outside: 'InvalidRange',
  file_not_found: 'NoSuchKey',
  parts_missing: 'InvalidPart',
  part_too_small: 'EntityTooSmall',
};

/** The error that a client is told. It reveals nothing of a failure except what the client did wrong. */
export function s3ErrorOf(cause: unknown): S3Error {
  if (cause instanceof S3Error) return cause;
  if (cause instanceof PageTooLarge) return new S3Error('EntityTooLarge');
  if (cause instanceof RequestError) {
    const [problem] = cause.problems;
    const code = problem && codesOfProblems[problem.code];
    return code === undefined || code === 'AccessDenied' || code === 'QuotaExceeded'
      ? new S3Error(code ?? 'InvalidRequest', cause.message)
      : new S3Error(code);
  }
  if (cause instanceof StorageUnavailable) return new S3Error('ServiceUnavailable');
  return new S3Error('InternalError', isDamage(cause) ? 'Stored data is damaged' : undefined);
}

/** The answer to a request that failed. */
export function errorAnswer(cause: unknown, exchange: Exchange): Answer {
  const { code, message, details, s3Status: status } = s3ErrorOf(cause);
  const headers = cause instanceof RequestError ? Object.entries(cause.headers).flat() : [];
  const retry = status === 503 && !headers.includes('Retry-After') ? ['Retry-After', '1'] : [];
  const { target, requestId } = exchange;
  const Resource = target.split('?', 1)[0] as string;
  return {
    status,
    // Anybody can have one of them for the path of a public file, which a cache in front might keep.
    headers: [...xmlHeaders, ...noStore, ...s3Headers(exchange), ...headers, ...retry],
    body: writeXml(
      'Error',
      { Code: code, Message: message, ...details, Resource, RequestId: requestId },
      true,
    ),
  };
}
