import type { ProjectGate } from '../access/project-gate.js';
import type { Gateway } from '../http/answering.js';
import { isForm } from '../http/requests/bodies/form-file.js';
import type { Answer } from '../http/requests/call.js';
import type { Exchange } from '../http/requests/exchange.js';
import type { KeyRing } from '../keys/key-ring.js';
import type { S3Signer } from '../keys/s3-signers.js';
import { createAdmission } from './admission.js';
import { emptyAnswer, errorAnswer, unstored } from './answers.js';
import { type Payload, unsignedPayload } from './bodies/payload.js';
import type { S3Services } from './call.js';
import { S3Error } from './errors.js';
import { readPolicy, requirePolicy } from './forms/policy.js';
import { postObject, requestOfForm } from './forms/post-object.js';
import { readPostedForm } from './forms/read-form.js';
import { maxBodyBytes } from './objects/put-object.js';
import { amzFieldsOf, readRequest, type S3Request } from './request.js';
import { ofForms, routeOf } from './routes.js';
import { createSignatureCheck, type Signed } from './signature/check-signature.js';
import { encodePath } from './signature/encoding.js';
import { readPolicyAuthorization } from './signature/policy-authorization.js';
import { readSigned } from './signature/read-signed.js';

export interface S3GatewayOptions extends S3Services {
  readonly keys: Pick<KeyRing, 's3Signer' | 'readS3'>;
  /** Below it, the first label of the host is a bucket; undefined: the bucket is in the path alone. */
  readonly domain: string | undefined;
  /** Whether the service itself has something at this path, such as a public file, or a file of the console. */
  readonly isOwnPath: (path: string) => boolean;
  readonly projects?: ProjectGate | undefined;
}

const presigned = /[?&](?:X-Amz-Algorithm|AWSAccessKeyId)=/;
/** What S3 clients send with requests that they do not sign. */
const clientField = 'amz-sdk-invocation-id';

/**
 * The way into the service for S3 clients (docs/s3.md). It takes requests that carry a signature of S3, in their head or in
 * their query string; forms that browsers post to a bucket; unsigned requests of AWS SDKs, which say so in their head; and
 * preflight requests for these. It takes no request of another API.
 */
export function createS3Gateway({
  keys,
  domain,
  isOwnPath,
  projects,
  ...services
}: S3GatewayOptions): Gateway {
  const admitCall = createAdmission(services, projects);
  const signatures = createSignatureCheck({ find: keys.s3Signer, clock: services.clock });

  async function authenticate(
    exchange: Exchange,
    request: S3Request,
  ): Promise<{ signed: Signed<S3Signer>; payload: Payload }> {
    const { authorization, parts, payload } = readSigned(exchange, request);
    await keys.readS3(authorization.accessKeyId);
    return { signed: signatures.request(authorization, parts, payload.text), payload };
  }

  async function answer(exchange: Exchange): Promise<Answer> {
    exchange.route = 'S3';
    if (exchange.method === 'OPTIONS') return preflight(exchange);
    const request = readRequest(exchange, domain);
    if (isPostedForm(exchange)) return await answerForm(exchange, request);
    const { signed, payload } = await authenticate(exchange, request);
    const route = routeOf(request);
    const names = amzFieldsOf(request);
    const signer = { key: signed.key, authorization: signed.authorization };
    const call = admitCall(exchange, signed.signer, route, { request, names, payload, signer });
    const given = await route.handle(call);
    // Only the signature tells the two apart, and a cache in front goes by the path, which it may decode.
    return request.isBucketInHost || !isOwnPath(encodePath(request.path)) ? given : unstored(given);
  }

  /** Answers a form that a browser posts to a bucket. Its fields say who signed it, and for what. */
  async function answerForm(exchange: Exchange, request: S3Request): Promise<Answer> {
    exchange.route = `S3 ${ofForms.name}`;
    if (request.bucket === '' || request.key !== '') throw new S3Error('MethodNotAllowed');
    const limits = { maxBytes: maxBodyBytes, keptBytes: services.drives.keptByWrite };
    const form = await readPostedForm(exchange, exchange.headers['content-type'] as string, limits);
    try {
      const put = requestOfForm(request, form.fields);
      const authorization = readPolicyAuthorization(form.fields);
      const text = form.fields.get('policy') as string;
      await keys.readS3(authorization.accessKeyId);
      const signer = signatures.policy(text, authorization);
      const policy = readPolicy(text);
      requirePolicy(policy, new Map([...form.fields, ['bucket', request.bucket]]), services.clock());
      const rest = { ...put, payload: unsignedPayload, signer: undefined };
      return await postObject(admitCall(exchange, signer, ofForms, rest), form, policy);
    } finally {
      form.drop();
    }
  }

  return {
    takes({ headers, target, method }) {
      const { authorization } = headers;
      // An empty field is as good as none.
      if (authorization) return authorization.startsWith('AWS');
      if (method === 'POST' && isPostedForm({ headers, target })) return true;
      if (target.includes('?') && presigned.test(target)) return true;
      if (method === 'OPTIONS') return asksForS3(headers['access-control-request-headers']);
      return headers[clientField] !== undefined;
    },
    answer: (exchange) =>
      exchange.headers.origin === undefined
        ? answer(exchange)
        : answer(exchange).then((given) => exposed(exchange, given)),
    explain: (cause, exchange) => exposed(exchange, errorAnswer(cause, exchange)),
  };
}

const ofBucket = /^\/[^/?]*\/?(?:\?|$)/;

/** Whether this is a browser's form for a bucket. No path of the service's own API that takes a form is as short. */
function isPostedForm({ headers, target }: Pick<Exchange, 'headers' | 'target'>): boolean {
  return (
    !headers.authorization &&
    headers['x-api-key'] === undefined &&
    isForm(headers['content-type']) &&
    ofBucket.test(target)
  );
}

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
