import { admit } from '../access/admit.js';
import type { ProjectGate } from '../access/project-gate.js';
import type { Exchange } from '../http/requests/exchange.js';
import { collectionNameProblem } from '../http/routing/collection-name.js';
import type { S3Signer } from '../keys/s3-signers.js';
import type { S3Call, S3Services } from './call.js';
import { S3Error } from './errors.js';
import { refuseUnsupported, requireOwner } from './objects/unsupported.js';
import type { S3Route } from './routes.js';

/** What a request brings, besides who signed it and where it goes. */
export interface ArrivedRequest extends Pick<S3Call, 'request' | 'payload' | 'signer'> {
  /** Of its fields that begin with `x-amz-`, in lower case, and of others for a form. */
  readonly names: readonly string[];
}

/** Notes whose request it is, and checks what its key may do. Throws what `admit` throws, and an `S3Error`. */
export type AdmitCall = (
  exchange: Exchange,
  signer: S3Signer,
  route: Pick<S3Route, 'name' | 'right'>,
  arrived: ArrivedRequest,
) => S3Call;

const noQuery = { get: () => undefined };

export function createAdmission(
  { drives, items, clock }: S3Services,
  projects: ProjectGate | undefined,
): AdmitCall {
  return (exchange, { grant, noteUse }, { name, right }, { request, names, payload, signer }) => {
    const { project } = grant;
    const { bucket, key } = request;
    noteUse();
    exchange.grant = grant;
    exchange.owner = project;
    exchange.project = project;
    exchange.route = `S3 ${name}`;
    if (bucket !== '' && collectionNameProblem(bucket) !== undefined) throw new S3Error('InvalidBucketName');
    exchange.name = bucket;
    const { headers, startedMs } = exchange;
    exchange.belongsTo(project);
    projects?.count(project, startedMs);
    admit(grant, right, { headers, startedMs, name: bucket, params: { key }, query: noQuery });
    if (projects !== undefined) exchange.deletions = projects.admit(project);
    refuseUnsupported(request, names);
    requireOwner(request, project);
    // One by one: spreading these costs 3 µs.
    return { drives, items, clock, exchange, request, grant, project, bucket, key, payload, signer };
  };
}
