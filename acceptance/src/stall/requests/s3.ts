import { AwsClient } from 'aws4fetch';
import type { Api, Reply, SendOptions } from '../../api.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';

const maxXmlBytes = 8 * 1024 * 1024;
const atOnce = 50;
const signers = new WeakMap<Api, Promise<AwsClient>>();

/** Signs for a key of the project, which is made for the first request. */
function signerOf(api: Api): Promise<AwsClient> {
  const known = signers.get(api);
  if (known !== undefined) return known;
  const made = must(201, api.send('POST', `/v1/${api.target.project}/keys`, { json: { s3: true } }));
  const signer = made.then((reply) => {
    const { access_key_id, secret_access_key } = reply.json<Record<string, string>>();
    const credentials = { accessKeyId: access_key_id ?? '', secretAccessKey: secret_access_key ?? '' };
    return new AwsClient({ ...credentials, service: 's3', region: 'us-east-1' });
  });
  signers.set(api, signer);
  return signer;
}

/** Sends a signed request. `path`: below the bucket that is the drive of the place. */
async function sendS3(
  { api, base }: Place,
  method: string,
  path: string,
  { body, headers = {} }: Pick<SendOptions, 'body' | 'headers'> = {},
): Promise<Reply> {
  const bucket = base.root.slice(base.root.lastIndexOf('/'));
  const url = new URL(bucket + path, api.target.url);
  const signed = await (await signerOf(api)).sign(url.href, { method, headers: { ...headers } });
  const { pathname, search } = new URL(signed.url);
  return await api.send(method, pathname + search, {
    key: null,
    headers: Object.fromEntries(signed.headers),
    ...(body !== undefined && { body }),
  });
}

async function inTurns(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += atOnce) {
    const some = Math.min(atOnce, count - done);
    await Promise.all(Array.from({ length: some }, (_, n) => work(done + n)));
  }
}

/** An upload with so many small parts. Gives its id. */
async function uploadOf(place: Place, parts: number): Promise<string> {
  await must(200, sendS3(place, 'PUT', ''));
  const { text } = await must(200, sendS3(place, 'POST', '/large?uploads='));
  const [, id = ''] = /<UploadId>(.*)<\/UploadId>/.exec(text) ?? [];
  await inTurns(parts, (n) =>
    must(200, sendS3(place, 'PUT', `/large?partNumber=${n + 1}&uploadId=${id}`, { body: 'x' })),
  );
  return id;
}

/** Requests of S3 clients: their XML, their lists, and uploads of as many parts as there may be. */
export function s3(count: Count): HostileRequest[] {
  const bytes = count(maxXmlBytes - 1024);
  const bucket = (place: Place) => must(200, sendS3(place, 'PUT', ''));
  const deleteObjects = (name: string, xml: () => string): HostileRequest => ({
    name: `S3 DeleteObjects: ${name}`,
    prepare: bucket,
    send: (place) => sendS3(place, 'POST', '/?delete=', { body: xml() }),
  });
  const many = (text: string) => text.repeat(Math.floor(bytes / text.length));
  const uploads = new WeakMap<Place, string>();
  const ofParts = (name: string, most: number, send: (place: Place, id: string) => Promise<Reply>) => ({
    name: `S3 ${name}`,
    prepare: async (place: Place) => uploads.set(place, await uploadOf(place, count(most))),
    send: (place: Place) => send(place, uploads.get(place) as string),
  });
  return [
    deleteObjects('1,000 long keys', () => {
      const key = (n: number) => `<Object><Key>${n}${'k'.repeat(1000)}</Key></Object>`;
      return `<Delete>${Array.from({ length: count(1000) }, (_, n) => key(n)).join('')}</Delete>`;
    }),
    deleteObjects('empty elements', () => `<Delete>${many('<a/>')}</Delete>`),
    deleteObjects('elements in elements', () => `<Delete>${many('<a>')}`),
    deleteObjects('references', () => `<Delete><Object><Key>${many('&amp;')}</Key></Object></Delete>`),
    deleteObjects(
      'an entity that grows',
      () => `<!DOCTYPE d [<!ENTITY a "${many('a')}">]><Delete>&a;&a;</Delete>`,
    ),
    deleteObjects('a long attribute', () => `<Delete a="${many('a')}"/>`),
    deleteObjects('many attributes', () => `<Delete ${many('aa="" ')}/>`),
    deleteObjects('a long comment', () => `<Delete><!--${many('- ')}--></Delete>`),
    deleteObjects('a long name', () => `<${many('a')}/>`),
    deleteObjects('no XML', () => many('< ')),
    // Parts that could be completed have 5 MiB each. A test of the drive service completes 10,000 of them, without bytes.
    ofParts('CompleteMultipartUpload of 10,000 parts that are too small', 10_000, (place, id) => {
      const part = (n: number) =>
        `<Part><PartNumber>${n}</PartNumber><ETag>9dd4e461268c8034f5c8564e155c67a6</ETag></Part>`;
      const parts = Array.from({ length: count(10_000) }, (_, n) => part(n + 1)).join('');
      const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
      return sendS3(place, 'POST', `/large?uploadId=${id}`, { body });
    }),
    ofParts('ListParts of 10,000', 10_000, (place, id) => sendS3(place, 'GET', `/large?uploadId=${id}`)),
    {
      name: 'S3 ListMultipartUploads of 5,000',
      prepare: async (place) => {
        await bucket(place);
        await inTurns(count(5000), (n) => must(200, sendS3(place, 'POST', `/${n}?uploads=`)));
      },
      send: (place) => sendS3(place, 'GET', '/?uploads=&delimiter=x'),
    },
    ...['delimiter=%2F', 'delimiter=none', 'marker=5&delimiter=9', ''].map(
      (query): HostileRequest => ({
        name: `S3 ListObjects of 5,000: ${query}`,
        prepare: async (place) => {
          await bucket(place);
          await inTurns(count(5000), (n) =>
            must(200, sendS3(place, 'PUT', `/${n % 1000}/${n}`, { body: '' })),
          );
        },
        send: (place) => sendS3(place, 'GET', `/?${query}`),
      }),
    ),
    {
      name: 'S3 GET: a query of many parameters',
      prepare: bucket,
      send: (place) => sendS3(place, 'GET', `/?${'a&'.repeat(count(3000))}`),
    },
  ];
}
