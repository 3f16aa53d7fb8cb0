import { startServer } from '../server-process.js';
import { createComparison, notSeen } from './comparison.js';
import { type Document, readDescription } from './description.js';
import { type Exchange, recorded } from './recording.js';

/** Answers that any operation may give, and that depend on the state of the service: seen once, they count for all. */
const ofAnyOperation = [
  '400',
  '401',
  '403',
  '408',
  '410',
  '413',
  '415',
  '417',
  '429',
  '431',
  '500',
  '503',
  '507',
];
/** They need a server or a disk in trouble, or a request that this client cannot send; tests without a recording cause them. */
const neverInSuite = ['408', '431', '500', '503', '507'];
/**
 * Tests that no recording sees cause them. They make a thousand keys or ten thousand uploads in a server of
 * their own, keep no changes, administer projects, have a database without settings of drives, or read streams by another client.
 */
const elsewhere = [
  'createKey 409',
  'initializeUpload 409',
  'listChanges 404',
  'followByTicket 200',
  'followByTicket 404',
  'followByTicket 410',
  'setSettings 409',
  'createProject 409',
  'createProject 410',
  'deleteProject 404',
  'getUsage 404',
  'getUsage 410',
  'setQuota 404',
  'setQuota 409',
  'setQuota 410',
  'listProjects ?limit',
  'listProjects ?last',
  'getShape 404',
  'createHook 404',
];
/** Requests of S3, which has a description of its own. */
const ofBucket = /^\/(?:bucket|base)-[0-9a-f]{12}\b/;
/** The codes of such answers, of those to bytes that are no request, and of one that nobody gets. */
const codesElsewhere = [
  'invalid_request',
  'incomplete_body',
  'request_timeout',
  'indexes_unsupported',
  'settings_unsupported',
  'changes_not_kept',
  'too_many_keys',
  'too_many_uploads',
  'project_exists',
  'quotas_unsupported',
  'quota_exceeded',
  'project_not_found',
  'project_deleted',
  'too_many_requests',
  'share_taken',
  'memory_full',
  'contention',
  'head_too_large',
  'internal_error',
  'damaged_data',
  'storage_unavailable',
  'not_ready',
  'abandoned',
];

/**
 * Compares the document at `/openapi.json` with a recording of all tests, both ways: what is seen is described, and what is
 * described is seen. Gives what is wrong.
 */
export async function faultsOfDescription(folder: string): Promise<readonly string[]> {
  const document = await servedDocument();
  const { all, find } = readDescription(document);
  const comparison = createComparison(find);
  let count = 0;
  for await (const exchange of recorded(folder)) {
    if (ofBucket.test(exchange.target) || isRefusalOfS3(exchange)) continue;
    comparison.add(exchange);
    count++;
  }
  const anywhere = new Set([...comparison.seen].map((what) => what.split(' ')[1] ?? ''));
  const missing = notSeen(all, comparison.seen, (what) => {
    const [, status = ''] = what.split(' ');
    return (
      elsewhere.includes(what) ||
      neverInSuite.includes(status) ||
      (ofAnyOperation.includes(status) && anywhere.has(status))
    );
  });
  const codes = document.components.schemas.ProblemCode.enum.filter(
    (code) => !codesElsewhere.includes(code) && !comparison.seen.has(`code ${code}`),
  );
  console.error(
    `The OpenAPI document: ${count} requests, ${all.length} operations, ${comparison.seen.size} of their parts seen`,
  );
  return [
    ...[...comparison.problems].map((problem) => `seen, not described: ${problem}`),
    ...[...missing, ...codes].map((what) => `described, not seen: ${what}`),
  ];
}

/** Headers alone make a request for any path one of S3. */
function isRefusalOfS3({ status, answerType }: Exchange): boolean {
  return status >= 400 && answerType?.startsWith('application/xml') === true;
}

async function servedDocument(): Promise<Document> {
  const server = await startServer(['--memory', '--log-level', 'error', '--key', 'demo_s3cret']);
  try {
    return (await (await fetch(new URL('/openapi.json', server.url))).json()) as Document;
  } finally {
    await server.stop();
  }
}
