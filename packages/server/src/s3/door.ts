import { admit } from '../access/admit.js';
import type { FrontDoor } from '../http/answering.js';
import type { Answer } from '../http/requests/call.js';
import type { Exchange } from '../http/requests/exchange.js';
import { collectionNameProblem } from '../http/routing/collection-name.js';
import type { KeyRing, S3Signer } from '../keys/key-ring.js';
import { emptyAnswer, errorAnswer } from './answers.js';
import { type Payload, readPayload, unsignedPayload } from './bodies/payload.js';
import type { S3Call, S3Services } from './call.js';
import { S3Error } from './errors.js';
import { refuseUnsupported, requireOwner } from './objects/unsupported.js';
import { fieldsOf, readRequest, type S3Request } from './request.js';
import { routeOf } from './routes.js';
import { createSignatureCheck, type Signed } from './signature/check-signature.js';
import { readHeaderClaim, readQueryClaim } from './signature/claim.js';

export interface S3DoorOptions extends S3Services {
  readonly keys: Pick<KeyRing, 's3Signer'>;
  /** Below it, the first label of the host is a bucket; undefined: the bucket is in the path alone. */
  readonly domain: string | undefined;
}

const presigned = /[?&](?:X-Amz-Algorithm|AWSAccessKeyId)=/;
/** What S3 clients send with requests that they do not sign. */
const clientField = 'amz-sdk-invocation-id';

/**
 * The way into the service for S3 clients (docs/s3.md). A request is for it if it carries a signature of S3, in its head
 * or in its query string, so no path of another API is touched.
 */
export function createS3Door({ keys, domain, ...services }: S3DoorOptions): FrontDoor {
  const signatures = createSignatureCheck({ find: keys.s3Signer, clock: services.clock });

  function authenticate(
    exchange: Exchange,
    request: S3Request,
  ): { signed: Signed<S3Signer>; payload: Payload } {
    const amzFields = Object.keys(exchange.headers).filter((name) => name.startsWith('x-amz-'));
    const { authorization } = exchange.headers;
    if (!request.isPresigned) {
      if (!authorization) throw new S3Error('AccessDenied');
      const parts = { ...request, amzFields };
      const claim = readHeaderClaim(authorization, parts);
      const payload = readPayload(request.field('x-amz-content-sha256'));
      return { signed: signatures.request(claim, parts, payload.text), payload };
    }
    if (authorization !== undefined) {
      throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed');
    }
    const claim = readQueryClaim(request.query);
    const query = request.query.filter(([name]) => name !== 'X-Amz-Signature');
    const text = request.field('x-amz-content-sha256');
    const payload = text === undefined ? unsignedPayload : readPayload(text);
    return { signed: signatures.request(claim, { ...request, query, amzFields }, payload.text), payload };
  }

  async function answer(exchange: Exchange): Promise<Answer> {
    exchange.route = 'S3';
    if (exchange.method === 'OPTIONS') return preflight(exchange);
    const request = readRequest(exchange, domain);
    const { signed, payload } = authenticate(exchange, request);
    const { grant, noteUse } = signed.signer;
    noteUse();
    exchange.grant = grant;
    exchange.owner = grant.project;
    exchange.project = grant.project;
    const { bucket, key } = request;
    const { name, right, handle } = routeOf(request);
    exchange.route = `S3 ${name}`;
    if (bucket !== '' && collectionNameProblem(bucket) !== undefined) throw new S3Error('InvalidBucketName');
    exchange.name = bucket;
    const { headers, startedMs } = exchange;
    admit(grant, right, { headers, startedMs, name: bucket, params: { key }, query: noQuery });
    refuseUnsupported(request, fieldsOf({ exchange, request }));
    requireOwner(request, grant.project);
    const signer = { key: signed.key, claim: signed.claim };
    const call: S3Call = {
      ...services,
      exchange,
      request,
      grant,
      project: grant.project,
      bucket,
      key,
      payload,
      signer,
    };
    return await handle(call);
  }

  return {
    takes({ headers, target, method }) {
      const { authorization } = headers;
      if (authorization !== undefined) return authorization.startsWith('AWS');
      if (target.includes('?') && presigned.test(target)) return true;
      if (method === 'OPTIONS') return asksForS3(headers['access-control-request-headers']);
      return headers[clientField] !== undefined;
    },
    answer: (exchange) => answer(exchange).then((given) => exposed(exchange, given)),
    explain: (cause, exchange) => exposed(exchange, errorAnswer(cause, exchange)),
  };
}

const noQuery = { get: () => undefined };

function asksForS3(fields: string | undefined): boolean {
  return fields !== undefined && /(?:^|[,\s])(?:authorization|x-amz-[\w-]+)/i.test(fields);
}

const anyFields = /^[\w!#$%&'*+\-.^`|~]+(?:\s*,\s*[\w!#$%&'*+\-.^`|~]+)*$/;

/** The answer to a browser that asks whether a page may send a request. Only the signature says who may. */
function preflight(exchange: Exchange): Answer {
  const fields = exchange.headers['access-control-request-headers'] ?? '';
  return emptyAnswer(exchange, 200, [
    'Access-Control-Allow-Methods',
    'GET, HEAD, PUT, POST, DELETE',
    ...(anyFields.test(fields) ? ['Access-Control-Allow-Headers', fields] : []),
    'Access-Control-Max-Age',
    '86400',
  ]);
}

/** Lets pages of other origins read the fields of an answer that only S3 has. */
function exposed({ headers: { origin } }: Exchange, answer: Answer): Answer {
  if (origin === undefined) return answer;
  const names = answer.headers.filter((name, at) => at % 2 === 0 && name.startsWith('x-amz-'));
  return { ...answer, headers: [...answer.headers, 'Access-Control-Expose-Headers', names.join(', ')] };
}
