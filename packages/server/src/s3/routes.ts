import { type KeyAccess, type Names, type Right, ranks } from '../access/rights.js';
import { createBucket, deleteBucket, getBucketLocation, headBucket, listBuckets } from './buckets/buckets.js';
import type { S3Handler } from './call.js';
import { S3Error } from './errors.js';
import { copyObject } from './objects/copy-object.js';
import { deleteObject, deleteObjects } from './objects/delete-objects.js';
import { getObject } from './objects/get-object.js';
import { listObjects, listObjectsV2, listObjectVersions } from './objects/list-objects.js';
import { getObjectAttributes } from './objects/object-attributes.js';
import { putObject } from './objects/put-object.js';
import type { S3Request } from './request.js';
import { otherSubresources, putAcl, statesOfBuckets, statesOfObjects } from './subresources.js';
import { listMultipartUploads, listParts } from './uploads/list-uploads.js';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from './uploads/uploads.js';

/** An operation of S3: who may do it, and how it is done. */
export interface S3Route {
  readonly name: string;
  readonly right: Right;
  readonly handle: S3Handler;
}

/** `names`: where the keys are that it touches, which are compared with the prefix of the key. */
function route(name: string, access: KeyAccess, names: Names, handle: S3Handler): S3Route {
  const target = name === 'ListBuckets' ? 'project' : 'drive';
  return { name, right: { access, rank: ranks[access], target, names }, handle };
}

const ofService = { GET: route('ListBuckets', 'read', 'narrowed', listBuckets) };

const ofBuckets = {
  GET: route('ListObjects', 'read', 'narrowed', listObjects),
  HEAD: route('HeadBucket', 'read', 'narrowed', headBucket),
  PUT: route('CreateBucket', 'write', 'narrowed', createBucket),
  DELETE: route('DeleteBucket', 'full', 'narrowed', deleteBucket),
  listV2: route('ListObjectsV2', 'read', 'narrowed', listObjectsV2),
  versions: route('ListObjectVersions', 'read', 'narrowed', listObjectVersions),
  location: route('GetBucketLocation', 'read', 'narrowed', getBucketLocation),
  uploads: route('ListMultipartUploads', 'write', 'narrowed', listMultipartUploads),
  delete: route('DeleteObjects', 'write', 'body', deleteObjects),
};

const ofObjects = {
  GET: route('GetObject', 'read', 'path', getObject),
  HEAD: route('HeadObject', 'read', 'path', getObject),
  PUT: route('PutObject', 'write', 'path', putObject),
  DELETE: route('DeleteObject', 'write', 'path', deleteObject),
  copy: route('CopyObject', 'write', 'path', copyObject),
  attributes: route('GetObjectAttributes', 'read', 'path', getObjectAttributes),
  create: route('CreateMultipartUpload', 'write', 'path', createMultipartUpload),
  part: route('UploadPart', 'write', 'path', uploadPart),
  partCopy: route('UploadPartCopy', 'write', 'path', uploadPartCopy),
  complete: route('CompleteMultipartUpload', 'write', 'path', completeMultipartUpload),
  abort: route('AbortMultipartUpload', 'write', 'path', abortMultipartUpload),
  parts: route('ListParts', 'write', 'path', listParts),
};

/** What a form does that is posted to a bucket; its handler is `forms/post-object.ts`. */
export const ofForms = { name: 'PostObject', right: ofObjects.PUT.right };

/** The operation that a request asks for. Throws `NotImplemented`, `MethodNotAllowed`, and `NoSuchVersion`. */
export function routeOf(request: S3Request): S3Route {
  const { bucket, key, method } = request;
  const found =
    bucket === '' ? plainRoute(ofService, method) : key === '' ? ofBucket(request) : ofObject(request);
  if (found === undefined) throw new S3Error('MethodNotAllowed');
  return found;
}

function plainRoute(routes: Readonly<Record<string, S3Route>>, method: string): S3Route | undefined {
  return Object.hasOwn(routes, method) ? routes[method] : undefined;
}

function ofBucket({ method, param, query }: S3Request): S3Route | undefined {
  const has = (name: string) => param(name) !== undefined;
  if (method === 'GET' && has('location')) return ofBuckets.location;
  if (method === 'GET' && has('versions')) return ofBuckets.versions;
  if (method === 'GET' && has('uploads')) return ofBuckets.uploads;
  if (method === 'POST' && has('delete')) return ofBuckets.delete;
  const other = otherRoute(method, query, statesOfBuckets);
  if (other !== undefined) return other;
  if (has('uploads') || has('delete') || has('location') || has('versions')) return undefined;
  if (method === 'GET' && param('list-type') === '2') return ofBuckets.listV2;
  return ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method) ? plainRoute(ofBuckets, method) : undefined;
}

function ofObject({ method, param, query, field }: S3Request): S3Route | undefined {
  const has = (name: string) => param(name) !== undefined;
  const versionId = param('versionId');
  if (versionId !== undefined && versionId !== 'null') {
    throw new S3Error(versionId === '' ? 'InvalidArgument' : 'NoSuchVersion', undefined, {
      VersionId: versionId.slice(0, 100),
    });
  }
  const isCopy = field('x-amz-copy-source') !== undefined;
  if (has('uploadId')) {
    if (method === 'PUT') return isCopy ? ofObjects.partCopy : ofObjects.part;
    if (method === 'POST') return ofObjects.complete;
    if (method === 'DELETE') return ofObjects.abort;
    return method === 'GET' ? ofObjects.parts : undefined;
  }
  if (has('uploads')) return method === 'POST' ? ofObjects.create : undefined;
  if (has('attributes')) return method === 'GET' ? ofObjects.attributes : undefined;
  const other = otherRoute(method, query, statesOfObjects);
  if (other !== undefined) return other;
  if (method === 'PUT' && has('partNumber')) throw new S3Error('InvalidArgument', 'uploadId must be given');
  if (method === 'PUT' && isCopy) return ofObjects.copy;
  return ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method) ? plainRoute(ofObjects, method) : undefined;
}

/** Parameters without a value that are no subresource, or that other code reads. */
const ofNoSubresource =
  /^(?:x-|AWSAccessKeyId$|uploads$|delete$|location$|versions$|attributes$|partNumber$|uploadId$)/i;

/** Whether this is a subresource that S3 learned later: to take its change for the plain operation would lose an object. */
function isUnknown([name, value]: S3Request['query'][number]): boolean {
  return value === '' && !ofNoSubresource.test(name);
}

/** What is not here, if a request asks for it. Throws `NotImplemented` for anything but its state. */
function otherRoute(
  method: string,
  query: S3Request['query'],
  states: Readonly<Record<string, S3Handler>>,
): S3Route | undefined {
  const isChange = method !== 'GET' && method !== 'HEAD';
  const [name] =
    query.find((parameter) => otherSubresources.has(parameter[0]) || (isChange && isUnknown(parameter))) ??
    [];
  if (name === undefined) return undefined;
  if (method === 'GET' && states[name] !== undefined) {
    // What a bucket does not have says nothing of the names in it.
    const names = states === statesOfBuckets ? 'narrowed' : 'path';
    return route('GetState', 'read', names, states[name]);
  }
  if (method === 'PUT' && name === 'acl') return route('PutAcl', 'write', 'path', putAcl);
  throw new S3Error('NotImplemented', undefined, { Resource: name });
}
